// Package sandbox is the one gate between a tool and the machine: paths, files and processes.
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
//     path). Of nested bases the outermost counts, so that a base inside a protected folder
//     cannot hide that folder's name.
//  3. The blacklist is matched on every element, without case. It wins over everything.
//  4. With Config.AllowSymlinks links are followed here, and steps 2 and 3 repeat on the real
//     name. Without it a link anywhere in the path is refused.
//  5. The file is opened through the base's root with O_NONBLOCK, and what was opened is
//     inspected: it must be a regular file (or a directory, where one was asked for), within the
//     size limit, and on Linux the kernel's own name for the handle must be the expected one, so
//     that a link put in place between check and use is noticed.
//     Walks and a [Reader] open entries through the handle of their checked folder; each file is
//     inspected in the same way.
//  6. A regular file with more than one hard link is read only when none of the blacklisted
//     files of the workspace and of the engine's folders is the same file; if they cannot all be
//     looked at, it is refused. It is never written, because a rename would tear the names apart.
//     A second name of a protected file outside of these folders is not detected.
//
// # Writing
//
// [Workspace.Lock] takes advisory locks on the parent directories, which hold between processes
// too, and [Guard.Apply] writes a set of files, all or none: temporary file beside the target,
// fsync, a last comparison of the file's SHA-256 with the expected one, rename, fsync of the
// directory. Mode and owner stay; extended attributes do not. The temporary name is derived from
// the target's, so a call that is repeated after a crash cleans up what the first one left.
//
// # Processes
//
// [Run] starts a program in its own session with an environment built by
// [Environment], the input it is given and bounded output, and leaves nothing
// running: the process group is killed at the time limit, on cancellation and
// after a normal exit; on Linux, processes that left the group are then found
// by a random marker in their environment, by the output pipe they hold, or as
// descendants. A process that leaves the group, drops its environment,
// redirects its output and is orphaned before the program ends is not found;
// only a PID namespace holds it.
//
// [Workspace.Confine] puts a program into such a namespace and behind walls (bubblewrap, Linux only):
// it writes to the bases and to an empty /tmp, sees no home directory, and cannot reach or make
// protected files. Where that is not possible the error is [ErrNotConfined] and nothing runs.
//
// # Errors
//
// A refusal is a [*DeniedError]: its Error and ModelText never name the allowed directories, its
// OperatorText does. What the file system says is a [*FileError]. Match with [errors.Is] against
// [ErrDenied], [ErrConflict], [ErrTooLarge], [ErrNotRegular], [ErrIsDirectory], [fs.ErrNotExist].
//
// Platforms: complete on Linux; on other Unix systems without the kernel-name check and the search
// for processes that left their group; on Windows also without directory locks, hard-link checks
// and owner keeping.
package sandbox
