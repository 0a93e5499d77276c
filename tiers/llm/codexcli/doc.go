// Package codexcli is the provider codex_cli: it drives the codex command line
// as a subprocess (https://developers.openai.com/codex/noninteractive).
//
// # Contract
//
//   - Package program describes what every run of a program has in common. The
//     program gets the whole prompt on its standard input.
//   - It has no built-in tools that act: it is started in the read-only sandbox
//     that never asks, in a folder of its own, without the user's
//     configuration, and with every feature that offers the model a tool disabled. Tools that
//     it reports having run are only recorded in CLICall.OwnTools.
//   - Lines are thread.started, item.*, error, turn.completed and turn.failed.
//     The model's text is in items of type agent_message. Each arrives as a
//     whole, so nothing arrives while a long answer is being written.
//   - Usage is that of turn.completed: its input includes cached tokens, its
//     output includes thinking tokens.
//
// Tried with @openai/codex 0.169.0, which leaves the model one tool, request_user_input, and
// refuses it in a run without a user.
package codexcli
