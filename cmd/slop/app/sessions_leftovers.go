package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/sessionlog"
	"manualslop/tools/git"
)

// leftover is a worktree of a session.
type leftover struct {
	Session string `json:"session"`
	Path    string `json:"path"`
	Merged  bool   `json:"merged"` // everything in it is on the session's branch
}

// worktreesOf lists the worktrees of sessions.
func (p place) worktreesOf(sessions []string) ([]leftover, error) {
	var out []leftover
	for _, session := range sessions {
		trees := git.Worktrees{Root: filepath.Join(p.data, worktreesFolder, session)}
		names, err := trees.Left()
		if err != nil {
			return nil, failed(exitFailed, "%w", err)
		}
		for _, name := range names {
			out = append(out, leftover{session, filepath.Join(trees.Root, name), name == git.Merged})
		}
	}
	return out, nil
}

// removeWorktrees removes the worktrees of sessions that are gone, and the
// branches of their tickets. The branches of what was merged stay.
func (p place) removeWorktrees(ctx context.Context, sessions []string) error {
	if !slices.ContainsFunc(sessions, p.hasWorktrees) {
		return nil
	}
	env, err := p.toolEnv()
	if err != nil {
		return err
	}
	defer func() { _ = env.Workspace.Close() }()
	program, found := env.Git()
	if !found {
		return failed(exitFailed, "the worktrees in %s stay: git is not installed; install it and repeat this command", filepath.Join(p.data, worktreesFolder))
	}
	for _, session := range sessions {
		trees := git.Worktrees{Program: program, Project: p.project, Root: filepath.Join(p.data, worktreesFolder, session), Session: session}
		if err := trees.Discard(ctx); err != nil {
			return failed(exitFailed, "remove the worktrees of %s: %w", session, err)
		}
	}
	return nil
}

func (p place) hasWorktrees(session string) bool {
	_, err := os.Lstat(filepath.Join(p.data, worktreesFolder, session))
	return err == nil
}

// sweepWorktrees removes what a killed removal left of sessions that are not on
// record any more.
func (g *globals) sweepWorktrees(ctx context.Context, p place, d desk) error {
	entries, err := os.ReadDir(filepath.Join(p.data, worktreesFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	list, _, err := d.sessions(ctx)
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	known := idsOf(list)
	var gone []string
	for _, entry := range entries {
		if entry.IsDir() && events.ValidToken(entry.Name()) && !slices.Contains(known, entry.Name()) {
			gone = append(gone, entry.Name())
		}
	}
	if len(gone) == 0 {
		return nil
	}
	g.notice("removing the worktrees of %s that an interrupted removal left", counted(len(gone), "session"))
	return p.removeWorktrees(ctx, gone)
}

// removeLogs removes the log files of sessions, and names a file that stays because
// it is not a log. While a session is on record its files are made again.
func (g *globals) removeLogs(p place, gone []projections.Summary) error {
	root, err := os.OpenRoot(p.project)
	if err != nil {
		return failed(exitFailed, "remove log files: %w", err)
	}
	defer root.Close()
	for _, s := range gone {
		if s.Folder == "" {
			continue
		}
		foreign, err := sessionlog.Remove(root, s.Folder)
		if errors.Is(err, sessionlog.ErrFolder) {
			continue // no writer made files there
		}
		if err != nil {
			return failed(exitFailed, "remove the log files of %s: %w", s.Session, err)
		}
		if len(foreign) > 0 {
			g.notice("%s stays: %s in it is not a log", filepath.Join(p.project, filepath.FromSlash(sessionlog.Base), s.Folder), foreign[0])
		}
	}
	return nil
}

// logsSize adds up the log files of sessions.
func (p place) logsSize(gone []projections.Summary) (n int64) {
	for _, s := range gone {
		if s.Folder != "" && s.Folder == filepath.Base(s.Folder) {
			n += folderSize(filepath.Join(p.project, filepath.FromSlash(sessionlog.Base), s.Folder))
		}
	}
	return n
}
