package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
)

// watchOptions are the flags of slop watch.
type watchOptions struct {
	since   uint64
	filters []string
	session string
	stop    bool
}

func WatchCommand(g *site.Flags) *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch the event stream",
		Long: `Watch prints what is on the record of a session, and then each event as it comes,
one per line: time, sequence, actor, type, what it belongs to, and a short summary.
With --json each line is the event as it is stored, a CloudEvents 1.0 object.

--filter takes a subject of the bus, slop.ev.PROJECT.SESSION.ACTOR.TYPE.TOPIC, or
its part after the session; * matches one token, a last > the rest. If it is given
more than once, one match is enough.

If a reader falls too far behind, the server cuts it off; watch then reconnects at
its position. Watch ends with the engine, or at an interrupt; with --no-follow it
ends at the end of the record, which it reads from the store if no engine is
running.`,
		Example: `  slop watch
  slop watch --filter 'approval.>' --filter '*.AskAnswered.>'
  slop watch --json --since 120 | jq -r .type
  slop watch --json --no-follow > events.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return watchEvents(cmd.Context(), g, o) },
	}
	f := cmd.Flags()
	f.Uint64Var(&o.since, "since", 0, "begin after sequence `SEQ` of the log")
	f.StringArrayVar(&o.filters, "filter", nil, "print only events of `SUBJECT`")
	f.StringVar(&o.session, "session", "", "watch session `ID` instead of the current one")
	f.BoolVar(&o.stop, "no-follow", false, "end at the end of the record")
	return cmd
}

func watchEvents(ctx context.Context, g *site.Flags, o watchOptions) error {
	filters, err := client.ParsePatterns(o.filters)
	if err != nil {
		return err
	}
	p, err := g.Place()
	if err != nil {
		return err
	}
	open := client.Open
	if o.stop {
		open = client.OpenRecord
	}
	d, err := open(ctx, g, p)
	if err != nil {
		return err
	}
	defer d.Close()
	s, err := client.Pick(ctx, d, o.session)
	if err != nil {
		return err
	}
	registry := events.Catalogue()
	for e, err := range d.Feed(ctx, s.Session, o.since, filters, !o.stop) {
		if errors.Is(err, client.ErrStreamEnded) {
			g.Notice("the engine ended")
			return nil
		}
		if err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
		if err := printEvent(g, registry, &e); err != nil {
			return err
		}
	}
	return nil
}

// printEvent prints one event of the log.
func printEvent(g *site.Flags, registry *events.Registry, e *events.Event) error {
	if g.JSON {
		b, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("print event %d: %w", e.Seq, err)
		}
		_, err = fmt.Fprintf(g.Out, "%s\n", b)
		return err
	}
	registry.Decode(e)
	line := fmt.Sprintf("%s %6d  %-12s %-18s %-12s %s", e.Time.Local().Format("15:04:05.000"), e.Seq, e.Actor, e.Type,
		client.Tail(e.Corr, client.LeastShort), projections.Summarize(e.Payload))
	_, err := fmt.Fprintln(g.Out, term.Visible(strings.TrimRight(line, " ")))
	return err
}
