package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

func askShowCommand(g *site.Flags) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show an ask in full",
		Long: `Show prints everything that an ask is about: the payload byte for byte as it would
run, never cut, and the diff of what it would change. Control characters, zero-width
characters and characters that change the direction of text are written as <U+202E>,
so that nothing is hidden. With --json it is one line of JSON.`,
		Example:           `  slop ask show 7QK2M4`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeAsk(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withAsks(cmd.Context(), g, session, func(ctx context.Context, d client.Client, _ string,
				asks []client.Ask) error {
				a, err := findAsk(asks, args[0])
				if err != nil {
					return err
				}
				return showAsk(ctx, g, d, a)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "use session `ID` instead of the current one")
	return cmd
}

// showAsk prints an ask. If the event holds only the beginning of the diff, it fetches the whole diff, so that nobody
// mistakes a part for the whole.
func showAsk(ctx context.Context, g *site.Flags, d client.Client, a client.Ask) error {
	var missing error
	a.Diff, missing = whole(ctx, d, a.Diff, a.DiffBlob)
	if g.JSON {
		return errors.Join(g.PrintLine(a), missing)
	}
	printAskHead(g, g.Out, a)
	term.PrintBlock(g.Out, strings.Join(term.AskText(a.AskRaised, true), "\n"))
	if a.Diff != "" {
		fmt.Fprintln(g.Out, "diff")
		g.PrintDiff(g.Out, a.Diff)
	}
	return missing
}

// printAskHead prints everything known about an ask except its payload.
func printAskHead(g *site.Flags, w io.Writer, a client.Ask) {
	rows := [][]string{
		{"ask", a.RequestID}, {"gate", a.Gate}, {"title", a.Title}, {"state", askState(a)},
		{"raised", fmt.Sprintf("%s (%s ago)", term.Clock(a.RaisedAt), term.Age(time.Since(a.RaisedAt)))},
		{"ticket", a.Ticket}, {"call", a.Call}, {"tool", a.Tool}, {"effect", a.Effect}, {"note", a.Note},
		{"posted by", a.PostedBy}, {"sha256", a.ArgsSHA256},
	}
	if a.Attempt > 0 {
		rows = append(rows, []string{"attempt", fmt.Sprintf("%d, round %d", a.Attempt, a.Round)})
	}
	if a.ExpiresAt != nil {
		rows = append(rows, []string{"expires", term.Clock(*a.ExpiresAt)})
	}
	for _, r := range a.Refused {
		rows = append(rows, []string{"not counted", r.Author + " at " + term.Clock(r.At) + ": " + r.Reason})
	}
	term.PrintFields(w, rows)
	if len(a.Args) > 0 {
		fmt.Fprintln(w, "payload")
	}
}

func askState(a client.Ask) string {
	if a.Settled == nil {
		return "waits for an answer"
	}
	s := fmt.Sprintf("%s by %s at %s", a.Settled.Outcome, a.Settled.By, term.Clock(a.Settled.At))
	switch {
	case a.Settled.Reason != "":
		s += ": " + a.Settled.Reason
	case a.Settled.Outcome == events.Yes && len(a.Settled.Args) > 0:
		s += ", edited"
	}
	return s
}
