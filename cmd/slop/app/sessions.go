package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"manualslop/events"
	"manualslop/projections"
)

func sessionsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "The sessions on record",
		Long: `Sessions lists every session of the project, the oldest first: its id, when it
was opened, what it is at, the asks that wait, and its goal. It asks the engine
that runs, or opens the store where none does. With --json each line is one
session.`,
		Example: `  slop sessions
  slop sessions --json
  slop sessions show 7QK2M4`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.listSessions(cmd.Context()) },
	}
	cmd.AddCommand(sessionShowCommand(g), sessionCloseCommand(g), sessionUpgradeCommand(g), sessionStarCommand(g, true), sessionStarCommand(g, false), sessionLogsCommand(g))
	cmd.AddCommand(sessionRemoveCommand(g), sessionPruneCommand(g))
	return cmd
}

func (g *globals) listSessions(ctx context.Context) error {
	p, err := g.place()
	if err != nil {
		return err
	}
	var list []projections.Summary
	current := ""
	if g.remote(p) || hasStore(p.data) {
		d, err := g.openRecord(ctx, p)
		if err != nil {
			return err
		}
		defer d.close()
		if list, current, err = d.sessions(ctx); err != nil {
			return failed(exitFailed, "%w", err)
		}
	}
	return g.printSessions(list, current)
}

// sessionLine is one line of slop sessions --json.
type sessionLine struct {
	projections.Summary
	Current bool `json:"current,omitempty"`
}

func (g *globals) printSessions(list []projections.Summary, current string) error {
	if g.json {
		for _, s := range list {
			if err := g.printLine(sessionLine{s, s.Session == current}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		g.printf("there is no session yet\n")
		return nil
	}
	rows := [][]string{{"SESSION", "OPENED", "STATE", "ASKS", "GOAL"}}
	for _, s := range list {
		rows = append(rows, []string{s.Session, clock(s.Opened), sessionState(s), fmt.Sprint(s.PendingAsks), visible(oneLine(orDash(s.Goal)))})
	}
	printTable(g.out, rows)
	return nil
}

func sessionState(s projections.Summary) string {
	switch {
	case s.Closed != nil:
		return "closed"
	case s.Stalled != "":
		return "stalled"
	}
	return s.State
}

func sessionShowCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "show [ID]",
		Short: "Show one session",
		Long: `Show prints what a session came to: its goal, tracks and tickets, calls of tools,
asks, and the tokens that it used. Without an ID it is the current session. With
--json it is one object.`,
		Example: `  slop sessions show
  slop sessions show 7QK2M4 --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: g.completeSession(cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withSession(cmd.Context(), slices.Concat(args, []string{""})[0], func(_ context.Context, d desk, s projections.Summary, set *projections.Set) error {
				return g.showSession(s, set)
			})
		},
	}
}

// withSession hands over a session, folded as it stands now.
func (g *globals) withSession(ctx context.Context, word string, f func(ctx context.Context, d desk, s projections.Summary, set *projections.Set) error) error {
	return g.withHistory(ctx, word, func(d desk, s projections.Summary, past []events.Event) error {
		set := projections.NewSet()
		for i := range past {
			set.Apply(&past[i])
		}
		return f(ctx, d, s, set)
	})
}

// withHistory hands over the events of a session, from the engine that runs or
// from the store where none does.
func (g *globals) withHistory(ctx context.Context, word string, f func(d desk, s projections.Summary, past []events.Event) error) error {
	return g.withPicked(ctx, word, func(d desk, s projections.Summary) error {
		past, err := history(ctx, d, s.Session)
		if err != nil {
			return failed(exitFailed, "read session %s: %w", s.Session, err)
		}
		return f(d, s, past)
	})
}

// sessionDetail is what slop sessions show --json prints.
type sessionDetail struct {
	projections.Summary
	Seq     uint64                   `json:"seq"`
	Tracks  []projections.TrackState `json:"tracks"`
	Tickets []projections.TicketRow  `json:"tickets"`
	Calls   []projections.ToolCall   `json:"calls"`
	Asks    []askLine                `json:"asks"`
	Cost    projections.Cost         `json:"cost"`
}

func (g *globals) showSession(s projections.Summary, set *projections.Set) error {
	if g.json {
		return g.printLine(sessionDetail{s, set.Seq(), set.MMAStatus().Tracks, set.Tickets(), set.ToolCalls(), foldAsks(set), set.Cost()})
	}
	rows := [][]string{
		{"session", s.Session}, {"folder", s.Folder}, {"workspace", s.Workspace}, {"goal", oneLine(s.Goal)},
		{"opened", clock(s.Opened)}, {"state", sessionState(s)}, {"stalled", s.Stalled},
	}
	if s.Closed != nil {
		rows = append(rows, []string{"closed", fmt.Sprintf("%s after %s: %s", clock(*s.Closed), s.Closed.Sub(s.Opened).Round(time.Second), s.CloseReason)})
	}
	total := set.Cost().Total
	rows = append(rows,
		[]string{"events", fmt.Sprintf("up to sequence %d", set.Seq())},
		[]string{"tools", fmt.Sprintf("%d calls", len(set.ToolCalls()))},
		[]string{"asks", fmt.Sprintf("%d, %d of them open", len(set.Asks()), len(set.OpenAsks()))},
		[]string{"tokens", fmt.Sprintf("%d in, %d out, in %d requests", total.Input, total.Output, total.Requests)})
	kept := rows[:0]
	for _, row := range rows {
		if row[1] != "" {
			kept = append(kept, []string{row[0], visible(row[1])})
		}
	}
	printTable(g.out, kept)
	return g.printTickets(set)
}

func (g *globals) printTickets(set *projections.Set) error {
	tickets := set.Tickets()
	if len(tickets) == 0 {
		return nil
	}
	fmt.Fprintln(g.out)
	rows := [][]string{{"TICKET", "TRACK", "STATUS", "ATTEMPTS", "WHAT"}}
	for _, t := range tickets {
		what := oneLine(t.Description)
		if t.BlockedReason != nil {
			what += " [" + oneLine(*t.BlockedReason) + "]"
		}
		rows = append(rows, []string{visible(t.ID), visible(t.Track), t.Status, fmt.Sprint(t.Attempt), visible(what)})
	}
	printTable(g.out, rows)
	return nil
}
