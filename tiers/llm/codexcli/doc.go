// Package codexcli is the provider codex_cli: it drives the codex command line
// as a subprocess (https://developers.openai.com/codex/noninteractive).
//
// # Contract
//
//   - What every run of a program has in common says package program. The whole
//     prompt is the program's standard input.
//   - It has no tools of its own that act: it is started in the read-only
//     sandbox that asks for nothing, in a folder of its own, without the person's
//     configuration, and with every feature off that offers the model a tool. What
//     it says it ran is on record in CLICall.OwnTools and nothing else.
//   - Lines are thread.started, item.*, error, turn.completed and turn.failed.
//     The model's words are the items of the type agent_message; each comes as a
//     whole, so a long answer is a long silence.
//   - Usage is that of turn.completed: input with what was cached, output with
//     what was thought.
//
// Tried with @openai/codex 0.169.0, which leaves the model one tool,
// request_user_input, that a run without a person refuses.
package codexcli
