package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// maxProtectedScan limits the search for the identities of protected files.
	maxProtectedScan = 200_000
	// protectedFor is how long a finished search is trusted.
	protectedFor = time.Second
)

// protectedFiles remembers which files of the workspace carry a protected name.
type protectedFiles struct {
	mu    sync.Mutex
	when  time.Time
	files map[identity]struct{} // links is zero in the keys
	all   bool                  // the search reached everything
}

// checkHardLinks refuses a file that has a second, protected name.
func (w *Workspace) checkHardLinks(ctx context.Context, p place, info fs.FileInfo) error {
	id := identityOf(info)
	if id.links < 2 {
		return nil
	}
	id.links = 0
	w.protected.mu.Lock()
	defer w.protected.mu.Unlock()
	if w.protected.files == nil || time.Since(w.protected.when) > protectedFor {
		if err := w.findProtected(ctx); err != nil {
			return err
		}
	}
	if _, found := w.protected.files[id]; found {
		return w.deny(p.show, "this file is a hard link to a protected one")
	}
	if !w.protected.all {
		return w.deny(p.show, "this file has several hard links, and the workspace is too large to check whether one is "+
			"protected")
	}
	return nil
}

// findProtected collects the identities of all files with a protected name in the bases and in
// the engine's folders. The caller holds the lock.
func (w *Workspace) findProtected(ctx context.Context) error {
	found := map[identity]struct{}{}
	left := maxProtectedScan
	for _, b := range w.bases {
		if err := scan(ctx, b.real, found, &left, func(name string) bool {
			rel, ok := below(b.real, name)
			return ok && w.names.hit(b.folded, rel)
		}); err != nil {
			return err
		}
	}
	for _, folder := range w.engine {
		if err := scan(ctx, folder, found, &left, func(string) bool { return true }); err != nil {
			return err
		}
	}
	w.protected.files, w.protected.all, w.protected.when = found, left > 0, time.Now()
	return nil
}

// scan walks dir without following links, for the files that count. It only looks at identities, so it
// may use plain paths.
func scan(ctx context.Context, dir string, found map[identity]struct{}, left *int,
	counts func(name string) bool) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if *left--; *left <= 0 {
			return filepath.SkipAll
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				*left = 0 // what cannot be looked at may hold the other name
			}
			return nil
		}
		if !d.Type().IsRegular() || !counts(name) {
			return nil
		}
		if info, err := os.Lstat(name); err == nil {
			id := identityOf(info)
			id.links = 0
			found[id] = struct{}{}
		}
		return nil
	})
}
