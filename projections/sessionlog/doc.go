// Package sessionlog writes the log files of sessions, which are read models
// like any other: delete them and they come back the same to the byte.
//
//	<project>/logs/sessions/<folder>/
//	    comms.log                               one JSON object a line: what went to models and came back
//	    toolcalls.log                           Markdown: each tool call and its result
//	    apihooks.log                            one line of text for each recorded request to the gateway
//	    clicalls.log                            one JSON object a line: each program that a tool ran
//	    scripts/generated/<time>_<nnnn>.ps1|.sh each script that was run, in order
//
// # Contract
//
//   - Every byte is a pure function of the session's events ([Renderer]): times
//     come from events, in UTC; nothing is read back from the files.
//   - A [Writer] keeps no position. It renders a session from its beginning and
//     compares: a file that is a prefix of what should be there is continued,
//     any other is replaced in one step. The folder of a closed session gets an
//     empty file .complete once everything is in it; only then is it not compared
//     again at the next start.
//   - The folder's name comes from SessionOpened. A name that is no plain
//     folder name, or that an earlier session has, is refused; nothing is ever
//     written outside the project's logs.
//   - Only facts that count are written: the first answer to a request, the
//     first outcome of a call. Secrets were masked before they became events.
package sessionlog
