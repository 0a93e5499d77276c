// Package runtime is the impure edge around the deciders: it carries events to
// them and their facts to the log, calls models, runs tools, rereads files and
// watches clocks. It decides nothing.
//
// # Contract
//
//   - One [Reader] per process follows the stream and fans out to the parts
//     that asked; no part opens a consumer of its own.
//   - A [Handler] is one decider on one session. Running and restarting are one
//     procedure: foreign events in stream order, each with its full list of
//     facts; what is on the log is skipped, what is missing at the tail is
//     appended, anything else stalls the session with a reason.
//   - Each effect carries the id of the fact that caused it and settles once.
//     Whoever dies at any line is replaced by reading the log again.
//   - A call that changes something takes its claim before it acts. A claimed
//     call without an outcome is never silently run again.
//
// The package knows no bus: the seams below are what it needs of one.
package runtime
