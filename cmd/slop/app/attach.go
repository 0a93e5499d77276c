package app

import (
	"context"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
)

func attachCommand(g *site.Flags) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "attach",
		Short: "Show a session that runs elsewhere, and answer its questions",
		Long: `Attach shows a session of the engine that runs on the data folder, as slop run does,
and also asks its questions here. The first answer counts, wherever it is given;
everyone else is told who gave it. Ctrl-C detaches and stops nothing.

It ends with the session or the engine. Without a terminal it reads answers from
standard input, one per line; at the end of the input it only shows what happens.
The engine must run the same version of slop.`,
		Example: `  slop attach
  slop attach --session 01KDZV`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return client.WithOpened(cmd.Context(), g, session, client.OpenSameVersion, func(d client.Client,
				s projections.Summary) error {
				return attach(cmd.Context(), g, d, s)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "show session `ID` instead of the current one")
	return cmd
}

// attach shows a session until the session or the engine ends, or until the user leaves.
func attach(ctx context.Context, g *site.Flags, d client.Client, s projections.Summary) error {
	past, err := recorded(ctx, d, s.Session)
	if err != nil {
		return err
	}
	c := newConsole(g, engine.SessionWriter{Session: s.Session}, "", runOptions{wait: true})
	c.asks.give = c.asks.over(d, s.Session)
	p, err := g.Place()
	if err != nil {
		return err
	}
	secrets, err := p.Secrets()
	if err != nil {
		return err
	}
	if !g.Remote(p) {
		c.asks.worksHere(p, term.NewMask(secrets))
	}
	c.feed = func(ctx context.Context) (uint64, iter.Seq2[events.Event, error], error) {
		cutoff := past[len(past)-1].Seq
		return cutoff, func(yield func(events.Event, error) bool) {
			for _, e := range past {
				if !yield(e, nil) {
					return
				}
			}
			d.Feed(ctx, s.Session, cutoff, nil, true)(yield)
		}, nil
	}
	out, err := c.run(ctx)
	switch {
	case errors.Is(err, client.ErrStreamEnded):
		c.view.Clear()
		g.Notice("the engine ended; slop sessions show %s shows how far it got", s.Session)
		return nil
	case ctx.Err() != nil:
		g.Notice("detached; session %s continues, and slop attach shows it again", s.Session)
		return nil
	case err != nil:
		return err
	case out.stalled != "":
		return exit.Errorf(exit.Failed, "session %s is stalled: %s", s.Session, term.Printable(out.stalled))
	}
	if !g.JSON && !g.Quiet {
		c.end.print(ctx, g, d.Blobs())
	}
	return nil
}

// recorded returns the session's record as of now, not decoded.
func recorded(ctx context.Context, d client.Client, session string) ([]events.Event, error) {
	var out []events.Event
	for e, err := range d.Feed(ctx, session, 0, nil, false) {
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, exit.Errorf(exit.Failed, "session %s cannot be read", session)
	}
	return out, nil
}

// over sends the answers through a client.
func (a *asker) over(d client.Client, session string) func(context.Context, events.AskRaised, events.AskAnswered,
	*proposedRule) error {
	return func(ctx context.Context, ask events.AskRaised, answer events.AskAnswered, rule *proposedRule) error {
		given := client.Answer{Approved: answer.Decision == events.Yes, Args: answer.Args, Reason: answer.Reason}
		if rule != nil {
			given.Rule = &client.RuleWanted{Patterns: append([]string{}, rule.rule.Args...), Scope: rule.scope}
		}
		pending, _, err := d.Answer(ctx, session, client.Ask{RequestID: ask.Ask, Ask: projections.Ask{AskRaised: ask}}, given)
		if err != nil && ctx.Err() == nil {
			return &lateAnswer{err}
		}
		if pending {
			a.pending[ask.Ask] = true
			a.view.Say(term.Printable("the answer to " + ask.Ask + " is recorded but not settled yet"))
		}
		return err
	}
}
