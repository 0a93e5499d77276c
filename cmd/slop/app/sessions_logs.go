package app

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/sessionlog"
)

// sessionStarCommand makes star and unstar.
func sessionStarCommand(g *globals, on bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "star ID",
		Short: "Keep the log files of a session",
		Long: `Star keeps the log files of a session for good. Without a star, the engine
removes them at its start when the session was over for more than 24 hours and
has not more than 10 messages, no ERROR, WARNING, EXCEPTION or failure, no track
or project, and next to nothing in it. What happened stays on record either way;
logs/log_registry.toml says which sessions are kept and why.`,
		Example: `  slop sessions star 7QK2M4`,
	}
	if !on {
		cmd.Use, cmd.Short = "unstar ID", "Take the star of a session away"
		cmd.Long = "Unstar lets the log files of a session be pruned again, if nothing else keeps\nthem; see slop sessions star."
		cmd.Example = "  slop sessions unstar 7QK2M4"
	}
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = g.completeSession(cobra.ShellCompDirectiveNoFileComp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return g.keep(cmd.Context(), args[0], keepRequest{"/api/logs/star", map[string]bool{"on": on}, events.SessionStarred{On: on}})
	}
	return cmd
}

// keep puts the person's word on a session on record.
func (g *globals) keep(ctx context.Context, word string, want keepRequest) error {
	return g.keepIf(ctx, word, want, func(projections.Summary) error { return nil })
}

// keepIf is keep for sessions that may is no error for.
func (g *globals) keepIf(ctx context.Context, word string, want keepRequest, may func(projections.Summary) error) error {
	return g.withPicked(ctx, word, func(d desk, s projections.Summary) error {
		if err := may(s); err != nil {
			return err
		}
		if err := d.keep(ctx, s.Session, want); err != nil {
			return failed(exitFailed, "%w", err)
		}
		if g.json {
			return g.printLine(map[string]string{"status": "ok"})
		}
		g.printf("ok\n")
		return nil
	})
}

func sessionLogsCommand(g *globals) *cobra.Command {
	var restore bool
	cmd := &cobra.Command{
		Use:   "logs [ID]",
		Short: "Where the log files of a session are",
		Long: `Logs prints the folder of a session's log files, and each file in it with its
size. Without an ID it is the current session. With --restore, files that were
pruned come back, and stay; the engine that runs, or the next one, writes them.`,
		Example: `  slop sessions logs
  slop sessions logs 7QK2M4 --restore`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: g.completeSession(cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			word := append(args, "")[0]
			if restore {
				return g.keep(cmd.Context(), word, keepRequest{"/api/logs/restore", struct{}{}, events.LogsRestored{}})
			}
			return g.withPicked(cmd.Context(), word, func(_ desk, s projections.Summary) error { return g.listLogs(s) })
		},
	}
	cmd.Flags().BoolVar(&restore, "restore", false, "bring back files that were pruned")
	return cmd
}

// logFile is one file of a session's logs.
type logFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// logFolder is what slop sessions logs --json prints.
type logFolder struct {
	Session string    `json:"session"`
	Folder  string    `json:"folder"`
	Starred bool      `json:"starred"`
	Pruned  bool      `json:"pruned"`
	Files   []logFile `json:"files"`
}

func (g *globals) listLogs(s projections.Summary) error {
	p, err := g.place()
	if err != nil {
		return err
	}
	out := logFolder{Session: s.Session, Folder: path.Join(sessionlog.Base, s.Folder), Starred: s.Starred, Pruned: s.Pruned, Files: []logFile{}}
	root := os.DirFS(p.project)
	err = fs.WalkDir(root, out.Folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is not listed
		}
		if info, err := entry.Info(); err == nil {
			out.Files = append(out.Files, logFile{name[len(out.Folder)+1:], info.Size()})
		}
		return nil
	})
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	if g.json {
		return g.printLine(out)
	}
	return g.printLogs(out, filepath.Join(p.project, filepath.FromSlash(out.Folder)))
}

func (g *globals) printLogs(out logFolder, folder string) error {
	state := ""
	switch {
	case out.Pruned:
		state = " (pruned)"
	case out.Starred:
		state = " (starred)"
	}
	g.printf("%s%s\n", visible(folder), state)
	for _, f := range out.Files {
		g.printf("%10d  %s\n", f.Size, visible(f.Name))
	}
	return nil
}
