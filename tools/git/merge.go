package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Merge is the result of merging a worktree into the merged branch.
type Merge struct {
	Commit string   // the commit of the merged branch; empty if nothing was merged
	Onto   string   // if nothing was merged: the commit that the work conflicts with
	Files  []string // the files with conflict marks around both sides
	Whole  []string // conflicting files without marks, because they hold one side
	Left   string   // why the worktree or its branch could not be removed after the merge
}

// MergeRequest describes a merge.
type MergeRequest struct {
	Name  string // name of the worktree
	Try   int    // number of the attempt, from 1; repeating a number returns its earlier outcome
	Title string // title of the commits
	// Take is the resolution of conflicting files, by name: SideTicket, SideMerged or SideFile. The key AllOthers
	// applies to all other files.
	Take map[string]string
}

// conflict is the note about a worktree that holds both sides of a conflict.
type conflict struct {
	Try   int       `json:"try"`
	Onto  string    `json:"onto"`
	Files fileNames `json:"files"`
	Whole fileNames `json:"whole"`
	Shown bool      `json:"shown"` // both sides are in the files
}

// Merge commits the contents of a worktree to its branch and merges the branch. On a conflict, both sides are
// written to the worktree's files; the next attempt uses the content of these files, or the requested sides. A
// merged worktree is removed with its branch. The returned outcome survives a power cut.
func (w Worktrees) Merge(ctx context.Context, r MergeRequest) (Merge, error) {
	repo, release, err := w.begin(ctx)
	if err != nil {
		return Merge{}, err
	}
	defer release()
	w.Program.Timeout = worktreeTimeout
	var commit string
	if err := w.read(r.Name, Merged, &commit); err != nil {
		return Merge{}, err
	}
	if commit == "" {
		if err := w.allowed(ctx); err != nil {
			if done, unknown := w.isMerged(ctx, repo, r.Name); !done {
				return Merge{}, errors.Join(err, unknown)
			}
		}
		var both conflict
		if commit, both, err = w.merge(ctx, repo, r); err == nil {
			err = w.flush(repo) // flush first, because the caller records the outcome
		}
		if err != nil || commit == "" {
			return Merge{Onto: both.Onto, Files: both.Files, Whole: both.Whole}, err
		}
		if err := w.write(r.Name, Merged, commit); err != nil {
			return Merge{}, err
		}
	}
	out := Merge{Commit: commit}
	err = w.remove(ctx, repo, r.Name)
	if err != nil && ctx.Err() == nil { // the work is merged in any case
		out.Left, err = err.Error(), nil
	}
	return out, err
}

func (w Worktrees) merge(ctx context.Context, repo repository, r MergeRequest) (string, conflict, error) {
	var last conflict
	if err := w.read(r.Name, "conflict", &last); err != nil {
		return "", last, err
	}
	p, err := w.inside(ctx, repo, r.Name)
	if err != nil {
		return "", last, err
	}
	defer func() { _ = p.close() }()
	onto, err := w.tip(ctx, repo, w.Branch())
	if err == nil && onto == "" {
		err = problem("the branch %s is gone, so nothing can be merged into it", w.Branch())
	}
	if err == nil {
		err = w.checkout(ctx, repo, Merged, onto)
	}
	if err != nil {
		return "", last, err
	}
	if last.Try >= r.Try { // the answer of that attempt was lost
		return w.showConflict(ctx, repo, p, r, last)
	}
	if left, err := w.unresolved(ctx, repo, p, r, last); err != nil {
		return "", last, err
	} else if len(left) > 0 {
		last.Try, last.Files, last.Whole = r.Try, left, nil
		return "", last, w.write(r.Name, "conflict", last)
	}
	tip, err := w.commit(ctx, repo, p, r, last.Onto)
	if err != nil {
		return "", last, err
	}
	return w.join(ctx, repo, p, r, onto, tip)
}

// isMerged reports whether all of a worktree's work is already in the merged branch, because a process ended
// between the merge and its note.
func (w Worktrees) isMerged(ctx context.Context, repo repository, name string) (bool, error) {
	onto, err := w.tip(ctx, repo, w.Branch())
	if err != nil || onto == "" {
		return false, err
	}
	tip, err := w.tip(ctx, repo, w.branchOf(name))
	if err != nil || tip == "" {
		return false, err
	}
	p, err := w.inside(ctx, repo, name)
	if err != nil {
		return false, err
	}
	defer func() { _ = p.close() }()
	if changed, err := p.changed(ctx); err != nil || changed || !p.contains(ctx, onto, tip) {
		return false, err
	}
	staged, err := p.must(ctx, "write-tree")
	if err != nil {
		return false, err
	}
	committed, err := p.must(ctx, "rev-parse", tip+"^{tree}")
	return staged == committed, err
}

// commit commits the contents of a worktree to its branch and returns the commit. With a second parent, it is a
// merge whose conflicts were resolved in the files.
func (w Worktrees) commit(ctx context.Context, repo repository, p *private, r MergeRequest, second string) (string,
	error) {
	tip, err := w.tip(ctx, repo, w.branchOf(r.Name))
	if err == nil && tip == "" {
		err = problem("the branch %s is gone; its changes are still in %s", w.branchOf(r.Name), filepath.Join(w.Root, r.Name))
	}
	if err != nil {
		return "", err
	}
	if _, err := p.must(ctx, "add", "--all", "--", "."); err != nil {
		return "", err
	}
	before, err := p.must(ctx, "rev-parse", tip+"^{tree}")
	if err != nil {
		return "", err
	}
	tree, err := p.staged(ctx, before)
	if err != nil {
		return "", err
	}
	parents := []string{"-p", tip}
	if second != "" && !p.contains(ctx, tip, second) {
		parents = append(parents, "-p", second)
	}
	if tree == before && len(parents) == 2 {
		return tip, nil
	}
	commit, err := p.must(ctx, append([]string{"commit-tree", tree, "-m", r.Title}, parents...)...)
	if err != nil {
		return "", err
	}
	return commit, w.move(ctx, repo, r.Name, commit, tip)
}

