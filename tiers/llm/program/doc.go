// Package program holds what all providers that run a program have in common: one attempt is one
// run, read line by line.
//
// # Contract
//
//   - One attempt is one run of the program; nothing of an earlier run is used.
//     It is started with an argument list, never by a shell, in a new empty
//     folder that is removed afterwards. When the attempt ends, the program is stopped together
//     with everything that it started.
//   - It writes one JSON object per line; its [Protocol] interprets them. Lines
//     that do not start with an object are skipped, unless they end with a
//     message: such output counts as unreadable.
//   - The prompt describes our tools to the model, and calls to them are parsed
//     from its text (package texttools), unless the program offers them as
//     functions. Tools that the program runs by itself are recorded in
//     CLICall.OwnTools and are never calls of ours.
//   - A run without a terminal marker is an error; so is one that writes
//     nothing for too long, too much, or something unreadable. A partial answer
//     is never a reply.
//   - A terminal marker counts, no matter how the program exits afterwards. If the program
//     still runs after Job.AfterEnd, it is stopped.
//   - Token counts that the program does not report are estimated and marked as
//     such.
//
// The package starts no process itself: an [llm.Runner] does.
package program
