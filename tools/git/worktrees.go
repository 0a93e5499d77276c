package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manualslop/tools/sandbox"
)

// worktreeTimeout is the time limit of one command here, because a whole tree is written to disk.
const worktreeTimeout = 5 * time.Minute

// Merged is the name of the worktree for the branch into which everything is merged.
const Merged = "merged"

// Worktrees are the worktrees and branches of one session: one for each attempt at a ticket, and one into which
// the work of all of them is merged. The user's own working tree, branch, HEAD and index are read but never
// written. Every step can be repeated after a crash, and steps run one at a time, across processes.
//
// No program configured by the repository runs: refs are moved, and files are read and written, in private
// administrative folders with their own configuration, without hooks, filters, merge drivers or signatures.
// Worktrees are registered in the repository without git. Therefore a file under a content filter such as LFS
// appears in its stored form.
type Worktrees struct {
	Program Program
	// Project is the user's folder, the root of a repository or a folder in it.
	Project string
	// Root is the folder that contains the worktrees of the session. It is created when needed.
	Root string
	// Session is part of the branches' names; letters, digits, - and _ only.
	Session string
	// Patience is how long to wait for another process that is using these worktrees; zero means DefaultPatience.
	Patience time.Duration
	// Allow is called before a worktree is prepared or anything is merged, while no other process uses the
	// worktrees. Its error cancels the operation. It is not called when an earlier merge is reported. Nil allows
	// everything.
	Allow func(context.Context) error `json:"-"`
}

// DefaultPatience is how long to wait for another process. A dead process does
// not block others; a suspended one does.
const DefaultPatience = 10 * time.Minute

// ErrBusy means that another process has been using the worktrees for all of Patience. It may be suspended in the
// middle of a merge, and may still complete it.
var ErrBusy = errors.New("another process is using the worktrees")

// Worktree describes a worktree.
type Worktree struct {
	Dir    string // the folder that corresponds to the project's folder
	Branch string
	Base   string // commit from which it starts
	Note   string // what the user should know
}

// Branch returns the branch into which everything is merged.
func (w Worktrees) Branch() string { return "slop/" + w.Session }

// branchOf returns the branch of a worktree.
func (w Worktrees) branchOf(name string) string {
	if name == Merged {
		return w.Branch()
	}
	return "slop-tickets/" + w.Session + "/" + name
}

// Dir returns the folder in a worktree that corresponds to the project's
// folder. It need not exist.
func (w Worktrees) Dir(name string) (string, error) {
	repo, err := find(w.Project)
	if err != nil {
		return "", err
	}
	return w.dir(repo, name)
}

func (w Worktrees) dir(repo repository, name string) (string, error) {
	inside, err := filepath.Rel(realOf(repo.root), realOf(w.Project))
	if err != nil {
		return "", err
	}
	return filepath.Join(w.Root, name, inside), nil
}

// Check returns why worktrees cannot be used for the project; a *Problem says
// what to do.
func (w Worktrees) Check(ctx context.Context) error {
	repo, err := w.repository()
	if err != nil {
		return err
	}
	w.Program.Timeout = worktreeTimeout
	head, err := w.head(ctx, repo)
	if err != nil {
		return err
	}
	if err := w.free(ctx, repo); err != nil {
		return err
	}
	if err := w.noSubmodules(ctx, repo, head); err != nil {
		return err
	}
	return w.whole(ctx, repo, head)
}

func (w Worktrees) repository() (repository, error) {
	repo, err := find(w.Project)
	if err == nil {
		err = errors.Join(repo.keepsRefsInFiles(), repo.keepsRefsToItself())
	}
	var p *Problem
	if errors.As(err, &p) {
		return repo, problem("tickets cannot have their own worktrees here: %s. Create a repository with a commit (git "+
			"init, git add, git commit), or set isolation = \"shared\"", p.Text)
	}
	return repo, err
}

