package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// placeholderText is the content of a file that only reserves a name. A killed run may leave such a file behind; the
// next run recognises and removes it.
const placeholderText = "# slop keeps this name free while a confined script runs; this file may be deleted.\n"

// placeholderFor returns the content that holds a name. Git reads its configuration from the folder that a
// commondir file names, so a placeholder for it names its own folder, which has the same effect as no file.
func placeholderFor(path string) string {
	if filepath.Base(path) == "commondir" {
		return ".\n"
	}
	return placeholderText
}

// freezeNames masks the frozen names of a base.
func freezeNames(b base, frozen []string, found map[string]mask) error {
	for _, name := range frozen {
		folders := []string{path.Dir(name)}
		if strings.Contains(folders[0], "*") {
			matches, err := fs.Glob(b.root.FS(), folders[0])
			if err != nil {
				return fmt.Errorf("%w: %w", ErrNotConfined, err)
			}
			folders = matches
		}
		for _, folder := range folders {
			if err := freezeName(b, path.Join(folder, path.Base(name)), found); err != nil {
				return err
			}
		}
	}
	return nil
}

// freezeName masks one name. The elements above it must not be replaceable either: a folder is pinned and a file
// is frozen instead of the name. A symbolic link makes confining impossible, because nothing can be mounted on
// it.
func freezeName(b base, name string, found map[string]mask) error {
	elements := strings.Split(name, "/")
	for i := range elements {
		rel, last := filepath.Join(elements[:i+1]...), i+1 == len(elements)
		full := filepath.Join(b.real, rel)
		if other, taken := found[full]; taken && other.kind != pin {
			return nil
		}
		info, err := b.root.Lstat(rel)
		absent := errors.Is(err, fs.ErrNotExist) || err == nil && (isPlaceholder(full) || !last && info.IsDir() &&
			isEmpty(full))
		switch {
		case absent && last:
			found[full] = mask{path: full, kind: freeze, absent: true}
			return nil
		case absent:
			found[full] = mask{path: full, kind: hideFolder, absent: true}
			return nil
		case err != nil:
			return fmt.Errorf("%w: %s cannot be checked", ErrNotConfined, name)
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%w: %s is a link, which could be replaced", ErrNotConfined, filepath.ToSlash(rel))
		case last || !info.IsDir():
			found[full] = mask{path: full, kind: freeze}
			return nil
		}
		found[full] = mask{path: full, kind: pin}
	}
	return nil
}

// pinAbove pins the folders between a base and a path in it.
func pinAbove(base, full string, found map[string]mask) {
	for dir := filepath.Dir(full); dir != base; dir = filepath.Dir(dir) {
		if _, inside := below(base, dir); !inside {
			return
		}
		if _, taken := found[dir]; !taken {
			found[dir] = mask{path: dir, kind: pin}
		}
	}
}
