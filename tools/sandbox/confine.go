package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxMasks limits the protected files that are hidden from one program.
	maxMasks = 2_000
	// maxMaskScan limits the entries that are examined to find them.
	maxMaskScan = 500_000
	// probeTimeout limits the trial run in the confined environment.
	probeTimeout = 10 * time.Second
)

// ErrNotConfined means that a program cannot be confined here, so it must not
// run.
var ErrNotConfined = errors.New("the program cannot be confined")

// Confinement configures how a program is confined.
type Confinement struct {
	// Program is the absolute path of bwrap (bubblewrap).
	Program string
	// Network keeps the network reachable.
	Network bool
	// Frozen are paths, relative to the base directories, that are readable but not writable, such as
	// configuration of the engine. They cannot be created either, and the folders above them cannot be replaced.
	// If some of these folders do not exist, an empty folder takes the place of the outermost one. Folders may
	// be patterns, which match existing folders.
	Frozen []string
}

// Confine changes a command so that it can write to the base directories and to its own temporary folder, and
// nowhere else. The rest of the file system is read-only; home directories, /tmp and /run are empty. Protected
// files and the engine's folders cannot be accessed or created. Other processes are invisible, and without
// Network no address is reachable. All processes end with the program. The directories on PATH stay readable wherever
// they are.
//
// Call release when the program has ended. If confinement is not possible, the error matches ErrNotConfined and
// the command must not be run.
//
// Names that must not be created are held by placeholders while the program runs. Two kinds of new files cannot
// be prevented: files deeper in the tree, and files that match a protected pattern such as *.key. If the network
// is reachable, so are abstract sockets and sockets outside /run.
func (w *Workspace) Confine(ctx context.Context, c Command, how Confinement) (_ Command, release func(), err error) {
	if w == nil {
		return c, nil, w.Check(".")
	}
	masks, release, err := w.prepare(ctx, how.Frozen)
	if err != nil {
		return c, nil, err
	}
	defer func() {
		if err != nil {
			release()
			release = nil
		}
	}()
	arguments := append(w.walls(c, how), maskArguments(masks, w.bases)...)
	inside := func(program string, args ...string) Command {
		confined := c
		confined.Path, confined.Env = how.Program, temporary(c.Env)
		confined.Args = append(append(slices.Clone(arguments), "--chdir", c.Dir, "--", program), args...)
		return confined
	}
	if err := probe(ctx, inside); err != nil {
		return c, release, err
	}
	return inside(c.Path, c.Args...), release, nil
}

// prepare determines the masks and creates placeholders for absent names. The locks keep other runs from doing
// the same, or from releasing placeholders, at the same time.
func (w *Workspace) prepare(ctx context.Context, frozen []string) ([]mask, func(), error) {
	guard, err := w.lockBases(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer guard.Release()
	masks, err := w.masks(ctx, frozen)
	if err != nil {
		return nil, nil, err
	}
	held, err := holdPlaces(masks)
	if err != nil {
		return nil, nil, errors.Join(ErrNotConfined, err)
	}
	return masks, func() {
		if guard, err := w.lockBases(context.Background()); err == nil {
			defer guard.Release()
			held.release()
		}
	}, nil
}

// lockBases locks all base directories.
func (w *Workspace) lockBases(ctx context.Context) (*Guard, error) {
	var names []string
	for _, b := range w.bases {
		names = append(names, filepath.Join(b.real, "placeholder"))
	}
	return w.Lock(ctx, names...)
}

// probe runs an empty program in the confined environment, because later a failure of bwrap cannot be
// distinguished from one of the program.
func probe(ctx context.Context, inside func(string, ...string) Command) error {
	try := inside("/bin/sh", "-c", ":")
	try.Timeout, try.KeepWhole = probeTimeout, false
	o, err := Run(ctx, try)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return errors.Join(ErrNotConfined, err)
	case o.TimedOut || o.Exit != 0:
		why, _, _ := strings.Cut(strings.TrimSpace(o.Stderr), "\n")
		return fmt.Errorf("%w: %s", ErrNotConfined, why)
	}
	return nil
}

// walls returns the bwrap arguments that set up the file system, without the masks.
func (w *Workspace) walls(c Command, how Confinement) []string {
	out := []string{"--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--cap-drop", "ALL"}
	if !how.Network {
		out = append(out, "--unshare-net")
	}
	// Kernel settings belong to root, and the engine may run as root, with or without capabilities. One of them,
	// core_pattern, names a program to run.
	out = append(out, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
	hidden := hiddenFolders(c.Env)
	for _, folder := range hidden {
		out = append(out, "--tmpfs", folder)
	}
	if resolver, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && inAny(hidden, resolver) {
		out = append(out, "--ro-bind", resolver, resolver)
	}
	for _, dir := range pathOf(c.Env) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && inAny(hidden, real) && !slices.Contains(hidden, real) {
			out = append(out, "--ro-bind", real, real)
		}
	}
	for _, b := range w.bases {
		out = append(out, "--bind", b.real, b.real)
	}
	return out
}

