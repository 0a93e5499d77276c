package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"manualslop/tools/sandbox"
)

// young is the age from which an unchanged modification time proves that a file did not change.
const young = 2 * time.Second

// Keeper records states of one workspace. It is safe for concurrent use.
type Keeper struct {
	store *Store

	mu    sync.Mutex
	files map[string]file // as last seen
}

// file is the last seen state of a file.
type file struct {
	size     int64
	modified time.Time
	changed  time.Time // the file's change time, which scripts cannot set; zero if unknown
	seen     time.Time
	digest   string      // empty if the content cannot be kept
	mode     fs.FileMode // permission bits
	link     string      // target of a link
}

// Take checks every file of the workspace. Every call must pass the same workspace. Release the state after use.
func (k *Keeper) Take(ctx context.Context, workspace *sandbox.Workspace) (*State, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := &State{store: k.store, files: map[string]file{}, hidden: map[string]bool{}, Whole: true}
	room := k.store.maxBytes
	options := sandbox.WalkOptions{Gitignore: true, MaxEntries: 4 * k.store.maxFiles, Ignored: func(e sandbox.Entry) {
		s.hidden[e.Path] = true
	}}
	stats, err := workspace.Walk(ctx, ".", options, func(e sandbox.Entry) error {
		switch {
		case e.Kind == sandbox.KindLink:
			s.files[e.Path] = file{link: e.Target} // a change to it is noticed but cannot be undone
			return nil
		case e.Kind == sandbox.KindDirectory && e.Depth == sandbox.DefaultWalkDepth:
			s.Whole = false
			return nil
		case e.Kind != sandbox.KindFile:
			return nil
		}
		if len(s.files) >= k.store.maxFiles {
			s.Whole = false
			return fs.SkipAll
		}
		f, err := k.look(ctx, workspace, e)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was deleted in the meantime
		}
		if err != nil {
			return err
		}
		s.files[e.Path] = f
		if f.digest == "" {
			return nil // does not count as a file
		}
		if room -= e.Size; room < 0 {
			s.Whole = false
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		s.Release() // releases copies that are no longer needed
		return nil, fmt.Errorf("scan the workspace: %w", err)
	}
	s.Whole = s.Whole && !stats.Truncated && stats.Unread == 0
	k.adopt(s)
	return s, nil
}

// look returns the current state of a file. Its content is kept for the given state.
func (k *Keeper) look(ctx context.Context, workspace *sandbox.Workspace, e sandbox.Entry) (file, error) {
	now := k.store.clock()
	f := file{size: e.Size, modified: e.Modified, changed: e.Changed, seen: now, mode: e.Mode}
	if old, known := k.files[e.Path]; known && old.asOf(f) && old.seen.Sub(old.modified) > young &&
		old.seen.Sub(old.changed) > young {
		k.store.use(old.digest)
		old.mode = e.Mode // a changed mode does not show in the times
		return old, nil
	}
	content, err := workspace.ReadFile(ctx, e.Path)
	if errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
		return f, err
	}
	if err != nil {
		return f, nil // too large or unreadable: a change to it is noticed but cannot be undone
	}
	f.digest = content.SHA256
	return f, k.store.keep(content)
}

// adopt makes s the last seen state, and releases contents that only the previous one used.
func (k *Keeper) adopt(s *State) {
	old := k.files
	k.files = s.files
	for _, f := range s.files { // order-independent: only sums
		k.store.use(f.digest)
	}
	k.store.drop(old)
}

// Forget releases the last seen state, so the next Take reads every file again. Existing states stay valid.
func (k *Keeper) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.store.drop(k.files)
	k.files = map[string]file{}
}
