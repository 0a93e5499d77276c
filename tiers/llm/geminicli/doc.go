// Package geminicli is the provider gemini_cli: it drives the gemini command line, or a compatible
// program, as a subprocess.
//
// # Contract
//
//   - The program gets the whole prompt as text on its standard input. Package
//     program describes what every run of a program has in common.
//   - [Provider] starts it without extensions and in the approval mode that
//     refuses, in a folder whose settings replace the program's own system
//     prompt and disable all tools and MCP servers but ours (package mcptools),
//     or all but [Harmless] if there are no tools to offer or Text is set.
//   - With our tools, the run ends after one turn of the model, whose calls are
//     the calls of the reply. A run fails if anything but our tools was used, if
//     the turn does not end it, or if its calls are not those that arrived at
//     the server.
//   - It writes one JSON object per line, distinguished by "type". Known types
//     are init, message, chunk, tool_use, tool_result, error and result, in the
//     spelling of the original system and in that of the current program;
//     others are skipped. Only the assistant's messages count.
//   - With Text, a tool_use that names a tool of the request is a call of that
//     tool, unless a tool_result shows that the program ran it itself.
//
// Tried with @google/gemini-cli 0.40.0 and 0.61.0.
package geminicli
