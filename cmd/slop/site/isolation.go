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

// WorktreesFolder holds the worktrees of attempts, in the data folder.
const WorktreesFolder = "worktrees"

// treesPatience is how long a worker waits while another process uses the worktrees of a session before it does
// something else.
const treesPatience = 30 * time.Second

// Workspaces returns the function with which a worker creates separate worktrees for attempts, or nil without git.
// Tools of an attempt reach only its worktree and no other base directory.
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

// CheckIsolation returns an error, with advice, if the tickets of a session cannot have the configured worktrees.
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

// TidyWorktrees removes the worktree in which a session merged its work. Its branch stays.
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