// staged returns the current tree of the index. before is the previous tree.
func (w *private) staged(ctx context.Context, before string) (string, error) {
	tree, err := w.must(ctx, "write-tree")
	if err != nil || tree == before {
		return tree, err
	}
	changed, err := w.entries(ctx, "diff-tree", "-r", before, tree)
	if err != nil {
		return "", err
	}
	if err := noRepositories(changed); err != nil {
		_, failed := w.must(ctx, "read-tree", before) // otherwise git would still treat the folder as a repository
		return "", errors.Join(err, failed)
	}
	if kept, err := w.keepStored(ctx, changed); err != nil || !kept {
		return tree, err
	}
	return w.must(ctx, "write-tree")
}

// noRepositories rejects work that contains a nested repository, because git would store only the id of its commit.
func noRepositories(changed []entry) error {
	for _, e := range changed {
		if e.newMode == "160000" {
			return problem("%s is a separate repository, whose files would be lost: remove %s/.git, or the folder",
				shown(e.path), shown(e.path))
		}
	}
	return nil
}

// join merges a commit into the merged branch.
func (w Worktrees) join(ctx context.Context, repo repository, p *private, r MergeRequest, onto, tip string) (string,
	conflict, error) {
	var none conflict
	switch {
	case p.contains(ctx, onto, tip):
		return onto, none, w.caughtUp(ctx, repo, onto)
	case p.contains(ctx, tip, onto):
		return tip, none, w.advance(ctx, repo, tip, onto)
	}
	tree, files, err := p.mergeTree(ctx, r.Name, onto, tip)
	if err != nil {
		return "", none, err
	}
	if len(files) > 0 {
		return w.showConflict(ctx, repo, p, r, conflict{Try: r.Try, Onto: onto, Files: files})
	}
	commit, err := p.must(ctx, "commit-tree", tree, "-m", "Merge "+r.Title, "-p", onto, "-p", tip)
	if err != nil {
		return "", none, err
	}
	return commit, none, w.advance(ctx, repo, commit, onto)
}

// caughtUp writes the files of a merge that was interrupted after its branch was moved.
func (w Worktrees) caughtUp(ctx context.Context, repo repository, onto string) error {
	ours, err := w.changing()
	if err != nil || !ours {
		return err
	}
	return w.written(ctx, repo, []string{"read-tree", "--reset", "-u", onto})
}

// showConflict writes both sides to the worktree's files. It does so only once, because a user may then edit them.
func (w Worktrees) showConflict(ctx context.Context, repo repository, p *private, r MergeRequest,
	both conflict) (string, conflict, error) {
	if both.Shown {
		return "", both, nil
	}
	if err := w.write(r.Name, "conflict", both); err != nil {
		return "", both, err
	}
	tip, err := w.tip(ctx, repo, w.branchOf(r.Name))
	if err != nil {
		return "", both, err
	}
	tree, _, err := p.mergeTree(ctx, r.Name, both.Onto, tip)
	if err != nil {
		return "", both, err
	}
	if err := w.fill(ctx, repo, r.Name, tree); err != nil {
		return "", both, err
	}
	marked := w.marked(r.Name, both.Files)
	for _, file := range both.Files {
		if !slices.Contains(marked, file) {
			both.Whole = append(both.Whole, file)
		}
	}
	both.Shown = true
	return "", both, w.write(r.Name, "conflict", both)
}

// mergeTree merges two commits without touching a file. Conflicts are marked in the tree, with the sides named as
// in the arguments.
func (w *private) mergeTree(ctx context.Context, name, onto, tip string) (tree string, conflicts []string, err error) {
	if err := errors.Join(w.label(Merged, onto), w.label(name, tip)); err != nil {
		return "", nil, err
	}
	out, failed, err := w.names(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", Merged, name)
	if err != nil {
		return "", nil, err
	}
	tree, rest, _ := strings.Cut(out, "\x00")
	if tree = strings.TrimSpace(tree); !isHash(tree) {
		return "", nil, problem("git cannot merge here: %s; git 2.38 or newer is needed", shown(failed))
	}
	for file := range strings.SplitSeq(rest, "\x00") {
		if file != "" {
			conflicts = append(conflicts, file)
		}
	}
	if failed != "" && len(conflicts) == 0 {
		return "", nil, problem("git cannot merge here: %s", shown(failed))
	}
	return tree, conflicts, nil
}

// label gives a commit a name in the private folder.
func (w *private) label(name, commit string) error {
	heads := filepath.Join(w.dir, "refs", "heads")
	if err := os.MkdirAll(heads, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(heads, name), []byte(commit+"\n"), 0o600)
}

// contains reports whether part is in the history of a commit.
func (w *private) contains(ctx context.Context, commit, part string) bool {
	_, failed, err := w.git(ctx, "merge-base", "--is-ancestor", part, commit)
	return err == nil && failed == ""
}

// must runs a command that is expected to succeed and returns its output
// without line ends.
func (w *private) must(ctx context.Context, args ...string) (string, error) {
	out, failed, err := w.git(ctx, args...)
	if err == nil && failed != "" {
		err = problem("git %s failed: %s", args[0], shown(failed))
	}
	return strings.TrimSpace(out), err
}
