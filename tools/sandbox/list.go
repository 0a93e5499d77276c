package sandbox

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// EntryKind is the kind of a directory entry. Zero is invalid.
type EntryKind uint8

const (
	// KindFile is a regular file.
	KindFile EntryKind = iota + 1
	// KindDirectory is a directory.
	KindDirectory
	// KindLink is a symbolic link. It is listed but not followed.
	KindLink
	// KindOther is a pipe, socket or device.
	KindOther
)

// String returns the name of the kind in listings.
func (k EntryKind) String() string {
	switch k {
	case KindFile:
		return "file"
	case KindDirectory:
		return "dir"
	case KindLink:
		return "link"
	case KindOther:
		return "other"
	}
	return "invalid"
}

// Entry is one directory entry.
type Entry struct {
	Path  string // as tools show it
	Name  string // last element of the path
	Kind  EntryKind
	Size  int64 // bytes of a regular file, else 0
	Depth int   // 1 for entries of the directory where a walk began
	// Modified is when a regular file was last written. It is zero unless sizes were requested.
	Modified time.Time
	// Changed is when a regular file's content, name or mode last changed, according to the system. Unlike
	// Modified, programs cannot set it. It is zero if it was not read.
	Changed time.Time
	// Mode holds the permission bits of a regular file. It is zero unless sizes were requested.
	Mode fs.FileMode
	// Target is the target of a link, as tools show it, or a phrase in parentheses if tools may not show it.
	Target string
}

// Values of Entry.Target for links whose target may not be shown.
const (
	TargetOutside   = "(outside the workspace)"
	TargetProtected = "(protected)"
	TargetUnknown   = "(unreadable)"
)

// Listing is the content of a directory.
type Listing struct {
	Entries   []Entry // sorted by name
	Protected int     // number of entries left out because of their names
	Truncated bool    // the directory has more entries than the limit
}

// maxDirectoryEntries limits the entries read from one directory.
const maxDirectoryEntries = 100_000

// List returns the entries of one directory, without protected ones.
func (w *Workspace) List(ctx context.Context, name string) (Listing, error) {
	p, err := w.locate(name)
	if err != nil {
		return Listing{}, err
	}
	root, listing, err := w.list(ctx, p, 1, true)
	if err != nil {
		return Listing{}, err
	}
	return listing, root.Close()
}

// list returns the entries of the folder p, and the opened folder, which the caller must close.
func (w *Workspace) list(ctx context.Context, p place, depth int, sizes bool) (*os.Root, Listing, error) {
	if err := ctx.Err(); err != nil {
		return nil, Listing{}, err
	}
	root, dir, err := w.openFolder(p)
	if err != nil {
		return nil, Listing{}, err
	}
	defer dir.Close()
	if !sizes {
		quick := withoutRoot(dir)
		defer quick.Close()
		dir = quick
	}
	listing, err := w.entries(ctx, p, root, dir, depth, sizes)
	if err != nil {
		_ = root.Close()
		return nil, Listing{}, err
	}
	return root, listing, nil
}

func (w *Workspace) entries(ctx context.Context, p place, root *os.Root, dir *os.File, depth int, sizes bool) (Listing,
	error) {
	found, err := dir.ReadDir(maxDirectoryEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return Listing{}, fileError(p.show, err)
	}
	out := Listing{Truncated: len(found) > maxDirectoryEntries}
	found = found[:min(len(found), maxDirectoryEntries)]
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	out.Entries = make([]Entry, 0, len(found))
	folded := p.folded()
	for _, d := range found {
		if err := ctx.Err(); err != nil {
			return Listing{}, err
		}
		if w.names.hitName(folded, d.Name()) || gitSecret(root, d.Name()) {
			out.Protected++
			continue
		}
		if entry, ok := w.entry(p.child(root, d.Name()), d, depth, sizes); ok {
			out.Entries = append(out.Entries, entry)
		}
	}
	return out, nil
}

// entry describes a directory entry. It returns false if the entry no longer exists.
func (w *Workspace) entry(p place, d fs.DirEntry, depth int, sizes bool) (Entry, bool) {
	entry := Entry{Path: p.show, Name: d.Name(), Kind: kindOf(d.Type()), Depth: depth}
	switch {
	case entry.Kind == KindLink:
		entry.Target = w.target(p)
	case sizes && entry.Kind == KindFile:
		info, err := d.Info()
		if err != nil {
			return Entry{}, false
		}
		entry = entryOf(p, info, depth)
	}
	return entry, true
}

// target returns the target of a link as written in the link. The target need not exist.
func (w *Workspace) target(p place) string {
	in, name := p.opener()
	target, err := in.Readlink(name)
	if err != nil {
		return TargetUnknown
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(p.abs()), target)
	}
	if formProblem(target, runtime.GOOS) != "" {
		return TargetUnknown
	}
	to, err := w.place(target, filepath.Clean(target))
	var denied *DeniedError
	switch {
	case err == nil:
		return to.show
	case errors.As(err, &denied) && denied.Reason == protectedName:
		return TargetProtected
	}
	return TargetOutside
}

