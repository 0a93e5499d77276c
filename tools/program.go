package tools

import (
	"path/filepath"
	"strings"

	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

// Program finds a program that the engine itself runs, on the PATH of scripts. It skips programs inside the
// workspace, because a model may have put them there.
func (e Env) Program(names ...string) (path, search string, found bool) {
	variables := sandbox.Environment(sandbox.Environ{Inherit: e.Shell.Inherit, PathPrepend: e.Shell.PathPrepend})
	var dirs []string
	for _, entry := range variables {
		if list, ok := strings.CutPrefix(entry, "PATH="); ok {
			dirs = filepath.SplitList(list)
		}
	}
	var kept []string
	for _, dir := range dirs {
		if !e.inWorkspace(dir) {
			kept = append(kept, dir)
		}
	}
	search = strings.Join(kept, string(filepath.ListSeparator))
	for _, name := range names {
		for _, dir := range kept {
			full := filepath.Join(dir, name)
			if sandbox.Executable(full) && !e.inWorkspace(full) {
				return full, search, true
			}
		}
	}
	return "", search, false
}

// inWorkspace reports whether a path, with links resolved, is in a base directory.
func (e Env) inWorkspace(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = filepath.Clean(path)
	}
	for _, base := range e.Workspace.Directories() {
		rel, err := filepath.Rel(base, real)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// Git returns the git to use, or false if there is none outside the workspace.
func (e Env) Git() (git.Program, bool) {
	program, search, found := e.Program("git", "git.exe")
	return git.Program{Path: program, Search: search}, found
}
