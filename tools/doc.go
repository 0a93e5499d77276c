// Package tools defines tools: their arguments, the registry, and the two steps
// of a call.
//
// # Making a call
//
// [Registry.Prepare] decodes the arguments strictly against the tool's schema and has no effect. [Prepared.Plan]
// shows what a writing call would change, with digests and a diff, and has no effect. [Prepared.Run] makes the
// call. A writing call passes the changes to the caller just before it writes them, so that the caller can record
// them; if that fails, nothing is written. All files of a call are written or none. After a crash, [ResumeChange]
// determines for each recorded change whether it is in place.
//
// A [Result] with Failed is for the model: its text says what is wrong and what to do next. Details that are only
// for the operator, such as the allowed directories, are in its Operator and Err fields. Texts stay within
// [Limits] in characters and lines and end with a marker if something is missing.
//
// # Writing a tool
//
// A tool is an argument struct, a [Spec] and a function, combined by [Reader], [Writer], [Executor] or [Outside],
// and one line in builtin/builtin.go. The schema is derived from the tags of the struct; see field in schema.go.
// A handler accesses files only through [Env.ReadFile] and the methods of Env.Workspace. It returns errors
// unchanged (Failure converts them), and uses [Refuse] for errors that the model can fix. A planner for Writer
// returns changes made with [Edit], [Create] and [Delete] and changes nothing itself. Handlers check their
// context in loops; a cancelled call must return within 100 ms. Tools do not depend on buses, events, models and
// sessions.
//
// The tests in laws_test.go run for every built-in tool.
package tools
