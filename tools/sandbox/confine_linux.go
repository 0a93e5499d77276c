package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// holding is the set of placeholders of one run. Each is open and has a shared lock.
type holding struct {
	files  []*os.File
	parent []string // folders that were created above them, outermost first
}

// holdPlaces creates placeholders for absent names, to be mounted over.
func holdPlaces(masks []mask) (*holding, error) {
	h := &holding{}
	for _, m := range masks {
		if !m.absent {
			continue
		}
		if err := h.hold(m); err != nil {
			h.release()
			return nil, err
		}
	}
	return h, nil
}

func (h *holding) hold(m mask) error {
	if err := h.makeParents(filepath.Dir(m.path)); err != nil {
		return err
	}
	f, err := openPlaceholder(m)
	if err != nil {
		return err
	}
	h.files = append(h.files, f)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("cannot reserve the name %s: %w", filepath.Base(m.path), err)
	}
	return nil
}

func openPlaceholder(m mask) (*os.File, error) {
	if m.kind == hideFolder {
		if err := os.Mkdir(m.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		return os.OpenFile(m.path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	}
	f, err := os.OpenFile(m.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		if _, err = f.WriteString(placeholderFor(m.path)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	}
	if isPlaceholder(m.path) {
		return os.OpenFile(m.path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	}
	return nil, err
}

// inPlace reports whether an open file is still the one at its path.
func inPlace(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(open, named)
}

// isPlaceholder reports whether a file only holds its name.
func isPlaceholder(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(placeholderFor(path))) {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && string(text) == placeholderFor(path)
}

func (h *holding) makeParents(dir string) error {
	var missing []string
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	slices.Reverse(missing)
	for _, dir := range missing {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		h.parent = append(h.parent, dir)
	}
	return nil
}

// release removes the placeholders that no other run holds. It leaves those that were written to in the meantime.
func (h *holding) release() {
	for _, f := range h.files {
		alone := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
		info, err := f.Stat()
		if alone && err == nil && inPlace(f, f.Name()) && (info.IsDir() || isPlaceholder(f.Name())) {
			_ = os.Remove(f.Name()) // a non-empty folder stays
		}
		_ = f.Close()
	}
	for _, dir := range slices.Backward(h.parent) {
		_ = os.Remove(dir)
	}
	h.files, h.parent = nil, nil
}
