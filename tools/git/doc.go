// Package git shows what changed in a repository. It runs git in such a way that no program configured by the
// repository is run.
//
// A repository can configure programs: hooks, file system monitors, external diffs, text converters, content
// filters, aliases, transports, pagers. Therefore this package never lets a git command that writes read the
// repository's configuration. Revisions are resolved with monitors, hooks and transports switched off. The diff then
// runs in a private administrative folder that borrows the repository's objects and index and has its own
// configuration, into which only harmless settings for line ends and file names are copied. Attributes of the
// repository may name drivers and filters, but none is defined. Submodules are not entered. The user's and the
// system's configuration are not read either.
//
// Caller input never becomes an option: revisions are checked and resolved to hashes, and paths are literal and
// follow "--". The .git file of a worktree or submodule is followed to its administrative folder only if that
// folder points back. A repository that borrows objects from elsewhere, through alternates or links, is rejected.
//
// Because filters do not run, a touched file under a content filter such as LFS is compared as it is in the
// working tree, not as the filter would store it.
//
// A failure that a model can understand is a [*Problem]. Git must be 2.24 or newer.
package git
