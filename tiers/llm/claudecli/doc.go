// Package claudecli is the provider claude_cli: it drives Claude Code as a
// subprocess (https://docs.anthropic.com/en/docs/claude-code/cli-reference).
//
// # Contract
//
//   - What every run of a program has in common says package program.
//   - The program is talked to: the prompt is one user message on its standard
//     input, which stays open for the answers to its control requests. Each
//     request to use a tool is denied, each other one refused.
//   - It has no tools of its own: it is started with an empty list of tools, no
//     MCP servers and none of the person's or the project's settings. A tool_use
//     of the model is on record in CLICall.OwnTools and nothing else.
//   - Known lines are system, stream_event, assistant, control_request and
//     result. A reply without a result line is none.
//   - Usage and cost are those of the result line.
//
// Written after its documentation and after clients of others; the real program
// has not been run here.
package claudecli
