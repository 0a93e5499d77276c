package work

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
)

func TopCommand(g *site.Flags) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Show what each worker does, what it waits for and since when",
		Long: `Top prints a line for each worker of a session that is not done: the ticket or the
tier, what it waits for, since when, its role and its task. Workers that wait for you
come first, with the id of the ask.

On a terminal it shows each change until Ctrl-C, as much as fits; elsewhere,
with TERM=dumb and with --once, it prints one table. With --json each line is one worker, as GET /api/mma/workers returns it.`,
		Example: `  slop top
  slop top --json | jq -r .waits_for`,
		Args: cobra.NoArgs,
	}
	once := cmd.Flags().Bool("once", false, "print one table, also on a terminal")
	cmd.Flags().StringVar(&session, "session", "", "use session `ID` instead of the current one")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		follow := !*once && !g.JSON && term.Draws(g.Out)
		return client.With(cmd.Context(), g, session, func(d client.Client, session string) error {
			set, err := client.Folded(cmd.Context(), d, session)
			switch {
			case err != nil:
				return err
			case follow:
				return followTop(cmd.Context(), g, d, session, set)
			case !g.JSON:
				term.PrintTable(g.Out, topRows(set, time.Now()))
				return nil
			}
			for _, w := range set.Workers().Active {
				if err := g.PrintLine(w); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return cmd
}

// followTop shows the table again after each change and each second, until ctx or the engine ends.
func followTop(ctx context.Context, g *site.Flags, d client.Client, session string, set *projections.Set) error {
	changes, broken := make(chan events.Event), make(chan error, 1)
	go func() {
		for e, err := range d.Feed(ctx, session, set.Seq(), nil, true) {
			if err != nil {
				broken <- err
				return
			}
			select {
			case changes <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	registry := events.Catalogue()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		term.PrintScreen(g.Out, topRows(set, time.Now()))
		select {
		case <-ctx.Done():
			return nil
		case err := <-broken:
			if errors.Is(err, client.ErrStreamEnded) {
				g.Notice("the engine ended")
				return nil
			}
			return err
		case e := <-changes:
			registry.Decode(&e)
			set.Apply(&e)
		case <-tick.C:
		}
	}
}

// topRows returns the unfinished workers, beginning with those that wait for a user, and the asks without a worker.
func topRows(set *projections.Set, now time.Time) [][]string {
	asks := set.OpenAsks()
	ids := make([]string, len(asks))
	for i, a := range asks {
		ids[i] = a.AskRaised.Ask
	}
	short := client.ShortIDs(ids)
	yours, others := [][]string{{"WHO", "WAITS FOR", "SINCE", "ROLE", "TASK"}}, [][]string(nil)
	held := map[string]bool{}
	for _, w := range set.Workers().Active {
		row := []string{term.FirstOf(w.Ticket, w.Track, "-"), term.OrDash(w.WaitsFor), "-", w.Role, term.OneLine(w.Task)}
		since := w.StartedAt
		if n := len(w.Trace); n > 0 {
			since = &w.Trace[n-1].At
		}
		switch {
		case len(w.Asks) > 0:
			for _, a := range w.Asks {
				held[a.Ask] = true
			}
			row[1], since = "you: "+short[w.Asks[0].Ask]+" "+term.OneLine(w.Asks[0].Title), &w.Asks[0].Since
		case len(w.Calls) > 0:
			row[1], since = w.Calls[0].Tool, &w.Calls[0].Since
		case w.Request != "":
			row[1] = "model " + w.Model
		}
		if since != nil {
			row[2] = term.Age(now.Sub(*since))
		}
		if len(w.Asks) > 0 {
			yours = append(yours, row)
		} else {
			others = append(others, row)
		}
	}
	for _, a := range asks {
		if !held[a.AskRaised.Ask] {
			yours = append(yours, []string{term.OrDash(a.Ticket), "you: " + short[a.AskRaised.Ask],
				term.Age(now.Sub(a.RaisedAt)), term.OrDash(a.PostedBy), term.OneLine(a.Title)})
		}
	}
	rows := append(yours, others...)
	for _, row := range rows {
		for i := range row {
			row[i] = term.Visible(row[i])
		}
	}
	return rows
}
