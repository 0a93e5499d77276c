package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// console shows one session while it runs and asks on the terminal.
type console struct {
	g      *site.Flags
	writer engine.SessionWriter
	goal   string
	opts   runOptions
	view   *term.Progress
	asks   asker
	end    *ending
	out    outcome

	feed   func(context.Context) (cutoff uint64, feed iter.Seq2[events.Event, error], err error)
	stalls <-chan engine.Stall // of the deciders in this process; nil if they run elsewhere
	live   <-chan term.Piece   // text as models and calls write it; nil without a terminal to show it
	cutoff uint64              // events up to this sequence happened before the run
}

// outcome is how a run ended.
type outcome struct {
	done    bool
	failed  string // why the goal was not reached
	waiting string // the question that was not answered
	stalled string // why a decider is stalled; the session stays open
	closed  string // why the session was closed meanwhile
}

func (o outcome) word() string {
	if o.failed != "" {
		return "failed: " + o.failed
	}
	return "done"
}

func newConsole(g *site.Flags, v engine.SessionWriter, goal string, o runOptions) *console {
	view := term.NewProgress(&g.Terminal)
	read, drop := term.TypedLines(g.In)
	return &console{g: g, writer: v, goal: goal, opts: o, view: view, end: newEnding(goal),
		asks: newAsker(g, v, view, o, read, drop),
		feed: func(ctx context.Context) (uint64, iter.Seq2[events.Event, error], error) {
			return v.Log.Watch(ctx, events.Filter{Project: v.Project, Session: v.Session}, 1)
		}}
}

// run follows the session until the goal ends or a question cannot be asked.
func (c *console) run(ctx context.Context) (outcome, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cutoff, feed, err := c.feed(ctx)
	if err != nil {
		return c.out, err
	}
	stream := make(chan *events.Event, 256)
	broken := make(chan error, 1)
	go readFeed(ctx, feed, stream, broken)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	c.cutoff = cutoff
	live := cutoff == 0
	for {
		select {
		case <-ctx.Done():
			c.view.Clear()
			return c.out, exit.Errorf(exit.Failed, "stopped; `%s` resumes session %s",
				c.opts.command(c.g, "run --resume"), c.writer.Session)
		case err := <-broken:
			return c.out, err
		case e := <-stream:
			c.take(e)
			live = live || e.Seq >= cutoff
		case said := <-c.live:
			c.view.Hear(said)
		case s := <-c.stalls:
			c.stalled(s.Session, s.Decider, s.Reason.Error())
		case line := <-c.asks.lines:
			if err := c.asks.typed(ctx, line); err != nil {
				return c.out, err
			}
		case <-tick.C:
			live = true
			c.view.Refresh()
		}
		if live && !c.ended() {
			if err := c.asks.next(ctx); err != nil {
				return c.out, err
			}
		}
		if live && c.ended() {
			c.view.Clear()
			return c.out, nil
		}
	}
}

// readFeed decodes the feed for the one goroutine that shows it.
func readFeed(ctx context.Context, feed func(func(events.Event, error) bool), stream chan<- *events.Event,
	broken chan<- error) {
	registry := events.Catalogue()
	for e, err := range feed {
		if err != nil {
			broken <- err
			return
		}
		registry.Decode(&e)
		select {
		case stream <- &e:
		case <-ctx.Done():
			return
		}
	}
}

// take applies one event to the view and to the open questions.
func (c *console) take(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.GoalCompleted:
		c.out.done, c.out.failed = c.out.done || p.Goal == c.goal, ""
	case events.GoalFailed:
		if p.Goal == c.goal {
			c.out.failed = p.Reason
		}
	case events.TicketRetried, events.TicketUnblocked, events.TicketStarted:
		c.out.failed = ""
	case events.SessionClosed:
		c.out.closed = cmp.Or(c.out.closed, p.Reason) // the first one counts
	case events.SessionStalled:
		if e.Seq > c.cutoff {
			c.stalled(e.Session, p.Decider, p.Reason)
		}
	}
	c.asks.take(e)
	if c.g.JSON {
		printEvent(c.g, e)
		return
	}
	c.view.Take(e)
	if line := c.end.take(e); line != "" {
		c.view.Say("          " + term.Printable(line))
	}
}

// stalled notes that a decider cannot continue the session.
func (c *console) stalled(session, decider, reason string) {
	if session == c.writer.Session && c.out.stalled == "" {
		c.out.stalled = decider + " stopped: " + reason
	}
}

func (c *console) ended() bool {
	if c.asks.stuck != "" {
		c.out.waiting = c.asks.stuck
		return true
	}
	return c.out.done || c.out.failed != "" || c.out.stalled != "" || c.out.closed != ""
}

// printEvent prints an event as a line of JSON.
func printEvent(g *site.Flags, e *events.Event) {
	b, err := json.Marshal(e)
	if err != nil {
		return
	}
	fmt.Fprintf(g.Out, "%s\n", b)
}
