package sandbox

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// EntryKind is what a directory entry is. Zero is invalid.
type EntryKind uint8

const (
	// KindFile is a regular file.
	KindFile EntryKind = iota + 1
	// KindDirectory is a directory.
	KindDirectory
	// KindLink is a symbolic link, which is listed and not followed.
	KindLink
	// KindOther is a pipe, socket or device.
	KindOther
)

// String gives the word that listings use.
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

// Entry is one name found in a directory.
type Entry struct {
	Path  string // as tools show it
	Name  string // last element
	Kind  EntryKind
	Size  int64 // bytes of a regular file, else 0
	Depth int   // 1 for the entries of the directory a walk began at
	// Modified is when a regular file was last written; zero where sizes are not asked for.
	Modified time.Time
	// Changed is when the system last noted a change of a regular file's content, name or mode, which no
	// program sets as it sets Modified; zero where the system is not asked for it.
	Changed time.Time
	// Mode are the permission bits of a regular file; zero where sizes are not asked for.
	Mode fs.FileMode
	// Target is where a link leads, as tools show it, or words in parentheses where they may not.
	Target string
}

// What Entry.Target says of links that lead to what tools may not show.
const (
	TargetOutside   = "(outside the workspace)"
	TargetProtected = "(protected)"
	TargetUnknown   = "(unreadable)"
)

// Listing is what a directory holds.
type Listing struct {
	Entries   []Entry // in order of their names
	Protected int     // entries left out because of their names
	Truncated bool    // the directory holds more names than the limit
}

// maxDirectoryEntries bounds the names read from one directory.
const maxDirectoryEntries = 100_000

// List gives the entries of one directory without the protected ones.
func (w *Workspace) List(ctx context.Context, name string) (Listing, error) {
	p, err := w.locate(name)
	if err != nil {
		return Listing{}, err
	}
	return w.list(ctx, p, 1, true)
}

func (w *Workspace) list(ctx context.Context, p place, depth int, sizes bool) (Listing, error) {
	if err := ctx.Err(); err != nil {
		return Listing{}, err
	}
	dir, _, err := w.open(p, wantDirectory)
	if err != nil {
		return Listing{}, err
	}
	defer dir.Close()
	found, err := dir.ReadDir(maxDirectoryEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return Listing{}, fileError(p.show, err)
	}
	out := Listing{Truncated: len(found) > maxDirectoryEntries}
	found = found[:min(len(found), maxDirectoryEntries)]
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	out.Entries = make([]Entry, 0, len(found))
	for _, d := range found {
		if err := ctx.Err(); err != nil {
			return Listing{}, err
		}
		child, ok := w.child(p, d.Name())
		if !ok {
			out.Protected++
			continue
		}
		if entry, ok := w.entry(child, d, depth, sizes); ok {
			out.Entries = append(out.Entries, entry)
		}
	}
	return out, nil
}

// entry describes a name found in a directory. It answers false where the name is gone.
func (w *Workspace) entry(p place, d fs.DirEntry, depth int, sizes bool) (Entry, bool) {
	entry := Entry{Path: p.show, Name: d.Name(), Kind: kindOf(d.Type()), Depth: depth}
	switch {
	case entry.Kind == KindLink:
		entry.Target = w.target(p)
	case sizes && entry.Kind == KindFile:
		info, err := p.base.root.Lstat(filepath.FromSlash(p.rel))
		if err != nil {
			return Entry{}, false
		}
		entry = entryOf(p, info, depth)
	}
	return entry, true
}

// target tells where a link leads by its own words; that there is something is not checked.
func (w *Workspace) target(p place) string {
	target, err := p.base.root.Readlink(filepath.FromSlash(p.rel))
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
