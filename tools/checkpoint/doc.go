// Package checkpoint tells what a script changed in a workspace, and keeps what
// the changed files held before.
//
// # Contract
//
//   - A [State] is taken before and after a script; what differs is what it
//     changed, and the old contents can be read until the state is released.
//   - Contents are copied to a folder of the engine's own. Nobody's version
//     control is looked at or touched, and every file goes through the gate: what
//     tools may not read is never copied.
//   - A file is read again only where its size or one of its times changed, or where
//     it is so young that a change might not show in its times. On Linux and macOS one
//     of them is the system's own, which a script that gives a file its old time back
//     does not set.
//   - What .gitignore files leave out is left out here: outputs of builds are made
//     again, not restored.
//   - Bounded by [MaxFiles], [MaxBytes] and the gate's limit for one file. Beyond
//     them a state is not whole, and [Compare] says so.
package checkpoint
