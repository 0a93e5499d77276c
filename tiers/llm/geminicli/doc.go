// Package geminicli is the provider gemini_cli: it drives the gemini command
// line, or a program that speaks as it does, as a subprocess.
//
// # Contract
//
//   - One attempt is one run of the program; nothing of an earlier run is used.
//     The whole prompt, as text, is its standard input. It is started with an
//     argument list, never by a shell, in a new empty folder below
//     Provider.Folder that is removed afterwards, and ended with everything it started when the attempt ends.
//   - It has no tools: [Provider] starts it in the approval mode that refuses,
//     without extensions, in a folder whose settings leave no tool and no MCP
//     server on. What the model wants to do goes through our gates or nowhere.
//   - It writes one JSON object a line, told apart by "type". Known are init,
//     message, chunk, tool_use, tool_result, error and result, in the spelling
//     of the original system and in that of the program of today; others are
//     passed over, and so are lines that do not begin as an object. Only what
//     the assistant says counts.
//   - A tool_use that names a tool of the request is a call of that tool, unless
//     a tool_result says that the program ran it itself. Every other tool_use
//     is on record in CLICall.OwnTools and nothing else.
//   - A run without a result line is an error of the kind incomplete, unless
//     the program says by its exit code what is wrong.
//   - Tokens that the program does not count are estimated at four characters
//     each and marked so.
//
// The package starts nothing itself: an [llm.Runner] does.
package geminicli
