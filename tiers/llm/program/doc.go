// Package program is what providers that run a program have in common: one
// attempt is one run, read line by line.
//
// # Contract
//
//   - One attempt is one run of the program; nothing of an earlier run is used.
//     It is started with an argument list, never by a shell, in a new empty
//     folder that is removed afterwards, and ended with everything it started
//     when the attempt ends.
//   - It writes one JSON object a line; what they mean is its [Protocol]. Lines
//     that do not begin as an object are passed over, unless a message stands at
//     their end: such output cannot be read.
//   - The model is offered our tools in the words of the prompt, and calls of
//     ours are read from the words it says (package texttools). What the program
//     runs by itself is on record in CLICall.OwnTools and nothing else.
//   - A run whose protocol saw no terminal marker is an error; so is one that
//     writes nothing for too long, too much, or what cannot be read. No half
//     answer is a reply.
//   - A terminal marker counts, however the program ends then; it has
//     Job.AfterEnd to do so.
//   - Tokens that the program does not count are estimated and marked so.
//
// The package starts nothing itself: an [llm.Runner] does.
package program
