package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
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
func worktreesOf(p site.Place, sessions []string) ([]leftover, error) {
	var out []leftover
	for _, session := range sessions {
		trees := git.Worktrees{Root: filepath.Join(p.Data, site.WorktreesFolder, session)}
		names, err := trees.Left()
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "%w", err)
		}
		for _, name := range names {
			out = append(out, leftover{session, filepath.Join(trees.Root, name), name == git.Merged})
		}
	}
	return out, nil
}

// removeWorktrees removes the worktrees of removed sessions, and the branches of their tickets. Branches of merged
// work stay.
func removeWorktrees(ctx context.Context, p site.Place, sessions []string) error {
	if !slices.ContainsFunc(sessions, func(s string) bool { return hasWorktrees(p, s) }) {
		return nil
	}
	env, err := p.ToolEnv()
	if err != nil {
		return err
	}
	defer func() { _ = env.Workspace.Close() }()
	program, found := env.Git()
	if !found {
		return exit.Errorf(exit.Failed, "the worktrees in %s stay: git is not installed; install it and repeat this command",
			filepath.Join(p.Data, site.WorktreesFolder))
	}
	for _, session := range sessions {
		trees := git.Worktrees{Program: program, Project: p.Project, Root: filepath.Join(p.Data, site.WorktreesFolder,
			session), Session: session}
		if err := trees.Discard(ctx); err != nil {
			return exit.Errorf(exit.Failed, "remove the worktrees of %s: %w", session, err)
		}
	}
	return nil
}

func hasWorktrees(p site.Place, session string) bool {
	_, err := os.Lstat(filepath.Join(p.Data, site.WorktreesFolder, session))
	return err == nil
}

// sweepWorktrees removes the worktrees that an interrupted removal left behind: those of sessions that are no longer
// in the record.
func sweepWorktrees(ctx context.Context, g *site.Flags, p site.Place, d client.Client) error {
	entries, err := os.ReadDir(filepath.Join(p.Data, site.WorktreesFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	list, _, err := d.Sessions(ctx)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
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
	g.Notice("removing worktrees of %s, left by an interrupted removal", counted(len(gone), "session"))
	return removeWorktrees(ctx, p, gone)
}

// removeLogs removes the log files of sessions, and names each file that remains because it is not a log. As long as
// a session is in the record, its files are written again.
func removeLogs(g *site.Flags, p site.Place, gone []projections.Summary) error {
	root, err := os.OpenRoot(p.Project)
	if err != nil {
		return exit.Errorf(exit.Failed, "remove log files: %w", err)
	}
	defer root.Close()
	for _, s := range gone {
		if s.Folder == "" {
			continue
		}
		foreign, err := sessionlog.Remove(root, s.Folder)
		if errors.Is(err, sessionlog.ErrFolder) {
			continue // no log writer created these files
		}
		if err != nil {
			return exit.Errorf(exit.Failed, "remove the log files of %s: %w", s.Session, err)
		}
		if len(foreign) > 0 {
			g.Notice("%s stays: %s in it is not a log", filepath.Join(p.Project, filepath.FromSlash(sessionlog.Base), s.Folder),
				foreign[0])
		}
	}
	return nil
}

// logsSize returns the total size of the log files of sessions.
func logsSize(p site.Place, gone []projections.Summary) (n int64) {
	for _, s := range gone {
		if s.Folder != "" && s.Folder == filepath.Base(s.Folder) {
			n += folderSize(filepath.Join(p.Project, filepath.FromSlash(sessionlog.Base), s.Folder))
		}
	}
	return n
}
