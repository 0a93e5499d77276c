package checkpoint

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"manualslop/tools/sandbox"
)

// State is what the files of a workspace held at one moment.
type State struct {
	// Whole says that every file is in it.
	Whole bool

	keeper *Keeper
	files  map[string]file
}

// Change is a file that differs between two states.
type Change struct {
	Path          string
	Before, After string // digests; empty: absent
	Size          int64  // after
}

// Compare lists what differs between two states of one keeper, by path. Unseen
// says that more may differ: a state is not whole, or a file changed whose
// content is not kept.
func Compare(before, after *State) (changes []Change, unseen bool) {
	unseen = !before.Whole || !after.Whole
	// order-independent: sorted below
	for path, old := range before.files {
		now, there := after.files[path]
		switch {
		case there && now.digest == old.digest && (now.digest != "" || now.size == old.size && now.modified.Equal(old.modified)):
		case old.digest == "" || there && now.digest == "":
			unseen = true
		default:
			changes = append(changes, Change{Path: path, Before: old.digest, After: now.digest, Size: now.size})
		}
	}
	// order-independent: sorted below
	for path, now := range after.files {
		if _, known := before.files[path]; known {
			continue
		}
		if now.digest == "" {
			unseen = true
			continue
		}
		changes = append(changes, Change{Path: path, After: now.digest, Size: now.size})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, unseen
}

// Content reads what a file of the state held.
func (s *State) Content(digest string) ([]byte, error) {
	data, err := os.ReadFile(s.keeper.path(digest))
	if err != nil {
		return nil, fmt.Errorf("read a kept content: %w", err)
	}
	if sandbox.Digest(data) != digest {
		return nil, fmt.Errorf("the kept content %s was damaged", digest)
	}
	return data, nil
}

// Release lets go of the state's contents.
func (s *State) Release() {
	s.keeper.mu.Lock()
	defer s.keeper.mu.Unlock()
	s.keeper.count(s.files, -1)
	s.files = nil
}
