// Package sessions has the commands below "slop sessions".
package sessions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
)

func Command(g *site.Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List and manage the sessions on record",
		Long: `Sessions lists every session of the project, the oldest first: its id, when it was
opened, its state or the outcome of its goal, its waiting asks, its tickets (done of
planned), what its models cost, how long it took, and its goal. It uses the running engine, or
opens the store if no engine is running. With --json each line is one session.`,
		Example: `  slop sessions
  slop sessions --json
  slop sessions show 7QK2M4`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listSessions(cmd.Context(), g) },
	}
	cmd.AddCommand(sessionShowCommand(g), sessionCloseCommand(g), sessionUpgradeCommand(g), sessionStarCommand(g, true),
		sessionStarCommand(g, false), sessionLogsCommand(g))
	cmd.AddCommand(sessionRemoveCommand(g), sessionPruneCommand(g))
	return cmd
}

func listSessions(ctx context.Context, g *site.Flags) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	var list []projections.Summary
	current := ""
	if g.Remote(p) || client.HasStore(p.Data) {
		d, err := client.OpenRecord(ctx, g, p)
		if err != nil {
			return err
		}
		defer d.Close()
		if list, current, err = d.Sessions(ctx); err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
	}
	return printSessions(g, list, current)
}

// sessionLine is one line of slop sessions --json.
type sessionLine struct {
	projections.Summary
	Current bool `json:"current,omitempty"`
}

func printSessions(g *site.Flags, list []projections.Summary, current string) error {
	if g.JSON {
		for _, s := range list {
			if err := g.PrintLine(sessionLine{s, s.Session == current}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		g.Printf("no sessions yet\n")
		return nil
	}
	rows := [][]string{{"SESSION", "OPENED", "STATE", "ASKS", "TICKETS", "COST", "TIME", "GOAL"}}
	for _, s := range list {
		until := time.Now()
		if s.Closed != nil {
			until = *s.Closed
		}
		rows = append(rows, []string{s.Session, term.Clock(s.Opened), sessionState(s), fmt.Sprint(s.PendingAsks),
			fmt.Sprintf("%d/%d", s.TicketsDone, s.Tickets), term.Cost(s.MicroDollars, s.Unpriced),
			term.Age(until.Sub(s.Opened)), term.Visible(term.OneLine(term.OrDash(s.Goal)))})
	}
	term.PrintTable(g.Out, rows)
	return nil
}

func sessionState(s projections.Summary) string {
	switch {
	case s.Closed != nil:
		return term.FirstOf(s.Outcome, "closed")
	case s.Stalled != "":
		return "stalled"
	}
	return s.State
}

func sessionShowCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "show [ID]",
		Short: "Show one session",
		Long: `Show prints the state of a session: its goal, tracks and tickets, calls of tools,
asks, and the tokens that it used. Without an ID it is the current session. With
--json it is one object.`,
		Example: `  slop sessions show
  slop sessions show 7QK2M4 --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return WithSession(cmd.Context(), g, slices.Concat(args, []string{""})[0], func(_ context.Context, d client.Client,
				s projections.Summary, set *projections.Set) error {
				return showSession(g, s, set)
			})
		},
	}
}

// WithSession calls fn with the current state of a session.
func WithSession(ctx context.Context, g *site.Flags, word string, f func(ctx context.Context, d client.Client,
	s projections.Summary, set *projections.Set) error) error {
	return client.WithSession(ctx, g, word, func(d client.Client, s projections.Summary) error {
		set, err := client.Folded(ctx, d, s.Session)
		if err != nil {
			return err
		}
		return f(ctx, d, s, set)
	})
}

// WithHistory calls fn with the events of a session, from the running engine or, if none is running, from the store.
func WithHistory(ctx context.Context, g *site.Flags, word string, f func(d client.Client, s projections.Summary,
	past []events.Event) error) error {
	return client.WithSession(ctx, g, word, func(d client.Client, s projections.Summary) error {
		past, err := client.History(ctx, d, s.Session)
		if err != nil {
			return exit.Errorf(exit.Failed, "read session %s: %w", s.Session, err)
		}
		return f(d, s, past)
	})
}

// sessionDetail is the output of slop sessions show --json.
type sessionDetail struct {
	projections.Summary
	Seq     uint64                   `json:"seq"`
	Tracks  []projections.TrackState `json:"tracks"`
	Tickets []projections.TicketRow  `json:"tickets"`
	Calls   []projections.ToolCall   `json:"calls"`
	Asks    []client.Ask             `json:"asks"`
	Cost    projections.Cost         `json:"cost"`
}

func showSession(g *site.Flags, s projections.Summary, set *projections.Set) error {
	if g.JSON {
		return g.PrintLine(sessionDetail{s, set.Seq(), set.MMAStatus().Tracks, set.Tickets(), set.ToolCalls(),
			client.FoldAsks(set), set.Cost()})
	}
	rows := [][]string{
		{"session", s.Session}, {"folder", s.Folder}, {"workspace", s.Workspace}, {"goal", term.OneLine(s.Goal)},
		{"opened", term.Clock(s.Opened)}, {"state", sessionState(s)}, {"stalled", s.Stalled},
	}
	if s.Closed != nil {
		rows = append(rows, []string{"closed", fmt.Sprintf("%s after %s: %s", term.Clock(*s.Closed),
			s.Closed.Sub(s.Opened).Round(time.Second), s.CloseReason)})
	}
	total := set.Cost().Total
	rows = append(rows,
		[]string{"events", fmt.Sprintf("up to sequence %d", set.Seq())},
		[]string{"tools", fmt.Sprintf("%d calls", len(set.ToolCalls()))},
		[]string{"asks", fmt.Sprintf("%d, %d of them open", len(set.Asks()), len(set.OpenAsks()))},
		[]string{"tokens", fmt.Sprintf("%d in, %d out, in %d requests", total.Input, total.Output, total.Requests)})
	term.PrintFields(g.Out, rows)
	return printTickets(g, set)
}

func printTickets(g *site.Flags, set *projections.Set) error {
	tickets := set.Tickets()
	if len(tickets) == 0 {
		return nil
	}
	fmt.Fprintln(g.Out)
	rows := [][]string{{"TICKET", "TRACK", "STATUS", "ATTEMPTS", "WHAT"}}
	for _, t := range tickets {
		what := term.OneLine(t.Description)
		if t.BlockedReason != nil {
			what += " [" + term.OneLine(*t.BlockedReason) + "]"
		}
		rows = append(rows, []string{term.Visible(t.ID), term.Visible(t.Track), t.Status, fmt.Sprint(t.Attempt),
			term.Visible(what)})
	}
	term.PrintTable(g.Out, rows)
	return nil
}
