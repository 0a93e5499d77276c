package sessions

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/sessionlog"
)

// sessionStarCommand returns the star or the unstar command.
func sessionStarCommand(g *site.Flags, on bool) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "star ID",
		Short: "Keep the log files of a session",
		Long: `Star keeps the log files of a session for good. Without a star, the engine removes
them at its start if the session ended more than 24 hours ago and has at most 10
messages, no ERROR, WARNING, EXCEPTION or failure, no track or project, and almost
no content. The session stays on record either way; logs/log_registry.toml says
which sessions are kept and why.`,
		Example: `  slop sessions star 7QK2M4`,
	}
	if !on {
		cmd.Use, cmd.Short = "unstar ID", "Remove the star of a session"
		cmd.Long = "Unstar lets the log files of a session be pruned again, if nothing else keeps\nthem; see slop sessions " +
			"star."
		cmd.Example = "  slop sessions unstar 7QK2M4"
	}
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return keep(cmd.Context(), g, args[0], client.KeepRequest{Path: "/api/logs/star", Body: map[string]bool{"on": on},
			Payload: events.SessionStarred{On: on}})
	}
	return cmd
}

// keep records whether the user wants to keep a session's log files.
func keep(ctx context.Context, g *site.Flags, word string, want client.KeepRequest) error {
	return keepIf(ctx, g, word, want, func(projections.Summary) error { return nil })
}

// keepIf is like keep, but skips sessions for which allowed returns false.
func keepIf(ctx context.Context, g *site.Flags, word string, want client.KeepRequest,
	may func(projections.Summary) error) error {
	return client.WithSession(ctx, g, word, func(d client.Client, s projections.Summary) error {
		if err := may(s); err != nil {
			return err
		}
		if err := d.Keep(ctx, s.Session, want); err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
		if g.JSON {
			return g.PrintLine(map[string]string{"status": "ok"})
		}
		g.Printf("ok\n")
		return nil
	})
}

func sessionLogsCommand(g *site.Flags) *cobra.Command {
	var restore bool
	cmd := &cobra.Command{
		Use:   "logs [ID]",
		Short: "Show where the log files of a session are",
		Long: `Logs prints the folder of a session's log files, and each file in it with its size.
Without an ID it is the current session. With --restore, files that were pruned are
written again, by the running engine or the next one, and then kept.`,
		Example: `  slop sessions logs
  slop sessions logs 7QK2M4 --restore`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			word := append(args, "")[0]
			if restore {
				return keep(cmd.Context(), g, word, client.KeepRequest{Path: "/api/logs/restore", Body: struct{}{},
					Payload: events.LogsRestored{}})
			}
			return client.WithSession(cmd.Context(), g, word, func(_ client.Client, s projections.Summary) error {
				return listLogs(g, s)
			})
		},
	}
	cmd.Flags().BoolVar(&restore, "restore", false, "restore files that were pruned")
	return cmd
}

// logFile is one file of a session's logs.
type logFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// logFolder is the output of slop sessions logs --json.
type logFolder struct {
	Session string    `json:"session"`
	Folder  string    `json:"folder"`
	Starred bool      `json:"starred"`
	Pruned  bool      `json:"pruned"`
	Files   []logFile `json:"files"`
}

func listLogs(g *site.Flags, s projections.Summary) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	out := logFolder{Session: s.Session, Folder: path.Join(sessionlog.Base, s.Folder), Starred: s.Starred,
		Pruned: s.Pruned, Files: []logFile{}}
	root := os.DirFS(p.Project)
	err = fs.WalkDir(root, out.Folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			out.Files = append(out.Files, logFile{name[len(out.Folder)+1:], info.Size()})
		}
		return nil
	})
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if g.JSON {
		return g.PrintLine(out)
	}
	return printLogs(g, out, filepath.Join(p.Project, filepath.FromSlash(out.Folder)))
}

func printLogs(g *site.Flags, out logFolder, folder string) error {
	state := ""
	switch {
	case out.Pruned:
		state = " (pruned)"
	case out.Starred:
		state = " (starred)"
	}
	g.Printf("%s%s\n", term.Visible(folder), state)
	for _, f := range out.Files {
		g.Printf("%10d  %s\n", f.Size, term.Visible(f.Name))
	}
	return nil
}
