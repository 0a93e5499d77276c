// Package geminicli is the provider gemini_cli: it drives the gemini command
// line, or a program that speaks as it does, as a subprocess.
//
// # Contract
//
//   - The whole prompt, as text, is the program's standard input; what every
//     run of a program has in common says package program.
//   - [Provider] starts it in the approval mode that refuses, without extensions,
//     in a folder whose settings leave no MCP server on and no tool but [Harmless],
//     and whose words stand for the program's own system prompt.
//   - It writes one JSON object a line, told apart by "type". Known are init,
//     message, chunk, tool_use, tool_result, error and result, in the spelling
//     of the original system and in that of the program of today; others are
//     passed over. Only what the assistant says counts.
//   - A tool_use that names a tool of the request is a call of that tool, unless
//     a tool_result says that the program ran it itself.
//
// Tried with @google/gemini-cli 0.61.0.
package geminicli
