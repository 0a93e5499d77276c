package sandbox

import (
	"context"
	"os"
	"runtime"
	"strings"
)

// Folder is an open directory of a workspace. It reads many files of the directory without going the way
// to it anew for each. It is not safe for concurrent use.
type Folder struct {
	w      *Workspace
	at     place
	folded foldedFolder
	root   *os.Root
}

// OpenFolder opens a directory through the gate. The caller closes it.
func (w *Workspace) OpenFolder(name string) (*Folder, error) {
	p, err := w.locate(name)
	if err != nil {
		return nil, err
	}
	root, dir, err := w.openFolder(p)
	if err != nil {
		return nil, err
	}
	_ = dir.Close()
	return &Folder{w: w, at: p, folded: p.folded(), root: root}, nil
}

// Close releases the directory.
func (f *Folder) Close() { _ = f.root.Close() }

// ReadFile is Workspace.ReadFile for a name in the folder, without the digest, into the buffer where that
// has room. The data are never nil. Where the folder's handle leads to no such file, the path decides: the
// folder may have been replaced.
func (f *Folder) ReadFile(ctx context.Context, name string, buffer []byte) ([]byte, error) {
	if formProblem(name, runtime.GOOS) == "" && !strings.ContainsAny(name, `/\`) &&
		!f.w.names.hitName(f.folded, name) {
		if data, _, err := f.w.content(ctx, f.at.child(f.root, name), buffer); err == nil {
			return data, nil
		}
	}
	p, err := f.w.locate(joined(f.at.show, name))
	if err != nil {
		return nil, err
	}
	data, _, err := f.w.content(ctx, p, buffer)
	return data, err
}