// Prepare returns the worktree of a name, and creates it if it does not exist. A new worktree starts from what
// was merged so far, and survives a power cut once Prepare has returned.
func (w Worktrees) Prepare(ctx context.Context, name string) (Worktree, error) {
	repo, release, err := w.begin(ctx)
	if err != nil {
		return Worktree{}, err
	}
	defer release()
	if err := w.allowed(ctx); err != nil {
		return Worktree{}, err
	}
	w.Program.Timeout = worktreeTimeout
	out := Worktree{Branch: w.branchOf(name)}
	if out.Dir, err = w.dir(repo, name); err != nil {
		return out, err
	}
	base, note, err := w.merged(ctx, repo)
	if err != nil || name == Merged {
		out.Base, out.Note = base, note
		return out, err
	}
	out.Note = note
	if out.Base, err = w.branch(ctx, repo, name, base); err != nil {
		return out, err
	}
	if err := w.checkout(ctx, repo, name, out.Base); err != nil {
		return out, err
	}
	if _, err := os.Stat(filepath.Join(w.Root, name)); err != nil {
		return out, problem("the worktree %s is gone, with any uncommitted changes; its branch is %s",
			filepath.Join(w.Root, name), out.Branch)
	}
	if _, err := os.Stat(out.Dir); err != nil {
		return out, problem("the project's folder is not part of the commit that the ticket starts from; commit it first")
	}
	return out, w.flush(repo)
}

// flush makes everything that was written to the worktrees and the repository
// durable.
func (w Worktrees) flush(repo repository) error { return flush(w.Root, repo.common) }

// begin finds the repository and waits for the lock.
func (w Worktrees) begin(ctx context.Context) (repository, func(), error) {
	repo, err := w.repository()
	if err != nil {
		return repo, nil, err
	}
	if err := os.MkdirAll(w.Root, 0o700); err != nil {
		return repo, nil, fmt.Errorf("git: %w", err)
	}
	if w.Patience <= 0 {
		w.Patience = DefaultPatience
	}
	waiting, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	release, err := sandbox.LockFolder(waiting, w.Root)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = fmt.Errorf("%w in %s, and has been for %s; if it hangs or is suspended, end it", ErrBusy, w.Root, w.Patience)
	}
	return repo, release, err
}

// allowed calls Allow.
func (w Worktrees) allowed(ctx context.Context) error {
	if w.Allow == nil {
		return nil
	}
	return w.Allow(ctx)
}

// merged returns the commit of the merged branch. It creates the branch and its worktree if they are missing.
func (w Worktrees) merged(ctx context.Context, repo repository) (tip, note string, err error) {
	if tip, err = w.tip(ctx, repo, w.Branch()); err != nil {
		return "", "", err
	}
	if tip == "" {
		head, err := w.head(ctx, repo)
		if err != nil {
			return "", "", err
		}
		if err := w.noSubmodules(ctx, repo, head); err != nil {
			return "", "", err
		}
		if err := w.nothingLost(ctx, repo, head); err != nil {
			return "", "", err
		}
		if note, err = w.uncommitted(ctx, repo, head); err != nil {
			return "", "", err
		}
		if tip, err = w.branch(ctx, repo, Merged, head); err != nil {
			return "", "", err
		}
	}
	return tip, note, w.checkout(ctx, repo, Merged, tip)
}

// reached is the note that records the last commit of merged work.
const reached = "reached"

// nothingLost refuses to start again from head if the merged branch is gone, unless head contains the merged work.
func (w Worktrees) nothingLost(ctx context.Context, repo repository, head string) error {
	var last string
	if err := w.read(Merged, reached, &last); err != nil || last == "" {
		return err
	}
	_, failed, err := w.Program.inside(ctx, repo, "merge-base", "--is-ancestor", last, head)
	if err == nil && failed != "" {
		err = problem("the branch %s is gone, with everything that was merged; restore it with git branch %s %s", w.Branch(),
			w.Branch(), last)
	}
	return err
}

