// Package git shows what changed in a repository, running git so that nothing runs that the
// repository configures.
//
// A repository can name programs: hooks, file system monitors, external diffs,
// text converters, content filters, aliases, transports, pagers. So no git that
// writes reads its configuration here. Revisions are resolved with the
// monitors, hooks and transports switched off. The diff then runs in a private
// administrative folder that borrows the repository's objects and index and has
// its own configuration, into which only harmless words about line ends and
// file names are copied. Attributes of the repository may name drivers and
// filters, but none is defined. Submodules are not entered. The person's and
// the system's configuration are not read either.
//
// Nothing that a caller gives becomes an option: revisions are checked and resolved to hashes,
// paths are literal and follow "--". A file of a worktree or submodule is followed to its
// administrative folder only where that folder points back. A repository with objects from elsewhere, by
// alternates or links, is refused.
//
// Because filters do not run, a file under a content filter such as LFS that was touched is
// compared as it is, not as the filter would store it.
//
// A failure that a model can understand is a [*Problem]. Git must be 2.24 or newer.
package git
