package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// DefaultPatience is how long Lock waits for another writer.
	DefaultPatience = 30 * time.Second
	// lockPause is the time between two attempts to lock.
	lockPause = 2 * time.Millisecond
)

// Guard holds the locks for a set of files. Release it after use. It is not safe for concurrent use.
type Guard struct {
	w     *Workspace
	files map[string]place // keyed by absolute path
	dirs  []*os.File
}

// Lock waits until it holds the locks for the given files. The locks are advisory and held on the parent
// directories (on the nearest one that exists). They exclude other users of this package in all processes on a
// local file system, but not editors and shells. It fails with ErrBusy after Config.Patience. A goroutine must
// not hold two guards.
func (w *Workspace) Lock(ctx context.Context, names ...string) (*Guard, error) {
	g := &Guard{w: w, files: map[string]place{}}
	dirs := map[string]place{}
	for _, name := range names {
		p, err := w.locate(name)
		if err != nil {
			return nil, err
		}
		g.files[p.abs()] = p
		dir, err := w.existing(p)
		if err != nil {
			return nil, err
		}
		dirs[dir.abs()] = dir
	}
	sorted := make([]string, 0, len(dirs))
	for dir := range dirs {
		sorted = append(sorted, dir)
	}
	slices.Sort(sorted)
	ctx, cancel := context.WithTimeoutCause(ctx, w.patience, ErrBusy)
	defer cancel()
	for _, name := range sorted {
		if err := g.lock(ctx, dirs[name]); err != nil {
			g.Release()
			return nil, err
		}
	}
	return g, nil
}

// existing returns the nearest parent of p that exists.
func (w *Workspace) existing(p place) (place, error) {
	for p.rel != "." {
		p = w.parent(p)
		_, err := p.base.root.Lstat(filepath.FromSlash(p.rel))
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return place{}, w.explain(p, err)
		}
	}
	return p, nil
}

func (g *Guard) lock(ctx context.Context, p place) error {
	dir, _, err := g.w.open(p, wantDirectory)
	if err != nil {
		return err
	}
	for {
		ok, err := tryLock(dir)
		if ok {
			g.dirs = append(g.dirs, dir)
			return nil
		}
		if err != nil {
			return errors.Join(fileError(p.show, err), dir.Close())
		}
		select {
		case <-ctx.Done():
			_ = dir.Close()
			if cause := context.Cause(ctx); errors.Is(cause, ErrBusy) {
				return &FileError{Path: p.show, Problem: "another writer holds this folder; try again", Err: ErrBusy}
			}
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// Release releases the locks. Calls after the first do nothing.
func (g *Guard) Release() {
	for _, dir := range g.dirs {
		_ = dir.Close()
	}
	g.dirs, g.files = nil, nil
}

// LockFolder waits for an exclusive lock on a folder that models cannot access, and returns a function that
// releases it. The lock works between processes. The system releases it if the process dies.
func LockFolder(ctx context.Context, dir string) (release func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		ok, err := tryLock(f)
		if ok {
			return func() { _ = f.Close() }, nil
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockPause):
		}
	}
}
