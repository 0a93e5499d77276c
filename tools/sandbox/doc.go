// Package sandbox controls all access of tools to the machine: paths, files and processes.
//
// # Paths
//
// A [Workspace] is a set of base directories, each opened as an [os.Root]. Every path a tool
// receives goes through it, in this order:
//
//  1. The form is checked: empty, over-long, invalid UTF-8, control characters, text direction
//     overrides, drive, UNC and device spellings are refused. A backslash counts as a separator
//     on every system, because models send both.
//  2. The path is made absolute against the primary base, cleaned, and mapped to (base, relative
//     path). For nested bases the outermost one is used, so that a base inside a protected folder
//     cannot hide that folder's name.
//  3. The blacklist is matched against every element, ignoring case. It overrides everything else.
//     A file config, config.worktree or credentials in a folder of git, whatever its name, is
//     protected too: the folder is recognised by what git requires in it.
//  4. With Config.AllowSymlinks, links are followed here, and steps 2 and 3 repeat on the real
//     name. Without it, a link anywhere in the path is rejected.
//  5. The file is opened through the base's root with O_NONBLOCK, and the opened file is
//     inspected: it must be a regular file (or a directory, if one was requested), within the
//     size limit, and on Linux the kernel's own name for the handle must be the expected one, so
//     that a link created between check and use is noticed.
//     Walks and a [Reader] open entries through the handle of their checked folder; each file is
//     inspected in the same way.
//  6. A regular file with more than one hard link is read only if none of the blacklisted
//     files of the workspace and of the engine's folders is the same file; if they cannot all be
//     examined, it is rejected. It is never written, because a rename would separate the names.
//     A second name of a protected file outside of these folders is not detected.
//
// # Writing
//
// [Workspace.Lock] takes advisory locks on the parent directories, which also work between processes.
// [Guard.Apply] writes a set of files, all or none: temporary file next to the target, fsync, a last comparison
// of the file's SHA-256 with the expected one, rename, fsync of the directory. Mode and owner stay; extended
// attributes do not. The temporary name is derived from the target's, so a repeated call after a crash removes
// the leftovers of the first one.
//
// # Processes
//
// [Run] starts a program in its own session with an environment built by [Environment], the given input and
// bounded output, and leaves no process running: it kills the process group at the time limit, on cancellation
// and after a normal exit. On Linux, it then finds processes that left the group by a random marker in their
// environment, by the output pipe that they hold, or as descendants. It does not find a process that leaves the
// group, drops its environment, redirects its output and is orphaned before the program ends; only a PID
// namespace contains such a process.
//
// [Workspace.Confine] runs a program in such a namespace and with a restricted file system (bubblewrap, Linux
// only): the program can write to the bases and to an empty /tmp, sees no home directory, and cannot access or
// create protected files. If that is not possible, it returns [ErrNotConfined] and runs nothing.
//
// # Errors
//
// A refusal is a [*DeniedError]: its Error and ModelText never name the allowed directories; its OperatorText
// does. An error of the file system is a [*FileError]. Match with [errors.Is] against [ErrDenied], [ErrConflict],
// [ErrTooLarge], [ErrNotRegular], [ErrIsDirectory], [fs.ErrNotExist].
//
// Platforms: complete on Linux; on other Unix systems without the kernel-name check and the search
// for processes that left their group; on Windows also without directory locks, hard-link checks
// and owner keeping.
package sandbox
