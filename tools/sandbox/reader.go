package sandbox

import (
	"context"
	"os"
	"path"
	"runtime"
	"strings"
)

// Reader reads files of a workspace one after another. It keeps the folder of the last file open, so that the
// path to a folder is resolved only once for many files in it. It is not safe for concurrent use.
type Reader struct {
	w      *Workspace
	folder string // the folder path as given
	at     place
	folded foldedFolder
	root   *os.Root // the open folder; nil if none is open
}

// Reader returns a Reader, which the caller must close.
func (w *Workspace) Reader() *Reader { return &Reader{w: w} }

// Close closes the open folder.
func (r *Reader) Close() {
	if r.root != nil {
		_ = r.root.Close()
		r.root = nil
	}
}

// ReadFile is like Workspace.ReadFile without the digest, and reads into buffer if it has enough capacity. If the
// file is not found through the open folder, its full path is used, because the folder may have been replaced.
func (r *Reader) ReadFile(ctx context.Context, name string, buffer []byte) (File, error) {
	folder, last := path.Split(name)
	if r.root == nil || folder != r.folder {
		r.Close()
		r.open(folder)
	}
	if r.root != nil && formProblem(name, runtime.GOOS) == "" && !strings.Contains(name, `\`) && last != "." &&
		last != ".." && !r.w.names.hitName(r.folded, last) && !gitSecret(r.root, last) {
		p := r.at.child(r.root, last)
		if data, info, err := r.w.content(ctx, p, buffer); err == nil {
			return fileOf(p, data, info), nil
		}
	}
	p, err := r.w.locate(name)
	if err != nil {
		return File{}, err
	}
	data, info, err := r.w.content(ctx, p, buffer)
	if err != nil {
		return File{}, err
	}
	return fileOf(p, data, info), nil
}

// open opens a folder if possible.
func (r *Reader) open(folder string) {
	p, err := r.w.locate(path.Clean(folder))
	if err != nil {
		return
	}
	root, dir, err := r.w.openFolder(p)
	if err != nil {
		return
	}
	_ = dir.Close()
	r.folder, r.at, r.folded, r.root = folder, p, p.folded(), root
}