// head returns the commit that the user has checked out.
func (w Worktrees) head(ctx context.Context, repo repository) (string, error) {
	out, failed, err := w.Program.inside(ctx, repo, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	if hash := strings.TrimSpace(out); failed == "" && isHash(hash) {
		return hash, nil
	}
	return "", problem("the repository has no commit yet, so tickets have nothing to start from: commit something (git " +
		"add, git commit), or set isolation = \"shared\"")
}

// tip returns the commit of a branch, or "" if there is none.
func (w Worktrees) tip(ctx context.Context, repo repository, branch string) (string, error) {
	out, _, err := w.Program.inside(ctx, repo, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch+"^{commit}")
	if hash := strings.TrimSpace(out); err == nil && isHash(hash) {
		return hash, nil
	}
	return "", err
}

// branch returns the commit of a worktree's branch, and creates the branch at base if it is missing.
func (w Worktrees) branch(ctx context.Context, repo repository, name, base string) (string, error) {
	tip, err := w.tip(ctx, repo, w.branchOf(name))
	if err != nil || tip != "" {
		return tip, err
	}
	return base, w.move(ctx, repo, name, base, strings.Repeat("0", len(base)))
}

// move moves a branch to commit if it is at old; otherwise the branch stays.
func (w Worktrees) move(ctx context.Context, repo repository, name, commit, old string) error {
	if err := w.elsewhere(repo, name); err != nil {
		return err
	}
	if err := unlock(ctx, w.ref(repo, name)); err != nil {
		return err
	}
	failed, err := w.Program.updateRef(ctx, repo, "-m", "slop", "refs/heads/"+w.branchOf(name), commit, old)
	if err == nil && failed != "" {
		err = problem("the branch %s cannot be set: %s", w.branchOf(name), shown(failed))
	}
	if err == nil && name == Merged {
		err = w.write(Merged, reached, commit)
	}
	return err
}

// elsewhere rejects a branch that is checked out in another worktree, because
// its files would change there.
func (w Worktrees) elsewhere(repo repository, name string) error {
	own := filepath.Join(w.Root, name, ".git")
	admins, err := repo.linkedAdmins()
	if err != nil {
		return err
	}
	for _, admin := range append(admins, repo.common) {
		place := repo.common
		if back := pointer(filepath.Join(admin, "gitdir")); back != "" {
			place = resolve(admin, back)
		} else if admin != repo.common {
			continue // a worktree that was partly removed
		}
		if pointer(filepath.Join(admin, "HEAD")) == "ref: refs/heads/"+w.branchOf(name) && !same(place, own) {
			return problem("the branch %s is checked out in %s, where its files would change while you work; "+
				"check out another one "+
				"there", w.branchOf(name), filepath.Dir(place))
		}
	}
	return nil
}

// free returns an error if one of the user's branches prevents creating ours.
func (w Worktrees) free(ctx context.Context, repo repository) error {
	for _, branch := range []string{"slop", "slop-tickets"} {
		tip, err := w.tip(ctx, repo, branch)
		if err != nil {
			return err
		}
		if tip != "" {
			return problem("the branch %s exists, so no branch can be named %s/…; rename it (git branch -m %s "+
				"…), or set isolation "+
				"= \"shared\"", branch, branch, branch)
		}
	}
	return nil
}

// noSubmodules rejects a commit with submodules, because a worktree would have
// empty folders instead.
func (w Worktrees) noSubmodules(ctx context.Context, repo repository, commit string) error {
	out, failed, err := w.Program.inside(ctx, repo, "ls-tree", "-r", "--full-tree", "--format=%(objectmode)", commit)
	switch {
	case err != nil:
		return err
	case failed != "":
		return problem("git cannot list the files of the project: %s; git 2.38 or newer is needed", shown(failed))
	case strings.Contains(out, "160000"):
		return problem("the repository has submodules, which are missing in the worktrees of tickets; set " +
			"isolation = \"shared\"")
	}
	return nil
}

// uncommitted returns a note about uncommitted changes, which tickets will not see because they start from a commit.
func (w Worktrees) uncommitted(ctx context.Context, repo repository, head string) (string, error) {
	p, err := w.Program.private(ctx, repo)
	if err != nil {
		return "", err
	}
	out, _, err := p.git(ctx, "diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules", "--name-only", "-z", head,
		"--")
	if err = errors.Join(err, p.close()); err != nil || out == "" {
		return "", err
	}
	return fmt.Sprintf("the project has changes in %d files that are not committed; tickets start from the commit and "+
		"do not see them", strings.Count(out, "\x00")), nil
}
