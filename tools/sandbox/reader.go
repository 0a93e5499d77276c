package sandbox

import (
	"context"
	"os"
	"path"
	"runtime"
	"strings"
)

// Reader reads files of a workspace one after the other. It keeps the folder of the last one open, so that
// many files of a folder cost the way to it once. It is not safe for concurrent use.
type Reader struct {
	w      *Workspace
	folder string // as its path was given
	at     place
	folded foldedFolder
	root   *os.Root // of the folder; nil: none is open
}

// Reader gives a reader, which the caller closes.
func (w *Workspace) Reader() *Reader { return &Reader{w: w} }

// Close releases the folder.
func (r *Reader) Close() {
	if r.root != nil {
		_ = r.root.Close()
		r.root = nil
	}
}

// ReadFile is Workspace.ReadFile without the digest, into the buffer where that has room. Where the open
// folder does not lead to the file, its path decides: the folder may have been replaced.
func (r *Reader) ReadFile(ctx context.Context, name string, buffer []byte) (File, error) {
	folder, last := path.Split(name)
	if r.root == nil || folder != r.folder {
		r.Close()
		r.open(folder)
	}
	if r.root != nil && formProblem(name, runtime.GOOS) == "" && !strings.Contains(name, `\`) && last != "." &&
		last != ".." && !r.w.names.hitName(r.folded, last) {
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

// open opens a folder, if it can be.
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
