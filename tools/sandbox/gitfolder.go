package sandbox

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// isGitSecret reports whether a folded name is that of a file of a repository that may hold passwords in URLs, and that
// decides which programs git runs.
func isGitSecret(folded string) bool {
	switch folded { // folded to upper case
	case "CONFIG", "CONFIG.WORKTREE", "CREDENTIALS":
		return true
	}
	return false
}

// gitSecret reports whether a file belongs to a repository in a folder of any name, such as a bare one or that of
// "git init --separate-git-dir". The names of such files are common, so the folder is looked at.
func gitSecret(root *os.Root, rel string) bool {
	return isGitSecret(foldElement(path.Base(rel))) && isGitFolder(root, path.Dir(rel))
}

// isGitFolder reports whether a folder is that of a repository, a submodule or a worktree: two of the entries that git
// requires are there.
func isGitFolder(root *os.Root, folder string) bool {
	found := 0
	for name, isFolder := range map[string]bool{"HEAD": false, "commondir": false, "objects": true, "refs": true} {
		info, err := root.Lstat(filepath.FromSlash(path.Join(folder, name)))
		if err == nil && (info.IsDir() == isFolder || info.Mode()&fs.ModeSymlink != 0) {
			found++
		}
	}
	return found >= 2
}
