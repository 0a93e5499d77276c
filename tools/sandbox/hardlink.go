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
	// protectedFor is how long the result of a search is used.
	protectedFor = time.Second
)

// protectedFiles caches which files of the workspace have a protected name.
type protectedFiles struct {
	mu    sync.Mutex
	when  time.Time
	files map[identity]struct{} // the keys have links set to zero
	all   bool                  // the search was complete
}

// checkHardLinks rejects a file that also has a protected name.
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

// findProtected collects the identities of all files with a protected name in the bases and in the engine's
// folders. The caller must hold the lock.
func (w *Workspace) findProtected(ctx context.Context) error {
	found := map[identity]struct{}{}
	left := maxProtectedScan
	for _, b := range w.bases {
		if err := scan(ctx, b.real, found, &left, func(name string) bool {
			rel, ok := below(b.real, name)
			return ok && (w.names.hit(b.folded, rel) || gitSecret(b.root, filepath.ToSlash(rel)))
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

// scan walks dir without following links and collects the identities of the files for which counts returns true.
// It reads no content, so it may use plain paths.
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
				*left = 0 // a folder that cannot be read may hold the other name
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