// hiddenFolders returns the home directories and the folders of sockets and temporary files.
func hiddenFolders(env []string) []string {
	wanted := []string{"/tmp", "/var/tmp", "/run"}
	if home, err := os.UserHomeDir(); err == nil {
		wanted = append(wanted, home)
	}
	for _, entry := range env {
		if home, ok := strings.CutPrefix(entry, "HOME="); ok {
			wanted = append(wanted, home)
		}
	}
	var out []string
	for _, folder := range wanted {
		real, err := filepath.EvalSymlinks(folder)
		if err == nil && filepath.IsAbs(real) && real != "/" && !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	slices.Sort(out)
	return out
}

func inAny(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { _, in := below(folder, path); return in })
}

func pathOf(env []string) []string {
	for _, entry := range env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			return filepath.SplitList(path)
		}
	}
	return nil
}

// temporary sets TMPDIR to the empty temporary folder.
func temporary(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, "TMPDIR=") })
	return append(out, "TMPDIR=/tmp")
}

// mask is a path that a confined program must not change.
type mask struct {
	path   string
	kind   maskKind
	absent bool // it does not exist; a placeholder must hold its name
}

// maskKind is what a program sees at a masked path. Zero is invalid.
type maskKind uint8

const (
	hideFile   maskKind = iota + 1 // a file that cannot be opened
	hideFolder                     // an empty folder
	freeze                         // the existing file or folder, read-only
	pin                            // a folder that cannot be renamed, but whose content may change
)

// maskArguments returns the bwrap arguments for the masks. They also restore bases that are inside a hidden folder.
func maskArguments(masks []mask, bases []base) []string {
	var out []string
	for _, m := range masks {
		switch {
		case m.kind == hideFolder:
			out = append(out, "--tmpfs", m.path)
			for _, b := range bases {
				if _, in := below(m.path, b.real); in {
					out = append(out, "--bind", b.real, b.real)
				}
			}
			out = append(out, "--remount-ro", m.path)
		case m.kind == pin:
			out = append(out, "--bind", m.path, m.path)
		case m.kind == hideFile || m.absent && placeholderFor(m.path) == placeholderText:
			out = append(out, "--ro-bind", "/dev/null", m.path)
		default:
			out = append(out, "--ro-bind", m.path, m.path)
		}
	}
	return out
}

// masks lists the paths to protect, parents first.
func (w *Workspace) masks(ctx context.Context, frozen []string) ([]mask, error) {
	found := map[string]mask{}
	left := maxMaskScan
	for _, b := range w.bases {
		if err := w.existingMasks(ctx, b, found, &left); err != nil {
			return nil, err
		}
		w.fixedMasks(b, found)
		if err := freezeNames(b, frozen, found); err != nil {
			return nil, err
		}
	}
	for _, folder := range w.engine {
		info, err := os.Lstat(folder)
		if err == nil && info.IsDir() && isEmpty(folder) {
			err = fs.ErrNotExist // another run may hold this placeholder
		}
		inside := slices.IndexFunc(w.bases, func(b base) bool { _, in := below(b.real, folder); return in })
		if err == nil && info.IsDir() || err != nil && inside >= 0 {
			found[folder] = mask{path: folder, kind: hideFolder, absent: err != nil}
		}
		if inside >= 0 {
			pinAbove(w.bases[inside].real, folder, found)
		}
	}
	if len(found) > maxMasks || left <= 0 {
		return nil, fmt.Errorf("%w: the workspace is too large to find all its protected files; "+
			"open a smaller folder", ErrNotConfined)
	}
	out := make([]mask, 0, len(found))
	for _, m := range found {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b mask) int { return strings.Compare(a.path, b.path) })
	return slices.DeleteFunc(out, func(m mask) bool { // a path in a hidden folder is hidden already
		return slices.ContainsFunc(out, func(o mask) bool {
			_, in := below(o.path, m.path)
			back := slices.ContainsFunc(w.bases, func(b base) bool {
				_, hidden := below(o.path, b.real)
				_, inBase := below(b.real, m.path)
				return hidden && inBase
			})
			return in && !back && o.kind == hideFolder && o.path != m.path
		})
	}), nil
}

func isEmpty(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && len(entries) == 0
}

// existingMasks finds existing files and folders with protected names.
func (w *Workspace) existingMasks(ctx context.Context, b base, found map[string]mask, left *int) error {
	return filepath.WalkDir(b.real, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if *left--; *left <= 0 {
			return filepath.SkipAll
		}
		rel, inside := below(b.real, path)
		switch {
		case err != nil || !inside || rel == ".":
			return nil
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case !w.names.hit(b.folded, rel):
			return nil
		case d.IsDir():
			found[path] = mask{path: path, kind: hideFolder}
			return filepath.SkipDir
		case d.Type().IsRegular():
			found[path] = mask{path: path, kind: hideFile}
		}
		return nil
	})
}

// fixedMasks adds the names that must not be created at the top of a base.
func (w *Workspace) fixedMasks(b base, found map[string]mask) {
	for _, name := range w.names.fixed {
		path := filepath.Join(b.real, name)
		kind := hideFile
		if name == engineFolder {
			kind = hideFolder
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || isPlaceholder(path) || kind == hideFolder &&
			isEmpty(path) {
			found[path] = mask{path: path, kind: kind, absent: true}
		}
	}
}
