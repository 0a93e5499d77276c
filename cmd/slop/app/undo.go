package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/events"
	"manualslop/hookgw/hookclient"
)

func undoCommand(g *globals) *cobra.Command {
	var session string
	var to uint64
	cmd := &cobra.Command{
		Use:   "undo [CALL | TICKET]",
		Short: "Give files the content that they had",
		Long: `Undo restores the files that one tool call changed, or all calls of a ticket, or
everything that was settled behind a position of the log: all of them, or none.
It is refused, with the difference, where a file changed since, whoever did it;
your own edits are never overwritten. Files that a script changed are restored
too, as long as [shell] checkpoints is on and git would not ignore them. A file
that was removed or replaced gets its permission bits back as well. What programs
did elsewhere (databases, the network, commits) stays, and so does a mode that
alone was changed. A script that changed links is not undone; the error names them.

With worktrees, work that is not merged is undone in its worktree, and work that
is merged by a commit on the session's branch. Your own branch stays as it is.
One undo writes in one place: --to over both says what to undo first.

An undo is a call like any other: it is on record, and undoing it redoes. It
works after the session, too; where no engine runs, the command does it alone.
slop watch and the timeline show the ids of calls. Status 1: nothing was undone.`,
		Example: `  slop undo 01K2X8D4T0Q4V7N2C5M3B9R6ZY-0
  slop undo T-003
  slop undo --to 120`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: g.completeTicket,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (to > 0) {
				return failed(exitUsage, "name one thing to undo: a call, a ticket, or --to SEQ")
			}
			word := ""
			if len(args) == 1 {
				word = args[0]
			}
			return g.undo(cmd.Context(), session, word, to)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	cmd.Flags().Uint64Var(&to, "to", 0, "undo what was settled behind sequence `SEQ`")
	return cmd
}

func (g *globals) undo(ctx context.Context, session, word string, to uint64) error {
	do := func(d desk, session string) error { return g.undoAt(ctx, d, session, word, to) }
	err := g.withDesk(ctx, session, do)
	if errors.Is(err, errNoEngine) {
		return g.undoAlone(ctx, session, do)
	}
	return err
}

func (g *globals) undoAt(ctx context.Context, d desk, session, word string, to uint64) error {
	want, err := undoWish(ctx, d, session, word, to)
	if err != nil {
		return err
	}
	out, err := d.undo(ctx, session, want)
	if errors.Is(err, errControlRefused) {
		why, rest, _ := strings.Cut(err.Error(), "\n")
		if rest != "" {
			fmt.Fprintln(g.err, rest) // the difference, which one line cannot hold
		}
		return failed(exitFailed, "%s", why)
	}
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	return g.printUndone(out)
}

// undoWish tells whether a word is a ticket or a call of a session.
func undoWish(ctx context.Context, d desk, session, word string, to uint64) (events.UndoRequested, error) {
	if to > 0 {
		return events.UndoRequested{ToSeq: to}, nil
	}
	past, err := history(ctx, d, session)
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
	return events.UndoRequested{}, failed(exitFailed, "session %s has no call and no started ticket %q", session, word)
}

func (g *globals) printUndone(out *events.ToolSettled) error {
	if out == nil {
		g.notice("the request is on record; no worker has carried it out yet")
		out = &events.ToolSettled{Outcome: "accepted"}
	}
	if g.json {
		line := map[string]any{"status": out.Outcome, "call": out.Call, "files": out.Files}
		if out.Branch != "" {
			line["branch"] = out.Branch
		}
		return g.printLine(line)
	}
	for _, f := range out.Files {
		if f.Written {
			g.printf("restored %s\n", visible(f.Path))
		}
	}
	if out.Branch != "" {
		g.printf("on the branch %s: git merge %s brings it to yours\n", out.Branch, out.Branch)
	}
	if out.Call != "" {
		g.printf("slop undo %s takes it back\n", out.Call)
	}
	return nil
}

// undoOutcome reads what an event says of the undo with this event id; over
// when it is the last word.
func undoOutcome(e *events.Event, request string) (out *events.ToolSettled, over bool, err error) {
	switch p := e.Payload.(type) {
	case events.UndoRefused:
		if p.Request == request {
			return nil, true, wrapped{errControlRefused, errors.New(eachVisible(p.Reason))}
		}
	case events.ToolSettled:
		if p.Call != events.UndoCall(request) || p.Outcome == events.ToolInterrupted {
			break
		}
		if p.Outcome != events.ToolDone {
			return nil, true, wrapped{errControlRefused, errors.New(eachVisible(p.Text))}
		}
		return &p, true, nil
	}
	return nil, false, nil
}

func (d *busDesk) undo(ctx context.Context, session string, want events.UndoRequested) (*events.ToolSettled, error) {
	seq, id, err := d.say(ctx, session, want)
	if err != nil {
		return nil, err
	}
	var out *events.ToolSettled
	err = d.await(ctx, session, "", seq, func(e *events.Event) (over bool, err error) {
		out, over, err = undoOutcome(e, id)
		return over, err
	})
	return out, err
}

func (d *apiDesk) undo(ctx context.Context, session string, want events.UndoRequested) (*events.ToolSettled, error) {
	raw, err := json.Marshal(want)
	if err != nil {
		return nil, err
	}
	body := map[string]any{}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	var out struct {
		Call   string             `json:"call"`
		Files  []events.FileState `json:"files"`
		Branch string             `json:"branch"`
	}
	status, err := d.person.Call(ctx, http.MethodPost, "/api/undo", url.Values{"session": {session}}, body, &out)
	var refused *hookclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return nil, wrapped{errControlRefused, errors.New(eachVisible(refused.Message))}
	}
	if err != nil || status == http.StatusAccepted {
		return nil, err
	}
	return &events.ToolSettled{Call: out.Call, Outcome: events.ToolDone, Files: out.Files, Branch: out.Branch}, nil
}
