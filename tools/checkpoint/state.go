package checkpoint

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"manualslop/tools/sandbox"
)

// State is the content of a workspace's files at one point in time.
type State struct {
	// Whole reports whether it includes every file.
	Whole bool

	store  *Store
	files  map[string]file
	hidden map[string]bool // paths excluded by .gitignore files, without their contents
}

// hides reports whether a path was excluded.
func (s *State) hides(name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if s.hidden[name] {
			return true
		}
	}
	return false
}

// Change is a file that differs between two states.
type Change struct {
	Path          string
	Before, After string // digests; empty means absent
	Size          int64  // size after the change
	// BeforeMode and AfterMode are permission bits; zero means absent.
	BeforeMode, AfterMode fs.FileMode
}

// same reports whether two files are known to have the same content.
func (f file) same(g file) bool {
	if f.digest != "" || g.digest != "" {
		return f.digest == g.digest
	}
	return f.asOf(g) && f.link == g.link
}

// asOf reports whether a file has the same size and times as another.
func (f file) asOf(g file) bool {
	return f.size == g.size && f.modified.Equal(g.modified) && f.changed.Equal(g.changed)
}

// Compare lists the differences between two states of one keeper, sorted by path. unseen means that there may be
// more: a state is incomplete, a link or a file without kept content changed, or changed .gitignore files affect
// which files are checked. unkept lists these links and files, sorted by path. A file does not differ if only its
// mode changed.
func Compare(before, after *State) (changes []Change, unseen bool, unkept []string) {
	unseen = !before.Whole || !after.Whole
	// order-independent: sorted below
	for name, old := range before.files {
		now, there := after.files[name]
		switch {
		case there && now.same(old):
		case old.digest == "" || there && now.digest == "":
			unkept = append(unkept, name)
		case !there && after.hides(name):
			unseen = true
		default:
			changes = append(changes, Change{Path: name, Before: old.digest, After: now.digest, Size: now.size,
				BeforeMode: old.mode, AfterMode: now.mode})
		}
	}
	// order-independent: sorted below
	for name, now := range after.files {
		if _, known := before.files[name]; known {
			continue
		}
		switch {
		case before.hides(name): // it may have existed before
			unseen = true
		case now.digest == "":
			unkept = append(unkept, name)
		default:
			changes = append(changes, Change{Path: name, After: now.digest, Size: now.size, AfterMode: now.mode})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(unkept)
	return changes, unseen || len(unkept) > 0, unkept
}

// Content reads the content of a file in the state.
func (s *State) Content(digest string) ([]byte, error) {
	data, err := os.ReadFile(s.store.path(digest))
	if err != nil {
		return nil, fmt.Errorf("read stored content: %w", err)
	}
	if sandbox.Digest(data) != digest {
		return nil, fmt.Errorf("the stored content %s is damaged", digest)
	}
	return data, nil
}

// Release releases the state's contents.
func (s *State) Release() {
	s.store.drop(s.files)
	s.files = nil
}
