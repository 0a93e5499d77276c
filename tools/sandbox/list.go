package sandbox

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
}

// maxDirectoryEntries bounds the names read from one directory.
const maxDirectoryEntries = 100_000

// List gives the entries of one directory in order of their names, without the protected ones.
// truncated tells that the directory holds more names than the limit.
func (w *Workspace) List(ctx context.Context, name string) (entries []Entry, truncated bool, err error) {
	p, err := w.locate(name)
	if err != nil {
		return nil, false, err
	}
	return w.list(ctx, p, 1, true)
}

func (w *Workspace) list(ctx context.Context, p place, depth int, sizes bool) ([]Entry, bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	dir, _, err := w.open(p, wantDirectory)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	found, err := dir.ReadDir(maxDirectoryEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, fileError(p.show, err)
	}
	truncated := len(found) > maxDirectoryEntries
	found = found[:min(len(found), maxDirectoryEntries)]
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	entries := make([]Entry, 0, len(found))
	for _, d := range found {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		child, ok := w.child(p, d.Name())
		if !ok {
			continue
		}
		entry := Entry{Path: child.show, Name: d.Name(), Kind: kindOf(d.Type()), Depth: depth}
		if sizes && entry.Kind == KindFile {
			info, err := p.base.root.Lstat(filepath.FromSlash(child.rel))
			if err != nil {
				continue
			}
			entry = entryOf(child, info, depth)
		}
		entries = append(entries, entry)
	}
	return entries, truncated, nil
}

func entryOf(p place, info fs.FileInfo, depth int) Entry {
	e := Entry{Path: p.show, Name: path.Base(p.show), Kind: kindOf(info.Mode()), Depth: depth}
	if e.Kind == KindFile {
		e.Size = info.Size()
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
