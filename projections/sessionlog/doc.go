// Package sessionlog writes the log files of sessions, which are read models
// like any other: if deleted, they are recreated byte for byte.
//
//	<project>/logs/sessions/<folder>/
//	    comms.log                               one JSON object a line: what went to models and came back
//	    toolcalls.log                           Markdown: each tool call and its result
//	    apihooks.log                            one line of text for each recorded request to the gateway
//	    clicalls.log                            one JSON object a line: each program that a tool ran
//	    scripts/generated/<time>_<nnnn>.ps1|.sh each script that was run, in order
//	    outputs/<nnnn>_<kind>.txt               each body over 16 KiB, and each that is a blob, once
//	<project>/logs/log_registry.toml            every session, and why its files are kept
//
// # Contract
//
//   - Every byte is a pure function of the session's events ([Renderer]) and of
//     the blobs that they name: times come from events, in UTC; nothing is read
//     back from the files. A record carries name, size and SHA-256 of a long
//     body in place of the body. A blob that nobody has is named in its file,
//     and asked for again at the next start.
//   - A [Writer] keeps no position. It renders a session from its beginning and
//     compares: a file that is a prefix of what should be there is continued,
//     any other is replaced in one step. The folder of a closed session gets an
//     file .complete, with the newest event and the size of each, once everything
//     is in it and on the disk; only then, and while no newer event came, is it
//     not compared again at the next start. A file that somebody renames, cuts or
//     deletes comes back with the next event of its session, at the latest when
//     the session closes.
//   - The files of at most 16 sessions are held open. Events that are there
//     already are written together; nothing is synced before the session closes.
//   - The files of a session may be pruned ([Keeper]): LogsPruned is an event, so
//     that a rebuild does not bring them back, and LogsRestored does. Only what a
//     writer makes is removed, never a link or what somebody put there.
//   - The folder's name comes from SessionOpened. A name that is no plain
//     folder name, or that an earlier session has, is refused; nothing is ever
//     written outside the project's logs, nor through a link.
//   - A result's data is written without a member "text" that repeats its text.
//   - Only facts that count are written: the first answer to a request, the
//     first outcome of a call. Secrets were masked before they became events.
package sessionlog