func entryOf(p place, info fs.FileInfo, depth int) Entry {
	e := Entry{Path: p.show, Name: path.Base(p.show), Kind: kindOf(info.Mode()), Depth: depth}
	if e.Kind == KindFile {
		e.Size, e.Modified, e.Changed, e.Mode = info.Size(), info.ModTime(), changeTime(info), info.Mode().Perm()
	}
	return e
}

func kindOf(mode fs.FileMode) EntryKind {
	switch {
	case mode.IsRegular():
		return KindFile
	case mode.IsDir():
		return KindDirectory
	case mode&fs.ModeSymlink != 0:
		return KindLink
	}
	return KindOther
}

// Limits of a walk. They apply if a field of WalkOptions is zero, and they are also the maximum.
const (
	DefaultWalkDepth   = 64
	DefaultWalkEntries = 200_000
)

// WalkOptions configures a walk.
type WalkOptions struct {
	MaxDepth   int  // levels below the starting directory
	MaxEntries int  // entries visited
	Gitignore  bool // leave out what .gitignore files exclude, and every .git folder
	NoSizes    bool // leave Entry.Size zero if that saves a stat call
	// Ignored, if set, is called for entries that .gitignore files exclude, but not for entries inside them.
	Ignored func(Entry)
}

// WalkStats counts what a walk visited and left out.
type WalkStats struct {
	Visited   int  // entries passed to the visitor
	Ignored   int  // entries excluded by .gitignore, not counting the content of ignored folders
	Protected int  // entries left out because of their names, not counting their content
	Truncated bool // the walk ended early at the limit on entries
	Unread    int  // folders that could not be opened
	// LeftOut counts the ignored and protected entries per folder.
	LeftOut map[string]int
}

// walker is the state of one walk.
type walker struct {
	w     *Workspace
	opts  WalkOptions
	visit func(Entry) error
	stats WalkStats
}

// Walk visits everything below a directory, parents before children and sorted by name. It leaves out protected
// entries and does not follow links. The visitor returns fs.SkipDir to skip the content of a directory,
// fs.SkipAll to end the walk, or another error to fail it.
func (w *Workspace) Walk(ctx context.Context, name string, opts WalkOptions, visit func(Entry) error) (WalkStats,
	error) {
	p, err := w.locate(name)
	if err != nil {
		return WalkStats{}, err
	}
	opts.MaxDepth = within(opts.MaxDepth, DefaultWalkDepth)
	opts.MaxEntries = within(opts.MaxEntries, DefaultWalkEntries)
	k := &walker{w: w, opts: opts, visit: visit, stats: WalkStats{LeftOut: map[string]int{}}}
	var rules *ignoreRules
	if opts.Gitignore {
		rules = w.rulesAbove(ctx, p)
	}
	err = k.directory(ctx, p, 1, rules)
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return k.stats, err
}

func within(asked, most int) int {
	if asked <= 0 {
		return most
	}
	return min(asked, most)
}

func (k *walker) directory(ctx context.Context, p place, depth int, rules *ignoreRules) error {
	root, found, err := k.w.list(ctx, p, depth, !k.opts.NoSizes)
	if err != nil {
		if depth == 1 || ctx.Err() != nil {
			return err
		}
		k.stats.Unread++
		return nil
	}
	defer root.Close()
	k.stats.Truncated = k.stats.Truncated || found.Truncated
	k.stats.Protected += found.Protected
	k.leaveOut(p, found.Protected)
	if k.opts.Gitignore && slices.ContainsFunc(found.Entries, func(e Entry) bool { return e.Name == ignoreFile }) {
		rules = k.w.rulesOf(ctx, p, root, rules)
	}
	for _, e := range found.Entries {
		if err := k.entry(ctx, p, root, e, rules); err != nil {
			return err
		}
	}
	return nil
}

func (k *walker) leaveOut(dir place, n int) {
	if n > 0 {
		k.stats.LeftOut[dir.show] += n
	}
}

func (k *walker) entry(ctx context.Context, dir place, root *os.Root, e Entry, rules *ignoreRules) error {
	p := dir.child(root, e.Name)
	if k.opts.Gitignore && (e.Name == ".git" || rules.ignores(p.rel, e.Kind == KindDirectory)) {
		if k.stats.Ignored++; k.opts.Ignored != nil {
			k.opts.Ignored(e)
		}
		k.leaveOut(dir, 1)
		return nil
	}
	if k.stats.Visited == k.opts.MaxEntries {
		k.stats.Truncated = true
		return fs.SkipAll
	}
	k.stats.Visited++
	err := k.visit(e)
	switch {
	case errors.Is(err, fs.SkipDir):
		return nil
	case err != nil:
		return err
	case e.Kind != KindDirectory || e.Depth >= k.opts.MaxDepth:
		return nil
	}
	return k.directory(ctx, p, e.Depth+1, rules)
}
