package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"manualslop/tools/sandbox"
)

// Limits of one state.
const (
	// MaxFiles limits the files of a state.
	MaxFiles = 50_000
	// MaxBytes limits the contents that are kept for one state.
	MaxBytes = 256 << 20
)

// Store keeps contents by digest, each once, for any number of keepers. It is safe for concurrent use.
type Store struct {
	folder   string
	clock    func() time.Time
	maxFiles int
	maxBytes int64

	mu   sync.Mutex
	uses map[string]int // use counts of each content, by states and by the last seen states of keepers
}

// Open creates a store in folder, which it empties first, because the contents
// of earlier stores are no longer needed.
func Open(folder string, clock func() time.Time) (*Store, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, fmt.Errorf("empty the folder for checkpoints: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder for checkpoints: %w", err)
	}
	return &Store{folder: folder, clock: clock, maxFiles: MaxFiles, maxBytes: MaxBytes, uses: map[string]int{}}, nil
}

// Keeper returns a new keeper for one workspace.
func (s *Store) Keeper() *Keeper { return &Keeper{store: s, files: map[string]file{}} }

// keep stores a content, or adds one use if it is already stored.
func (s *Store) keep(content sandbox.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path(content.SHA256)
	if s.uses[content.SHA256] == 0 {
		temporary := path + ".new" // a full disk must not leave partial content under the digest
		err := os.WriteFile(temporary, content.Data, 0o600)
		if err == nil {
			err = os.Rename(temporary, path)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("keep the content of %s: %w", content.Path, err), os.RemoveAll(temporary))
		}
	}
	s.uses[content.SHA256]++
	return nil
}

// use adds one use of a stored content; the empty digest is ignored.
func (s *Store) use(digest string) {
	if digest == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses[digest]++
}

// drop removes one use of each file's content; unused content is deleted.
func (s *Store) drop(files map[string]file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// order-independent: only sums
	for _, f := range files {
		if f.digest == "" {
			continue
		}
		if s.uses[f.digest]--; s.uses[f.digest] <= 0 {
			delete(s.uses, f.digest)
			_ = os.Remove(s.path(f.digest)) // overwritten later, or removed with the folder, if this fails
		}
	}
}

func (s *Store) path(digest string) string { return filepath.Join(s.folder, digest) }
