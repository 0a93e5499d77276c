package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// BaseDirs returns the folders that tools may reach: the configured ones and those of tracked files, or the project if
// there are none. Paths are absolute after [Load].
func (c Config) BaseDirs(projectDir string) []string {
	dirs := append([]string{}, c.Files.BaseDirs...)
	for _, file := range c.Files.Tracked {
		dirs = union(dirs, []string{filepath.Dir(file)})
	}
	if len(dirs) == 0 {
		return []string{projectDir}
	}
	return dirs
}

// absoluteFiles makes every path absolute.
func absoluteFiles(f Files, projectDir string) Files {
	return Files{BaseDirs: absolutePaths(f.BaseDirs, projectDir), Tracked: absolutePaths(f.Tracked, projectDir)}
}

func absolutePaths(paths []string, projectDir string) []string {
	var absolute []string
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(projectDir, path)
		}
		absolute = append(absolute, filepath.Clean(path))
	}
	return absolute
}

// narrowFiles replaces the paths that a project sets with their real paths, and rejects those that lead out of the
// folders that the user's configuration opens, including through links. The keys in its result are files.base_dirs or
// files.tracked.
func narrowFiles(person Config, project Files, projectDir string) (Files, []*Error) {
	opened := OpenedDirs(person, projectDir)
	project = absoluteFiles(project, projectDir)
	var found []*Error
	refuse := func(key, path, why string) {
		found = append(found, &Error{Kind: ConfigNotAllowed, Key: key, Problem: fmt.Sprintf("cannot open %q: %s", path, why),
			Hint: onlyThePerson})
	}
	for i, dir := range project.BaseDirs {
		dir, err := existingDir(dir)
		switch {
		case err != nil:
			refuse("files.base_dirs", project.BaseDirs[i], "it must be a folder that exists")
		case !InsideAny(opened, dir):
			refuse("files.base_dirs", project.BaseDirs[i], "it is outside of the base directories")
		}
		project.BaseDirs[i] = dir
	}
	for i, file := range project.Tracked {
		dir, err := RealPath(filepath.Dir(file))
		if err != nil || !InsideAny(opened, dir) {
			refuse("files.tracked", file, "its folder is outside of the base directories")
		}
		project.Tracked[i] = filepath.Join(dir, filepath.Base(file))
	}
	return project, found
}

func existingDir(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path, err
	}
	info, err := os.Stat(real)
	if err == nil && !info.IsDir() {
		err = os.ErrInvalid
	}
	return real, err
}

// RealPath resolves the links in the existing part of a path. A dangling link is an error, because whoever creates
// its target later decides where it leads.
func RealPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	parent := filepath.Dir(path)
	if _, there := os.Lstat(path); there == nil || !errors.Is(err, os.ErrNotExist) || parent == path {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	real, err = RealPath(parent)
	if err != nil {
		return "", err
	}
	return filepath.Join(real, filepath.Base(path)), nil
}

// OpenedDirs returns the real base directories; those that cannot be resolved are left out.
func OpenedDirs(c Config, projectDir string) []string {
	var opened []string
	for _, dir := range c.BaseDirs(projectDir) {
		if real, err := RealPath(dir); err == nil {
			opened = append(opened, real)
		}
	}
	return opened
}

// InsideAny reports whether path is one of the folders or below one.
func InsideAny(folders []string, path string) bool {
	for _, folder := range folders {
		rel, err := filepath.Rel(folder, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}
