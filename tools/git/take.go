package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Resolutions of a conflicting file.
const (
	SideTicket = "ticket" // the version in the worktree's branch
	SideMerged = "merged" // the version that was merged before
	SideFile   = "file"   // the file in the worktree
	// AllOthers means all conflicting files that are not named.
	AllOthers = "*"
)

// side returns the resolution of a conflicting file, or "".
func (r MergeRequest) side(file string) string {
	return firstOf(r.Take[asTold(file)], r.Take[AllOthers])
}

// unresolved applies the requested resolutions, and returns the files that still have conflict marks and no
// resolution.
func (w Worktrees) unresolved(ctx context.Context, repo repository, p *private, r MergeRequest,
	last conflict) ([]string, error) {
	if last.Onto == "" {
		return nil, nil
	}
	// order-independent: any one of them is sufficient
	for told := range r.Take {
		if told != AllOthers && !slices.ContainsFunc(last.Files, func(file string) bool { return asTold(file) == told }) {
			return nil, problem("%s is not in conflict", shown(told))
		}
	}
	own, err := w.tip(ctx, repo, w.branchOf(r.Name))
	if err == nil {
		err = w.replaceable(r, last.Files)
	}
	if err != nil {
		return nil, err
	}
	var rest []string
	for _, file := range last.Files {
		switch r.side(file) {
		case SideTicket:
			err = p.take(ctx, own, last.Onto, file)
		case SideMerged:
			err = p.take(ctx, last.Onto, own, file)
		case SideFile:
		default:
			rest = append(rest, file)
		}
		if err != nil {
			return nil, err
		}
	}
	return w.marked(r.Name, rest), nil
}

// replaceable rejects taking a side of a file if something else is now in its place, such as a folder, or a file
// or link instead of its folder, because its contents would be lost.
func (w Worktrees) replaceable(r MergeRequest, files []string) error {
	root, err := os.OpenRoot(filepath.Join(w.Root, r.Name))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, file := range files {
		side := r.side(file)
		if side != SideTicket && side != SideMerged {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(file))
		if err == nil && info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return problem("writing %s would overwrite something else; move it away in the worktree first",
				shown(file))
		}
	}
	return nil
}

// take restores a file from a commit, or removes it if only the other commit has it.
func (w *private) take(ctx context.Context, commit, other, file string) error {
	entry, err := w.must(ctx, "ls-tree", "-z", "--full-tree", commit, "--", file)
	if err != nil {
		return err
	}
	if entry == "" {
		return w.takeRemoval(ctx, other, file)
	}
	fields := strings.Fields(entry) // mode, type, hash, name
	if len(fields) < 3 || fields[1] != "blob" {
		return problem("%s is not a file on that side; fix it in the worktree", shown(file))
	}
	if _, err := w.must(ctx, "update-index", "--add", "--replace", "--cacheinfo", fields[0]+","+fields[2]+","+
		file); err != nil {
		return err
	}
	_, err = w.must(ctx, "checkout-index", "--force", "--", file)
	return err
}

func (w *private) takeRemoval(ctx context.Context, other, file string) error {
	entry, err := w.must(ctx, "ls-tree", "-z", "--full-tree", other, "--", file)
	if err != nil {
		return err
	}
	if entry == "" {
		return problem("%s is on neither side; fix it in the worktree", shown(file))
	}
	root, err := os.OpenRoot(w.repo.root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.Remove(filepath.FromSlash(file)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// marked returns the files that still have conflict marks at the beginning of a line.
func (w Worktrees) marked(name string, files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		root, err := os.OpenRoot(filepath.Join(w.Root, name))
		if err != nil {
			return true
		}
		defer func() { _ = root.Close() }()
		text, err := root.ReadFile(filepath.FromSlash(file))
		return err != nil || !bytes.Contains(append([]byte("\n"), text...), []byte("\n<<<<<<< ")) &&
			!bytes.Contains(text, []byte("\n>>>>>>> "))
	})
}
