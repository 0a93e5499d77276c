package site

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"manualslop/cmd/slop/exit"
	"manualslop/events"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

// WorktreesFolder holds the worktrees of attempts, in the folder of the record.
const WorktreesFolder = "worktrees"

// treesPatience is how long a worker waits for another process at the worktrees
// of a session before it does something else.
const treesPatience = 30 * time.Second

// Workspaces is where a worker makes places of their own for attempts; nil
// without git. A worktree is all that its tools reach, and no other base
// directory.
func (p Place) Workspaces(env tools.Env) *runtime.Workspaces {
	program, found := env.Git()
	if !found {
		return nil
	}
	return &runtime.Workspaces{Git: program, Project: p.Project, Root: filepath.Join(p.Data, WorktreesFolder),
		Patience: treesPatience,
		Open: func(dir string) (*sandbox.Workspace, error) {
			return sandbox.Open(p.gate(sandbox.Config{Primary: dir}))
		}}
}

// CheckIsolation refuses a session whose tickets could not have the worktrees
// that the configuration wants, and says what to do.
func (p Place) CheckIsolation(ctx context.Context) error {
	if p.Config.MMA.Isolation != events.IsolationWorktree {
		return nil
	}
	env, err := p.ToolEnv()
	if err != nil {
		return err
	}
	defer func() { _ = env.Workspace.Close() }()
	w := p.Workspaces(env)
	if w == nil {
		return exit.Errorf(exit.Usage, "[mma] isolation = \"worktree\" needs git, which is not installed; install it, or "+
			"set isolation = \"shared\"")
	}
	err = git.Worktrees{Program: w.Git, Project: p.Project}.Check(ctx)
	var problem *git.Problem
	if errors.As(err, &problem) {
		return exit.Errorf(exit.Usage, "[mma] isolation = \"worktree\": %s", problem.Text)
	}
	return err
}

// TidyWorktrees removes the worktree of what a session merged. Its branch stays.
func (p Place) TidyWorktrees(ctx context.Context, session string) error {
	root := filepath.Join(p.Data, WorktreesFolder, session)
	if _, err := os.Lstat(filepath.Join(root, git.Merged)); err != nil {
		return nil
	}
	env, err := p.ToolEnv()
	if err != nil {
		return err
	}
	defer func() { _ = env.Workspace.Close() }()
	program, found := env.Git()
	if !found {
		return nil
	}
	return git.Worktrees{Program: program, Project: p.Project, Root: root, Session: session}.Tidy(ctx)
}
