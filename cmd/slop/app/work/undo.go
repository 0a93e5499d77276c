package work

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

func UndoCommand(g *site.Flags) *cobra.Command {
	var session string
	var to uint64
	cmd := &cobra.Command{
		Use:   "undo [CALL | TICKET]",
		Short: "Restore files to their earlier content",
		Long: `Undo restores the files that one tool call changed, or all calls of a ticket, or
everything that was settled or merged after a position of the log: all of them, or
none. It is refused, with the difference, if a file changed since, whoever changed
it; your own edits are never overwritten. Files that a script changed are restored
too, as long as [shell] checkpoints is on and git would not ignore them. A file that
was removed or replaced gets its permission bits back as well. What programs did
elsewhere (databases, the network, commits) stays, and so does a change of a file's
mode alone. A script that changed links is not undone; the error names them.

With worktrees, work that is not merged is undone in its worktree, and work that was
merged is undone by a commit on the session's branch. Your own branch stays as it
is. One undo writes in one place: if --to covers both, the error says what to undo
first.

An undo is a call like any other: it is recorded, and undoing it redoes the change.
It also works after the session has ended; if no engine is running, the command does
it alone. slop watch and the timeline show the ids of calls. Status 1: nothing was
undone.`,
		Example: `  slop undo 01K2X8D4T0Q4V7N2C5M3B9R6ZY-0
  slop undo T-003
  slop undo --to 120`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteTicket(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (to > 0) {
				return exit.Errorf(exit.Usage, "name one thing to undo: a call, a ticket, or --to SEQ")
			}
			word := ""
			if len(args) == 1 {
				word = args[0]
			}
			return undo(cmd.Context(), g, session, word, to)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	cmd.Flags().Uint64Var(&to, "to", 0, "undo what was settled or merged after sequence `SEQ`")
	return cmd
}

func undo(ctx context.Context, g *site.Flags, session, word string, to uint64) error {
	return withUndo(ctx, g, session, func(d client.Client, session string) error {
		want, err := undoRequest(ctx, d, session, word, to)
		if err != nil {
			return err
		}
		return undoAt(ctx, g, d, session, want)
	})
}

// withUndo calls f with the running engine, or else with the part of an engine that an undo needs.
func withUndo(ctx context.Context, g *site.Flags, session string, f func(d client.Client, session string) error) error {
	err := client.With(ctx, g, session, f)
	if errors.Is(err, site.ErrNoEngine) {
		return undoAlone(ctx, g, session, f)
	}
	return err
}

func undoAt(ctx context.Context, g *site.Flags, d client.Client, session string, want events.UndoRequested) error {
	out, err := d.Undo(ctx, session, want)
	if errors.Is(err, client.ErrControlRefused) {
		why, rest, _ := strings.Cut(err.Error(), "\n")
		if rest != "" {
			g.PrintDiff(g.Err, rest) // the difference, which takes several lines
		}
		return exit.Errorf(exit.Failed, "%s", why)
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return printUndone(g, out)
}

// undoRequest returns the undo request for the ticket or call that word names.
func undoRequest(ctx context.Context, d client.Client, session, word string, to uint64) (events.UndoRequested, error) {
	if to > 0 {
		return events.UndoRequested{ToSeq: to}, nil
	}
	past, err := client.History(ctx, d, session)
	if err != nil {
		return events.UndoRequested{}, err
	}
	for _, e := range past {
		switch p := e.Payload.(type) {
		case events.TicketStarted:
			if p.Ticket.ID == word {
				return events.UndoRequested{Ticket: word}, nil
			}
		case events.ToolApproved:
			if p.Call == word {
				return events.UndoRequested{Call: word}, nil
			}
		}
	}
	return events.UndoRequested{}, exit.Errorf(exit.Failed, "session %s has no call or started ticket %q", session,
		word)
}

func printUndone(g *site.Flags, out *events.ToolSettled) error {
	if out == nil {
		g.Notice("the request is recorded; no worker has carried it out yet")
		out = &events.ToolSettled{Outcome: "accepted"}
	}
	if g.JSON {
		line := map[string]any{"status": out.Outcome, "call": out.Call, "files": out.Files}
		if out.Branch != "" {
			line["branch"] = out.Branch
		}
		return g.PrintLine(line)
	}
	for _, f := range out.Files {
		if f.Written {
			g.Printf("restored %s\n", term.Visible(f.Path))
		}
	}
	if out.Branch != "" {
		g.Printf("on the branch %s: git merge %s merges it into yours\n", out.Branch, out.Branch)
	}
	if out.Call != "" {
		g.Printf("revert this with slop undo %s\n", out.Call)
	}
	return nil
}
