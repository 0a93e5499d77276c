package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/diffs"
)

// changesOptions are the flags of slop changes.
type changesOptions struct {
	session, ticket, accept, undo string
	diff, all                     bool
}

func ChangesCommand(g *site.Flags) *cobra.Command {
	var o changesOptions
	cmd := &cobra.Command{
		Use:   "changes [TICKET]",
		Short: "List the files that calls changed, accept or undo one",
		Long: `Changes lists the files that the calls of a session changed, or those of one ticket:
lines added and removed since before the first change, and by whom. --diff prints the
difference. A file with its original content again is not listed. With --json each
line is one file with its diff and its writes. A file that several tickets changed in
worktrees at once has no difference and cannot be accepted, because the merged content
is not recorded; name a ticket to see its part.

--accept FILE takes a file off the list until it changes again; --all lists it
anyway. --undo FILE restores that file alone to its content before the session,
or before the ticket, under the rules of slop undo: it is refused, with the
difference, if somebody else changed the file since.

Calls of scripts whose changes are not recorded are named below the list.`,
		Example: `  slop changes
  slop changes T-003 --diff
  slop changes --accept page.py
  slop changes T-003 --undo page.py`,
		Args: func(_ *cobra.Command, args []string) error {
			if o.accept != "" && o.undo != "" {
				return errors.New("give --accept or --undo, not both")
			}
			if len(args) > 1 {
				return errors.New("give at most one TICKET")
			}
			return nil
		},
		ValidArgsFunction: command.CompleteTicket(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ticket = strings.Join(args, "")
			return changes(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "use session `ID` instead of the current one")
	f.StringVar(&o.accept, "accept", "", "accept `FILE` as it is now")
	f.StringVar(&o.undo, "undo", "", "restore `FILE`")
	f.BoolVar(&o.diff, "diff", false, "print the differences")
	f.BoolVar(&o.all, "all", false, "also list accepted files")
	for _, flag := range []string{"accept", "undo"} {
		if err := cmd.RegisterFlagCompletionFunc(flag, completeChanged(g)); err != nil {
			panic(err) // the flag was just defined
		}
	}
	return cmd
}

// completeChanged completes the changed files of the current session of a running engine.
func completeChanged(g *site.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		var out []string
		command.WhileRunning(g, cmd, nil, func(ctx context.Context) error {
			return client.With(ctx, g, "", func(d client.Client, session string) error {
				list, err := d.Changes(ctx, session)
				for _, f := range list.Files {
					out = append(out, f.Path)
				}
				return err
			})
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func changes(ctx context.Context, g *site.Flags, o changesOptions) error {
	if o.undo != "" {
		return withUndo(ctx, g, o.session, func(d client.Client, session string) error {
			all, err := d.Changes(ctx, session)
			if err != nil {
				return err
			}
			if _, err := o.change(all, o.undo); err != nil {
				return err
			}
			return undoAt(ctx, g, d, session, events.UndoRequested{Ticket: o.ticket, Path: o.undo})
		})
	}
	return client.WithSession(ctx, g, o.session, func(d client.Client, s projections.Summary) error {
		all, err := d.Changes(ctx, s.Session)
		if err != nil {
			return err
		}
		if o.accept != "" {
			return accept(ctx, g, d, s.Session, all, o)
		}
		return printChanges(ctx, g, d, o.of(all), o)
	})
}

// of returns the changes of the ticket, or all changes if no ticket is given.
func (o changesOptions) of(all projections.Changes) projections.Changes {
	if o.ticket == "" {
		return all
	}
	return all.Of(o.ticket)
}

// change returns the change of a file.
func (o changesOptions) change(all projections.Changes, file string) (projections.Change, error) {
	files := o.of(all).Files
	i := slices.IndexFunc(files, func(f projections.Change) bool { return f.Path == file })
	if i < 0 {
		return projections.Change{}, exit.Errorf(exit.Failed,
			"%q is not among the changed files; `slop changes` lists them", file)
	}
	return files[i], nil
}

func accept(ctx context.Context, g *site.Flags, d client.Client, session string, all projections.Changes,
	o changesOptions) error {
	f, err := o.change(all, o.accept)
	if err != nil {
		return err
	}
	for _, whole := range all.Files {
		if whole.Path == f.Path && whole.Workspace == f.Workspace && whole.Unknown != "" {
			return exit.Errorf(exit.Failed, "%q cannot be accepted: %s; `slop changes TICKET --diff` shows what "+
				"one ticket changed",
				f.Path, whole.Unknown)
		}
	}
	said := events.ChangeAccepted{Path: f.Path, SHA256: f.After}
	err = d.Keep(ctx, session, client.KeepRequest{Path: "/api/changes/accept", Body: said, Payload: said})
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	if g.JSON {
		return g.PrintLine(map[string]string{"status": "ok", "path": f.Path})
	}
	g.Printf("accepted %s\n", term.Visible(f.Path))
	return nil
}

func printChanges(ctx context.Context, g *site.Flags, d client.Client, list projections.Changes,
	o changesOptions) error {
	rows := [][]string{{"FILE", "+", "-", "BY", ""}}
	var shown []diffs.File
	accepted := 0
	for _, f := range list.Files {
		if f.Accepted && !o.all {
			accepted++
			continue
		}
		c := diffs.Of(ctx, d.Blobs(), f)
		shown = append(shown, c)
		if g.JSON {
			if err := g.PrintLine(c); err != nil {
				return err
			}
			continue
		}
		added, removed := fmt.Sprint(c.Added), fmt.Sprint(c.Removed)
		if c.NoDiff != "" {
			added, removed = "?", "?"
		}
		rows = append(rows, []string{term.Visible(f.Path), added, removed, term.Visible(byWhom(f)),
			term.Visible(ChangeNote(c))})
	}
	if g.JSON {
		return nil
	}
	if len(rows) > 1 {
		term.PrintTable(g.Out, rows)
	} else {
		g.Printf("no changes\n")
	}
	for _, c := range shown {
		if o.diff && c.Diff != "" {
			fmt.Fprintln(g.Out)
			g.PrintDiff(g.Out, c.Diff)
		}
	}
	if accepted > 0 {
		g.Notice("%d accepted; --all also lists them", accepted)
	}
	for _, u := range list.Unseen {
		g.Notice("%s %s may have changed files that are not listed: slop show %s", term.OrDash(u.Ticket), u.Tool, u.Call)
	}
	return nil
}

// byWhom names the tickets that wrote a file, or the people or clients whose calls have no ticket.
func byWhom(f projections.Change) string {
	var out []string
	for _, w := range f.Writes {
		if name := term.FirstOf(w.Ticket, w.Tool+" by "+w.By); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// ChangeNote describes what the numbers do not show.
func ChangeNote(c diffs.File) string {
	var out []string
	switch {
	case c.Before == "":
		out = append(out, "new")
	case c.After == "" && c.Unknown == "":
		out = append(out, "removed")
	}
	if c.Workspace != "" {
		out = append(out, "in "+c.Workspace)
	}
	if c.Accepted {
		out = append(out, "accepted")
	}
	if c.NoDiff != "" {
		out = append(out, c.NoDiff)
	}
	return strings.Join(out, ", ")
}
