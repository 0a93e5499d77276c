// Package commands finds the commands that a script runs and matches them with the patterns of a
// person's rules.
//
// # Contract
//
//   - It is pure. Decisions depend on its results, which testdata/corpus.txt shows. A change of
//     the results needs a new decision number, even if it comes from a new version of the shell
//     parser.
//   - It fails closed. A script is analysed without being run. If its text alone does not show
//     which command runs, the command is [Command.Unclear]: no allow pattern covers it, and every
//     deny pattern may apply to it.
//   - Decisions contain texts of this package, and never texts of the parser.
package commands
