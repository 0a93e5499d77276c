// Package claudecli is the provider claude_cli: it drives Claude Code as a
// subprocess (https://docs.anthropic.com/en/docs/claude-code/cli-reference).
//
// # Contract
//
//   - Package program describes what every run of a program has in common.
//   - The prompt is one user message on the program's standard input, which
//     stays open for answers to control requests. Requests to use a tool are
//     denied, all others are refused.
//   - The program has no tools of its own: it is started with an empty list of
//     tools, without MCP servers and without the settings of the user or the
//     project. A tool_use of the model is only recorded in CLICall.OwnTools.
//   - Known lines are system, stream_event, assistant, control_request and
//     result. A reply without a result line is incomplete.
//   - Usage and cost are those of the result line.
//
// Written from its documentation and from other clients; not yet tried with the real program.
package claudecli
