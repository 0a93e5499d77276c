package git

import (
	"os"
	"path/filepath"
	"strings"
)

// repository holds the locations of a working tree and its administrative folders.
type repository struct {
	root   string // root of the working tree
	admin  string // contains HEAD and index: .git, or its subfolder for one worktree
	common string // contains objects and config; differs from admin only for worktrees
}

// maxPointer limits the size of the small files that point from one folder to another.
const maxPointer = 8 << 10

// find looks for the repository that contains dir, from dir upwards, and checks that its contents are its own.
func find(dir string) (repository, error) {
	repo, err := locate(dir)
	if err == nil {
		err = repo.borrowsNothing()
	}
	return repo, err
}

func locate(dir string) (repository, error) {
	for {
		entry := filepath.Join(dir, ".git")
		info, err := os.Lstat(entry)
		switch {
		case err != nil:
		case info.IsDir():
			return ordinary(dir, entry)
		case info.Mode().IsRegular():
			return linked(dir, entry)
		default:
			return repository{}, problem("the .git of this repository is neither a file nor a directory, so it is not followed")
		}
		up := filepath.Dir(dir)
		if up == dir {
			return repository{}, problem("this path is not in a git repository; get_git_diff works only inside one")
		}
		dir = up
	}
}

// keepsRefsInFiles rejects a repository that stores its branches in a database, because checked out branches are
// read from files.
func (r repository) keepsRefsInFiles() error {
	if _, err := os.Lstat(filepath.Join(r.common, "reftable")); err == nil {
		return problem("the repository keeps its branches as a reftable, which is not supported here; to fix this, " +
			"run git refs migrate --ref-format=files")
	}
	return nil
}

// keepsRefsToItself rejects a repository in which the folder for worktrees or for their branches is a link,
// because they would be written elsewhere.
func (r repository) keepsRefsToItself() error {
	for _, name := range []string{"worktrees", "logs", "refs", "refs/heads", "refs/heads/slop",
		"refs/heads/slop-tickets"} {
		for _, file := range []string{name, "logs/" + name} {
			info, err := os.Lstat(filepath.Join(r.common, filepath.FromSlash(file)))
			if err == nil && info.Mode()&os.ModeSymlink != 0 {
				return problem("the repository's %s is a link, which is not followed", file)
			}
		}
	}
	return nil
}

// ordinary returns a repository with a .git folder.
func ordinary(root, admin string) (repository, error) {
	for _, name := range []string{"objects", "HEAD", "index", "config"} {
		info, err := os.Lstat(filepath.Join(admin, name))
		if err == nil && info.Mode()&os.ModeSymlink != 0 {
			return repository{}, problem("the repository's %s is a link, which is not followed", name)
		}
	}
	if other := pointer(filepath.Join(admin, "commondir")); other != "" && !same(resolve(admin, other), admin) {
		return repository{}, problem("the repository's commondir points to another repository, which is not followed")
	}
	return repository{root: root, admin: admin, common: admin}, nil
}

// linked returns a worktree or a submodule: its .git is a file that names the administrative folder. Anyone can
// write such a file, so the folder must point back.
func linked(root, entry string) (repository, error) {
	target, ok := strings.CutPrefix(pointer(entry), "gitdir: ")
	if !ok {
		return repository{}, problem("the .git file of this repository cannot be read")
	}
	admin := resolve(root, target)
	if back := pointer(filepath.Join(admin, "gitdir")); back != "" && same(resolve(admin, back), entry) {
		common := resolve(admin, firstOf(pointer(filepath.Join(admin, "commondir")), "."))
		if !same(filepath.Dir(filepath.Dir(admin)), common) {
			return repository{}, problem("the worktree's administrative folder is not among those of its repository, " +
				"so it is not followed")
		}
		return repository{root: root, admin: admin, common: common}, nil
	}
	if inSubmodules(root, admin) {
		return repository{root: root, admin: admin, common: admin}, nil
	}
	return repository{}, problem("the .git file points to a folder that does not point back, so it is not followed")
}

// inSubmodules reports whether admin is where a repository above root keeps its
// submodules.
func inSubmodules(root, admin string) bool {
	for up := filepath.Dir(root); up != filepath.Dir(up); up = filepath.Dir(up) {
		rel, err := filepath.Rel(realOf(filepath.Join(up, ".git", "modules")), realOf(admin))
		if err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// pointer returns the first line of a small file, or "" if there is none.
func pointer(name string) string {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimRight(line, "\r")
}

func resolve(dir, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

func same(a, b string) bool { return realOf(a) == realOf(b) }

// realOf resolves links, or returns the path unchanged if that fails.
func realOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// MainCheckout returns the working tree to which the worktree at dir belongs, or false if dir is not in a worktree.
func MainCheckout(dir string) (string, bool) {
	repo, err := find(dir)
	if err != nil || repo.admin == repo.common || filepath.Base(repo.common) != ".git" {
		return "", false
	}
	return filepath.Dir(repo.common), true
}
