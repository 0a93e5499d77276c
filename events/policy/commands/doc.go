// Package commands reads which commands a script runs and matches them with the patterns of a person's rules.
//
// # Contract
//
//   - It is pure. Decisions follow from its results, which testdata/corpus.txt shows: a change of them needs a new
//     decision number, also one that comes with another version of the shell parser.
//   - It fails closed. A script is read without being run; where the text alone does not say which command runs, the
//     command is [Command.Unclear]. No allow pattern covers such a command, and every deny pattern may apply to it.
//   - Its own words stand in decisions; no text of the parser does.
package commands
