package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"path/filepath"
	"time"
)

// File is a regular file as it was read.
type File struct {
	Path    string      // as tools show it: relative to the primary directory where it is inside
	Data    []byte      // never nil
	Mode    fs.FileMode // permission bits
	SHA256  string      // lower-case hex of Data
	ModTime time.Time
}

// Digest is the lower-case hex SHA-256 of data.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ReadFile reads one regular file through the gate. It fails with ErrTooLarge over the size limit.
func (w *Workspace) ReadFile(ctx context.Context, name string) (File, error) {
	p, err := w.locate(name)
	if err != nil {
		return File{}, err
	}
	return w.read(ctx, p)
}

func (w *Workspace) read(ctx context.Context, p place) (File, error) {
	if err := ctx.Err(); err != nil {
		return File{}, err
	}
	f, info, err := w.open(p, wantFile)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	if info.Size() > w.maxBytes {
		return File{}, tooLarge(p.show, info.Size(), w.maxBytes)
	}
	if err := w.checkHardLinks(ctx, p, info); err != nil {
		return File{}, err
	}
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead) // the size may change while it is read
	if _, err := content.ReadFrom(io.LimitReader(f, w.maxBytes+1)); err != nil {
		return File{}, fileError(p.show, err)
	}
	data := content.Bytes()
	if int64(len(data)) > w.maxBytes {
		return File{}, tooLarge(p.show, int64(len(data)), w.maxBytes)
	}
	return File{
		Path: p.show, Data: data, Mode: info.Mode().Perm(), SHA256: Digest(data), ModTime: info.ModTime(),
	}, nil
}

// Stat describes a file, directory or refused link without opening it. The entry's Path is what
// tools show.
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
