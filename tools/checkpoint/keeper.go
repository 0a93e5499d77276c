package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"manualslop/tools/sandbox"
)

// Bounds of one state.
const (
	// MaxFiles bounds the files of a state.
	MaxFiles = 50_000
	// MaxBytes bounds the contents that are kept of one state.
	MaxBytes = 256 << 20
)

// young is how old a file must be for its time to tell that it did not change.
const young = 2 * time.Second

// Keeper takes states of one workspace. It is safe for concurrent use.
type Keeper struct {
	workspace *sandbox.Workspace
	folder    string
	clock     func() time.Time
	maxFiles  int
	maxBytes  int64

	mu    sync.Mutex
	files map[string]file // as last seen
	uses  map[string]int  // of a content, by states and by files
}

// file is a file as it was last looked at.
type file struct {
	size     int64
	modified time.Time
	seen     time.Time
	digest   string // empty: it cannot be kept
	link     string // where a link leads
}

// New keeps contents in folder, which it empties first: a keeper that ended
// left nothing there that anybody needs.
func New(workspace *sandbox.Workspace, folder string, clock func() time.Time) (*Keeper, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, fmt.Errorf("empty the folder for checkpoints: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for checkpoints: %w", err)
	}
	return &Keeper{workspace: workspace, folder: folder, clock: clock, maxFiles: MaxFiles, maxBytes: MaxBytes,
		files: map[string]file{}, uses: map[string]int{}}, nil
}

// Take looks at every file of the workspace. Release the state after use.
func (k *Keeper) Take(ctx context.Context) (*State, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := &State{keeper: k, files: map[string]file{}, hidden: map[string]bool{}, Whole: true}
	room := k.maxBytes
	options := sandbox.WalkOptions{Gitignore: true, MaxEntries: 4 * k.maxFiles, Ignored: func(e sandbox.Entry) { s.hidden[e.Path] = true }}
	stats, err := k.workspace.Walk(ctx, ".", options, func(e sandbox.Entry) error {
		switch {
		case e.Kind == sandbox.KindLink:
			s.files[e.Path] = file{link: e.Target} // a change of it is noticed and cannot be undone
			return nil
		case e.Kind == sandbox.KindDirectory && e.Depth == sandbox.DefaultWalkDepth:
			s.Whole = false
			return nil
		case e.Kind != sandbox.KindFile:
			return nil
		}
		if len(s.files) >= k.maxFiles || room < e.Size {
			s.Whole = false
			return fs.SkipAll
		}
		f, err := k.look(ctx, e)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went away meanwhile
		}
		if err != nil {
			return err
		}
		if f.digest != "" {
			room -= e.Size
		}
		s.files[e.Path] = f
		return nil
	})
	if err != nil {
		k.count(s.files, 0) // lets go of what was copied in vain
		return nil, fmt.Errorf("look at the workspace: %w", err)
	}
	s.Whole = s.Whole && !stats.Truncated && stats.Unread == 0
	k.adopt(s)
	return s, nil
}

// look is a file as it is now; its content is kept.
func (k *Keeper) look(ctx context.Context, e sandbox.Entry) (file, error) {
	now := k.clock()
	if old, known := k.files[e.Path]; known && old.size == e.Size && old.modified.Equal(e.Modified) && old.seen.Sub(old.modified) > young {
		return old, nil
	}
	f := file{size: e.Size, modified: e.Modified, seen: now}
	content, err := k.workspace.ReadFile(ctx, e.Path)
	if errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
		return f, err
	}
	if err != nil {
		return f, nil // too large or not to be read: a change of it is noticed and cannot be undone
	}
	f.digest = content.SHA256
	return f, k.keep(content)
}

// keep copies a content unless it is here.
func (k *Keeper) keep(content sandbox.File) error {
	path := k.path(content.SHA256)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	temporary := path + ".new" // a full disk must not leave a part under the digest of the whole
	err := os.WriteFile(temporary, content.Data, 0o600)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep the content of %s: %w", content.Path, err), os.RemoveAll(temporary))
	}
	return nil
}

// adopt makes a state the last one seen, and lets go of what only the one before had.
func (k *Keeper) adopt(s *State) {
	old := k.files
	k.files = s.files
	k.count(s.files, 2) // for the state and for what was last seen
	k.count(old, -1)
}

// count adds to the uses of contents; one without a use is removed.
func (k *Keeper) count(files map[string]file, by int) {
	// order-independent: sums
	for _, f := range files {
		if f.digest == "" {
			continue
		}
		k.uses[f.digest] += by
		if k.uses[f.digest] <= 0 {
			delete(k.uses, f.digest)
			_ = os.Remove(k.path(f.digest)) // one that stays is overwritten or emptied with the folder
		}
	}
}

func (k *Keeper) path(digest string) string { return filepath.Join(k.folder, digest) }
