// Package beads keeps tickets in a Beads database through the program bd, version 1.1 or newer.
//
// Tools need only [Tracker]. [CLI] is the only implementation, and beadstest has a fake bd that answers like the
// real one. Every call uses --json and --sandbox (nothing is pushed), and read-only calls also use --readonly. Usage
// counters and prompts are switched off. A call may take up to 30 seconds. Caller input never becomes an option.
//
// bd runs the programs .beads/hooks/on_* of a project at each change. A project can bring its own, so changes are
// rejected if there are any. bd also takes variables, including commands, from .beads/.env, and the settings
// there may name a server on any host: in both cases every call is rejected. A bd inside the project is never
// used.
//
// A failure that a model can understand is a [*Problem]. Callers must make one call at a time per database.
package beads
