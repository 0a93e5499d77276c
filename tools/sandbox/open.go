package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// kind is the kind of file that an open requires.
type kind uint8

const (
	wantFile kind = iota + 1
	wantDirectory
)

// open runs step 5 of the checks. The caller must close the file.
func (w *Workspace) open(p place, want kind) (*os.File, fs.FileInfo, error) {
	in, name := p.opener()
	if err := w.look(p, want); err != nil {
		return nil, nil, err
	}
	f, err := in.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, w.explain(p, err)
	}
	info, err := w.inspect(p, f, want)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// openFolder opens a directory to list it and to open its entries: dir lists them, and root opens them without
// resolving the path from the base again. The caller must close both.
func (w *Workspace) openFolder(p place) (root *os.Root, dir *os.File, err error) {
	in, name := p.opener()
	if err := w.look(p, wantDirectory); err != nil {
		return nil, nil, err
	}
	if root, err = in.OpenRoot(name); err != nil {
		return nil, nil, w.explain(p, err)
	}
	if dir, err = root.Open("."); err != nil {
		_ = root.Close()
		return nil, nil, w.explain(p, err)
	}
	if _, err = w.inspect(p, dir, wantDirectory); err != nil {
		_, _ = dir.Close(), root.Close()
		return nil, nil, err
	}
	return root, dir, nil
}

// look checks the kind of file at a place before it is opened. For an entry of an open folder, the kind is known
// from the listing and is checked after the open.
func (w *Workspace) look(p place, want kind) error {
	if p.in != nil {
		return nil
	}
	in, name := p.opener()
	info, err := in.Lstat(name)
	if err != nil {
		return w.explain(p, err)
	}
	return w.checkKind(p, info, want)
}

// inspect checks the opened file.
func (w *Workspace) inspect(p place, f *os.File, want kind) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fileError(p.show, err)
	}
	if err := w.checkKind(p, info, want); err != nil {
		return nil, err
	}
	if err := w.checkRealName(p, f, info); err != nil {
		return nil, err
	}
	return info, nil
}

func (w *Workspace) checkKind(p place, info fs.FileInfo, want kind) error {
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0:
		return w.denyLink(p, p.rel)
	case mode.IsDir() && want == wantFile:
		return &FileError{Path: p.show, Problem: "is a directory", Err: ErrIsDirectory}
	case mode.IsDir():
		return nil
	case !mode.IsRegular():
		return &FileError{Path: p.show, Problem: "is not a regular file", Err: ErrNotRegular}
	case want == wantDirectory:
		return &FileError{Path: p.show, Problem: "is a file, not a directory", Err: ErrNotRegular}
	}
	return nil
}

// checkRealName compares the kernel's name for the handle with the expected one. This detects a link anywhere in
// the path, even one created after the checks.
func (w *Workspace) checkRealName(p place, f *os.File, info fs.FileInfo) error {
	real := kernelName(f)
	if real == "" {
		return w.checkByLooking(p, info)
	}
	if rest, cut := strings.CutSuffix(real, deletedSuffix); cut && replaced(f) {
		real = rest
	}
	if real == p.abs() {
		return nil
	}
	if link, found := linkIn(p.base.root, p.rel); found {
		return w.denyLink(p, link)
	}
	return w.deny(p.show, "the open file is not the one at this path")
}

// replaced reports whether the file has lost its name since it was opened, as happens when a writer renames a new
// file over it.
func replaced(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && identityOf(info).links == 0
}

// checkByLooking is the weaker check for systems on which the kernel does not report the name of a handle.
func (w *Workspace) checkByLooking(p place, info fs.FileInfo) error {
	if link, found := linkIn(p.base.root, p.rel); found {
		return w.denyLink(p, link)
	}
	now, err := p.base.root.Lstat(filepath.FromSlash(p.rel))
	if err != nil || !os.SameFile(now, info) {
		return w.deny(p.show, "the file was replaced while it was being opened; try again")
	}
	return nil
}

// explain returns the error for a failed open. If the path contains a link, the error says so, whatever the
// system reported.
func (w *Workspace) explain(p place, err error) error {
	if link, found := linkIn(p.base.root, p.rel); found {
		return w.denyLink(p, link)
	}
	return fileError(p.show, err)
}

func (w *Workspace) denyLink(p place, link string) error {
	return w.deny(p.show, visible(link)+" is a symbolic link, and links are not followed ([mcp] allow_symlinks)")
}

// File is the content of a regular file with its metadata.
type File struct {
	Path    string      // as tools show it: relative to the primary directory if inside it
	Data    []byte      // never nil
	Mode    fs.FileMode // permission bits
	SHA256  string      // lower-case hex of Data
	ModTime time.Time
}

// Digest returns the lower-case hex SHA-256 of data.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ReadFile reads one regular file after all checks. It fails with ErrTooLarge if the file is over the size limit.
func (w *Workspace) ReadFile(ctx context.Context, name string) (File, error) {
	p, err := w.locate(name)
	if err != nil {
		return File{}, err
	}
	return w.read(ctx, p)
}

func (w *Workspace) read(ctx context.Context, p place) (File, error) {
	data, info, err := w.content(ctx, p, nil)
	if err != nil {
		return File{}, err
	}
	file := fileOf(p, data, info)
	file.SHA256 = Digest(data)
	return file, nil
}

// fileOf returns a File without its digest.
func fileOf(p place, data []byte, info fs.FileInfo) File {
	return File{Path: p.show, Data: data, Mode: info.Mode().Perm(), ModTime: info.ModTime()}
}

// content reads a regular file, into buffer if it has enough capacity. The data is never nil.
func (w *Workspace) content(ctx context.Context, p place, buffer []byte) ([]byte, fs.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	f, info, err := w.open(p, wantFile)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > w.maxBytes {
		return nil, nil, tooLarge(p.show, info.Size(), w.maxBytes)
	}
	if err := w.checkHardLinks(ctx, p, info); err != nil {
		return nil, nil, err
	}
	if int64(cap(buffer)) <= info.Size() {
		buffer = make([]byte, info.Size()+1)
	}
	data, err := readAll(f, buffer[:info.Size()+1], w.maxBytes+1)
	if err != nil {
		return nil, nil, fileError(p.show, err)
	}
	if int64(len(data)) > w.maxBytes {
		return nil, nil, tooLarge(p.show, int64(len(data)), w.maxBytes)
	}
	return data, info, nil
}

// readAll reads up to most bytes of a file. The buffer has one byte more than the size of the file when it was
// opened, so if the first read returns exactly that size, it has reached the end.
func readAll(f *os.File, data []byte, most int64) ([]byte, error) {
	n, err := f.Read(data)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case n == len(data)-1:
		return data[:n], nil
	}
	rest, err := io.ReadAll(io.LimitReader(f, most-int64(n)))
	return append(data[:n], rest...), err
}

// Stat describes a file, directory or rejected link without opening it. The entry's Path is as tools show it.
func (w *Workspace) Stat(name string) (Entry, error) {
	p, err := w.locate(name)
	if err != nil {
		return Entry{}, err
	}
	info, err := p.base.root.Lstat(filepath.FromSlash(p.rel))
	if err != nil {
		return Entry{}, w.explain(p, err)
	}
	if link, found := linkIn(p.base.root, p.rel); found && link != p.rel {
		return Entry{}, w.denyLink(p, link)
	}
	return entryOf(p, info, 0), nil
}
