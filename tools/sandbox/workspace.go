package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultMaxFileBytes is the largest file that is read or written if Config.MaxFileBytes is zero.
const DefaultMaxFileBytes = 8 << 20

// Config configures a workspace.
type Config struct {
	// Primary is the directory against which relative paths are resolved and where shells start. It is an allowed
	// directory. Empty means the first of Bases. Without Bases it is WorkDir, which is then allowed only if there
	// are no tracked files either.
	Primary string
	// WorkDir is the working directory; empty means the process's working directory.
	WorkDir string
	// Bases are additional allowed directories. Each must exist.
	Bases []string
	// TrackedFiles are the files of the project; the parent directory of each is also allowed. Relative ones are
	// resolved against Primary. A file adds nothing if its path has a protected name, its parent does not exist,
	// or it is directly in the root of the file system.
	TrackedFiles []string
	// Blacklist adds patterns to the names that are always protected; see the package comment.
	Blacklist []string
	// AllowSymlinks follows links whose target is inside a base. If it is off, every link is rejected.
	AllowSymlinks bool
	// Engine are the engine's own folders (data, tokens), which are protected in addition to every `.slop`.
	// Relative ones are resolved against Primary. They need not exist.
	Engine []string
	// MaxFileBytes limits a file; zero means DefaultMaxFileBytes.
	MaxFileBytes int64
	// Patience is how long Lock waits for another writer; zero means DefaultPatience.
	Patience time.Duration
}

// base is one allowed directory.
type base struct {
	given string // absolute and clean, as configured
	real  string // with links resolved
	root  *os.Root

	folded foldedFolder // real, folded
}

// Workspace is an open set of allowed directories. It is safe for concurrent use. A nil Workspace rejects everything.
type Workspace struct {
	primary   string // real path
	bases     []base // none inside another; sorted by path
	aliases   []base // spellings of bases that go through a link
	names     *blacklist
	engine    []string
	links     bool
	maxBytes  int64
	patience  time.Duration // patience of Lock
	protected protectedFiles
	closing   sync.Once
}

// Open checks the configuration and opens the base directories. Close the workspace after use.
func Open(cfg Config) (*Workspace, error) {
	names, err := newBlacklist(cfg.Blacklist)
	if err != nil {
		return nil, err
	}
	w := &Workspace{names: names, links: cfg.AllowSymlinks, maxBytes: cfg.MaxFileBytes, patience: cmp.Or(cfg.Patience,
		DefaultPatience)}
	if w.maxBytes <= 0 {
		w.maxBytes = DefaultMaxFileBytes
	}
	primary, allowed, err := cfg.directories(names)
	if err != nil {
		return nil, err
	}
	w.primary = primary.real
	w.engine = cfg.engineFolders(w.primary)
	for _, folder := range w.engine {
		names.engine = append(names.engine, foldPath(filepath.ToSlash(folder)))
	}
	if err := w.openBases(allowed); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// directories returns the primary directory and the allowed ones, unopened.
func (cfg Config) directories(names *blacklist) (primary base, allowed []base, err error) {
	wanted := cfg.Bases
	if cfg.Primary != "" {
		wanted = append([]string{cfg.Primary}, cfg.Bases...)
	}
	for _, dir := range wanted {
		b, err := directory(dir)
		if err != nil {
			return base{}, nil, fmt.Errorf("open workspace: %w", err)
		}
		allowed = append(allowed, b)
	}
	if len(allowed) > 0 {
		primary = allowed[0]
	} else if primary, err = directory(cmp.Or(cfg.WorkDir, ".")); err != nil {
		return base{}, nil, fmt.Errorf("open workspace: %w", err)
	}
	for _, file := range cfg.TrackedFiles {
		if parent, ok := parentOfTracked(primary, file, names); ok {
			allowed = append(allowed, parent)
		}
	}
	if len(allowed) == 0 {
		allowed = []base{primary}
	}
	return primary, allowed, nil
}

// parentOfTracked returns the directory that a tracked file allows. A file with a protected name anywhere in its
// path allows nothing, because access checks look only at names below a base.
func parentOfTracked(primary base, file string, names *blacklist) (base, bool) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(primary.given, file)
	}
	parent, err := directory(filepath.Dir(file))
	if err != nil || filepath.Dir(parent.real) == parent.real {
		return base{}, false
	}
	for element := range strings.SplitSeq(filepath.ToSlash(filepath.Join(parent.real, filepath.Base(file))), "/") {
		if names.hitElement(foldElement(element)) {
			return base{}, false
		}
	}
	return parent, true
}

func directory(dir string) (base, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return base{}, err
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return base{}, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return base{}, err
	}
	if !info.IsDir() {
		return base{}, fmt.Errorf("%s is not a directory", given)
	}
	return base{given: given, real: real}, nil
}

// engineFolders returns the real paths of the engine's folders, including those that do not exist yet.
func (cfg Config) engineFolders(primary string) []string {
	var out []string
	for _, folder := range cfg.Engine {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(primary, folder)
		}
		real, err := realName(filepath.Clean(folder))
		if err != nil {
			real = filepath.Clean(folder)
		}
		out = append(out, real)
	}
	return out
}

// openBases opens the outermost of the given directories; the others are inside one of them.
func (w *Workspace) openBases(given []base) error {
	slices.SortStableFunc(given, func(a, b base) int { return strings.Compare(a.real, b.real) })
	for _, b := range given {
		if b.given != b.real {
			w.aliases = append(w.aliases, b)
		}
		covered := slices.ContainsFunc(w.bases, func(o base) bool {
			_, inside := below(o.real, b.real)
			return inside
		})
		if covered {
			continue
		}
		root, err := os.OpenRoot(b.real)
		if err != nil {
			return fmt.Errorf("open workspace: %w", err)
		}
		b.root, b.folded = root, foldBase(b.real)
		w.bases = append(w.bases, b)
	}
	return nil
}

// Close closes the directories. Calls after the first do nothing.
func (w *Workspace) Close() error {
	if w == nil {
		return nil
	}
	var errs []error
	w.closing.Do(func() {
		for _, b := range w.bases {
			errs = append(errs, b.root.Close())
		}
	})
	return errors.Join(errs...)
}

// Primary returns the real absolute path of the primary directory.
func (w *Workspace) Primary() string {
	if w == nil {
		return ""
	}
	return w.primary
}

// Directories lists the real absolute paths of the bases. It is for operators, not for models.
func (w *Workspace) Directories() []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, b := range w.bases {
		out = append(out, b.real)
	}
	return out
}

// below returns path relative to dir, slash separated, and true if path is dir or inside it.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
