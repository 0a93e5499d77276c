package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// place is a path that passed every check that does not need an open file.
type place struct {
	base base
	rel  string // slash separated, relative to the base; "." for the base itself
	show string // as tools show it
	// in is the open folder that contains it; nil means that it is opened from the base.
	in *os.Root
}

// opener returns the root and the name with which to open the place.
func (p place) opener() (*os.Root, string) {
	if p.in != nil {
		return p.in, path.Base(p.rel)
	}
	return p.base.root, filepath.FromSlash(p.rel)
}

// folded returns the folder at p, for the blacklist.
func (p place) folded() foldedFolder {
	if p.rel == "." {
		return p.base.folded
	}
	return p.base.folded.child(foldPath(p.rel))
}

// child returns the place of a name in the folder p. in is p opened, or nil. The caller must check that the name
// is not protected.
func (p place) child(in *os.Root, name string) place {
	return place{base: p.base, rel: joined(p.rel, name), show: joined(p.show, name), in: in}
}

// joined is like path.Join for a clean path and a name.
func joined(folder, name string) string {
	switch folder {
	case ".":
		return name
	case "/":
		return folder + name
	}
	return folder + "/" + name
}

// abs returns the absolute path with the system's separators.
func (p place) abs() string { return filepath.Join(p.base.real, filepath.FromSlash(p.rel)) }

// locate runs steps 1 to 4 of the checks.
func (w *Workspace) locate(name string) (place, error) {
	if w == nil {
		return place{}, &DeniedError{Path: visible(name), Reason: "this call has no workspace"}
	}
	if problem := formProblem(name, runtime.GOOS); problem != "" {
		return place{}, w.deny(name, problem)
	}
	abs := filepath.FromSlash(strings.ReplaceAll(name, `\`, "/"))
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(w.primary, abs)
	}
	p, err := w.place(name, filepath.Clean(abs))
	if err != nil || !w.links {
		return p, err
	}
	real, err := realName(p.abs())
	if err != nil {
		return place{}, w.deny(name, "a symbolic link in this path cannot be followed")
	}
	if real == p.abs() {
		return p, nil
	}
	return w.place(name, real)
}

// protectedName is the reason of a denial by the blacklist.
const protectedName = "this name is protected"

// place maps a clean absolute path to its base and applies the blacklist.
func (w *Workspace) place(asked, abs string) (place, error) {
	for _, alias := range w.aliases {
		if rel, ok := below(alias.given, abs); ok {
			abs = filepath.Join(alias.real, filepath.FromSlash(rel))
			break
		}
	}
	for _, b := range w.bases {
		rel, ok := below(b.real, abs)
		if !ok {
			continue
		}
		if w.names.hit(b.folded, rel) || gitSecret(b.root, rel) {
			return place{}, w.deny(asked, protectedName)
		}
		return place{base: b, rel: rel, show: w.show(abs)}, nil
	}
	return place{}, w.deny(asked, "this path is outside the allowed directories")
}

// show returns an absolute path relative to the primary directory if it is inside it, otherwise unchanged, with
// slashes.
func (w *Workspace) show(abs string) string {
	if rel, ok := below(w.primary, abs); ok {
		return rel
	}
	return filepath.ToSlash(abs)
}

// parent returns the place of the directory that contains p. The parent of a base is the base itself.
func (w *Workspace) parent(p place) place {
	rel := path.Dir(p.rel)
	up := place{base: p.base, rel: rel}
	up.show = w.show(up.abs())
	return up
}

// Check runs the checks that do not need an open file: form, containment, blacklist and, if links are allowed,
// their target. The error is a *DeniedError.
func (w *Workspace) Check(name string) error {
	_, err := w.locate(name)
	return err
}

// Show returns the form in which tools show a path that passes the checks: relative to the primary directory if
// it is inside it, absolute otherwise, with slashes.
func (w *Workspace) Show(name string) (string, error) {
	p, err := w.locate(name)
	return p.show, err
}

func (w *Workspace) deny(asked, reason string) error {
	return &DeniedError{Path: visible(asked), Reason: reason, Allowed: w.Directories()}
}

// linkIn returns the first element of rel that is a symbolic link.
func linkIn(root *os.Root, rel string) (string, bool) {
	elements := strings.Split(rel, "/")
	for i := range elements {
		name := strings.Join(elements[:i+1], "/")
		info, err := root.Lstat(filepath.FromSlash(name))
		if err != nil {
			return "", false
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return name, true
		}
	}
	return "", false
}

// realName resolves the links of a path whose last elements need not exist. A dangling link is an error, because
// a file created through it would be elsewhere.
func realName(abs string) (string, error) {
	real, err := filepath.EvalSymlinks(abs)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(abs); err == nil {
		return "", fs.ErrNotExist
	}
	up := filepath.Dir(abs)
	if up == abs {
		return "", fs.ErrNotExist
	}
	real, err = realName(up)
	if err != nil {
		return "", err
	}
	return filepath.Join(real, filepath.Base(abs)), nil
}
