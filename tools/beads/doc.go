// Package beads keeps tickets in a Beads database through the program bd, version 1.1 or newer.
//
// [Tracker] is all that tools need; [CLI] is the one implementation, and beadstest has a stand-in
// for bd that answers as the real one does. Calls are made with --json and --sandbox (nothing is
// pushed anywhere), looking ones with --readonly too, without usage counters and without
// questions, within 30 seconds each. Nothing that a caller gives can become an option.
//
// bd runs the programs .beads/hooks/on_* of a project at each change. A project can bring its own,
// so a change is refused where there are any. bd also takes variables, commands among them, from
// .beads/.env, and the settings there may name a server on any host: with either, every call is
// refused. bd is never taken from inside of the project.
//
// A failure that a model can understand is a [*Problem]. Callers make one call at a time per
// database.
package beads
