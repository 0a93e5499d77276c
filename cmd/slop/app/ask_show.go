package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"manualslop/events"
)

func askShowCommand(g *globals) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show all of an ask",
		Long: `Show prints everything that an ask is about: the payload byte for byte as it
would run, never cut, and the diff of what it would change. Control characters,
zero-width ones and those that turn the direction of text are spelled out as
<U+202E>, so that nothing can hide. With --json it is one line of JSON.`,
		Example:           `  slop ask show 7QK2M4`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: g.completeAsk,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withAsks(cmd.Context(), session, func(ctx context.Context, d desk, _ string, asks []askLine) error {
				a, err := findAsk(asks, args[0])
				if err != nil {
					return err
				}
				return g.showAsk(ctx, d, a)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "look into session `ID` instead of the current one")
	return cmd
}

// showAsk prints an ask. Where the event holds only the head of the diff, the
// whole is fetched; a person never sees a part as if it were all.
func (g *globals) showAsk(ctx context.Context, d desk, a askLine) error {
	var missing error
	if a.DiffBlob != nil {
		diff, err := d.blobs().Get(ctx, a.DiffBlob.SHA256)
		if err == nil {
			a.Diff = string(diff)
		} else {
			missing = failed(exitFailed, "only the beginning of the diff of %d bytes is shown: %w", a.DiffBlob.Size, err)
		}
	}
	if g.json {
		return errors.Join(g.printLine(a), missing)
	}
	g.printAskHead(g.out, a)
	for _, line := range payloadText(a.Args, true) {
		fmt.Fprintf(g.out, "  %s\n", visible(line))
	}
	if a.Diff != "" {
		fmt.Fprintln(g.out, "diff")
		g.printDiff(g.out, a.Diff)
	}
	return missing
}

// printAskHead prints what is known of an ask beside its payload.
func (g *globals) printAskHead(w io.Writer, a askLine) {
	rows := [][]string{
		{"ask", a.RequestID}, {"gate", a.Gate}, {"title", a.Title}, {"state", askState(a)},
		{"raised", fmt.Sprintf("%s (%s ago)", clock(a.RaisedAt), age(time.Since(a.RaisedAt)))},
		{"ticket", a.Ticket}, {"call", a.Call}, {"tool", a.Tool}, {"effect", a.Effect}, {"note", a.Note},
		{"posted by", a.PostedBy}, {"sha256", a.ArgsSHA256},
	}
	if a.Attempt > 0 {
		rows = append(rows, []string{"attempt", fmt.Sprintf("%d, round %d", a.Attempt, a.Round)})
	}
	if a.ExpiresAt != nil {
		rows = append(rows, []string{"expires", clock(*a.ExpiresAt)})
	}
	for _, r := range a.Refused {
		rows = append(rows, []string{"not counted", r.Author + " at " + clock(r.At) + ": " + r.Reason})
	}
	kept := rows[:0]
	for _, row := range rows {
		if row[1] != "" {
			kept = append(kept, []string{row[0], visible(row[1])})
		}
	}
	printTable(w, kept)
	if len(a.Args) > 0 {
		fmt.Fprintln(w, "payload")
	}
}

func askState(a askLine) string {
	if a.Settled == nil {
		return "waits for an answer"
	}
	s := fmt.Sprintf("%s by %s at %s", a.Settled.Outcome, a.Settled.By, clock(a.Settled.At))
	switch {
	case a.Settled.Reason != "":
		s += ": " + a.Settled.Reason
	case a.Settled.Outcome == events.Yes && len(a.Settled.Args) > 0:
		s += ", edited"
	}
	return s
}

func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
