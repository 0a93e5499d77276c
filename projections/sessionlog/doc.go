// Package sessionlog writes the log files of sessions. They are read models like any other: if
// deleted, they are recreated byte for byte.
//
//	<project>/logs/sessions/<folder>/
//	    comms.log                               one JSON object per line: requests to models and their replies
//	    toolcalls.log                           Markdown: each tool call and its result, and tier 4's analyses
//	    apihooks.log                            one line of text per recorded request to the gateway
//	    clicalls.log                            one JSON object per line: each program that a tool ran
//	    scripts/generated/<time>_<nnnn>.ps1|.sh each script that was run, in order
//	    outputs/<nnnn>_<kind>.txt               each text that is over 16 KiB or a blob, once
//	<project>/logs/log_registry.toml            every session, and why its files are kept
//
// # Contract
//
//   - Every byte is a pure function of the session's events ([Renderer]) and of
//     the blobs to which they refer: times come from events, in UTC, and nothing
//     is read back from the files. A record has the name, size and SHA-256 of a long text
//     instead of the text itself. The file of a missing blob names the blob, which is requested
//     again at the next start.
//   - A [Writer] stores no position. It renders a session from its beginning and
//     compares: a file that is a prefix of the expected content is continued, any
//     other is replaced atomically. Once the folder of a closed session is
//     complete and synced to disk, it gets a file .complete with the newest event
//     and the size of each file; then, unless a newer event arrived, it is not
//     compared again at the next start. A file that somebody renames, truncates
//     or deletes is restored with the next event of its session, at the latest
//     when the session closes.
//   - The files of at most 16 sessions are kept open. Events that are available
//     at the same time are written together; nothing is synced before the session
//     closes.
//   - The files of a session may be pruned ([Keeper]). LogsPruned is an event, so
//     that a rebuild does not restore them; LogsRestored undoes it. Only files
//     that a writer makes are removed, never links or files of others.
//   - The folder's name comes from SessionOpened. A name that is not a plain
//     folder name, or that an earlier session uses, is rejected. Nothing is ever
//     written outside the project's logs, or through a link.
//   - A result's data is written without a member "text" that repeats its text.
//   - Only facts that count are written: the first answer to a request, the
//     first outcome of a call. Secrets are masked before events are stored.
package sessionlog
