package runtime

import (
	"context"
	"slices"
	"sync"
	"time"

	"manualslop/events"
)

// crew is the set of running deciders of one session.
type crew struct {
	session  string
	handlers []*Handler
	used     time.Time // of the newest event; zero if none came since it began
	taking   int       // number of events that are being delivered
	over     bool      // the session is closed
	before   *crew     // the previous crew of the session, which is storing its positions; may be nil
	verified Mark      // position that is known to be in the log
	unread   bool      // launch must read the history
	history  []*events.Event
	dismiss  func() // ends the delivery of events
	ended    chan struct{}
}

func (o *Orchestrator) crew(session string) *crew {
	c := &crew{session: session, ended: make(chan struct{})}
	for _, r := range o.Roles {
		c.handlers = append(c.handlers, o.handler(r, session))
	}
	c.dismiss = sync.OnceFunc(func() {
		for _, h := range c.handlers {
			close(h.in)
		}
	})
	return c
}

// lowest returns the position from which the deciders need events.
func (c *crew) lowest() Mark {
	low := c.handlers[0].position()
	for _, h := range c.handlers[1:] {
		if at := h.position(); at.Seq < low.Seq {
			low = at
		}
	}
	return low
}

// stalled reports whether one of the deciders has stopped.
func (c *crew) stalled() bool {
	return slices.ContainsFunc(c.handlers, func(h *Handler) bool { return h.spoiled.Load() })
}

// Restore restores the deciders of an open session, unless all of them had already handled its
// newest event.
func (o *Orchestrator) Restore(ctx context.Context, session string, last Mark) Mark {
	if len(o.Roles) == 0 {
		return last
	}
	for _, r := range o.Roles {
		if r.Snapshots == nil {
			return Mark{}
		}
	}
	o.mu.Lock()
	o.openLedger(ctx)
	rests := o.ledger.rests(session, last)
	o.mu.Unlock()
	if rests {
		return last
	}
	c := o.crew(session)
	for _, h := range c.handlers {
		h.restore(ctx)
	}
	low := c.lowest()
	if low.Seq == 0 || low.Seq > last.Seq {
		return Mark{}
	}
	c.verified = low
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waking[session] = c
	return low
}

// Save does nothing, because deciders store their positions themselves.
func (o *Orchestrator) Save(string, Mark) func(context.Context) { return nil }

// launch runs the deciders; it calls folded once they have taken the history.
func (o *Orchestrator) launch(ctx context.Context, c *crew, folded func()) {
	o.wg.Go(func() {
		defer close(c.ended)
		if c.before != nil {
			<-c.before.ended
			c.before = nil
		}
		clean := o.ready(ctx, c)
		var taking, working sync.WaitGroup
		for _, h := range c.handlers {
			taking.Add(1)
			working.Go(func() {
				ok := clean && h.fold(ctx, c.history)
				taking.Done()
				if ok = ok && h.listen(ctx); !ok {
					h.drain(ctx) // so that the reader is not blocked
				}
				h.end(ctx, o.isOver(c))
			})
		}
		taking.Wait()
		c.history = nil
		folded()
		working.Wait()
		o.leave(ctx, c)
	})
}

// ready makes sure that the history has all events that the deciders need, and reads missing ones.
// It returns false if ctx ends first.
func (o *Orchestrator) ready(ctx context.Context, c *crew) bool {
	if len(c.handlers) == 0 {
		return true // this process has no deciders; it may only call models
	}
	if c.unread {
		for _, h := range c.handlers {
			h.restore(ctx)
		}
	}
	for {
		lost := slices.DeleteFunc(slices.Clone(c.handlers), func(h *Handler) bool { return c.covers(h.position()) })
		if len(lost) == 0 && !c.unread {
			return true
		}
		if !c.unread {
			for _, h := range lost {
				h.Logger.Info("snapshot discarded", "error", "its newest event is missing from the log")
				h.discard()
			}
		}
		history, err := readSession(ctx, o.Roles[0].Log, o.Project, c.session, max(c.lowest().Seq, 1))
		if err == nil {
			c.history, c.unread = history, false
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		o.Logger.Warn("cannot read a session; retrying", "session", c.session, "error", err)
		if pause(ctx, retryPause) != nil {
			return false
		}
	}
}

// covers reports whether the history holds all events after a position, and whether the log holds
// the event at that position.
func (c *crew) covers(at Mark) bool {
	if at.Seq == 0 {
		return len(c.history) > 0 && opens(c.history[0])
	}
	return at == c.verified || slices.ContainsFunc(c.history, func(e *events.Event) bool {
		return Mark{e.Seq, e.ID} == at
	})
}

// isOver reports whether the session of a crew is closed.
func (o *Orchestrator) isOver(c *crew) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return c.over
}

// end stores the position of a decider, unless its session is closed.
func (h *Handler) end(ctx context.Context, over bool) {
	if h.fresh > 0 && !over {
		h.keep(ctx)
	}
	h.saving.Wait()
}

// drain empties the mailbox until it is closed or ctx ends.
func (h *Handler) drain(ctx context.Context) {
	for more := true; more; {
		select {
		case <-ctx.Done():
			return
		case _, more = <-h.in:
		}
	}
}

// leave records the positions of a session's deciders when they end.
func (o *Orchestrator) leave(ctx context.Context, c *crew) {
	o.mu.Lock()
	over := c.over
	if o.ending[c.session] == c {
		delete(o.ending, c.session)
	}
	if !c.stalled() {
		if over && ctx.Err() == nil {
			delete(o.ledger.owing, c.session)
		} else if !over {
			o.ledger.rest(c)
		}
	}
	o.mu.Unlock()
	if ctx.Err() != nil { // on shutdown the rest is done once, at the end
		return
	}
	if over && !c.stalled() { // before the ledger is updated, so that it is repeated after a crash in between
		for _, h := range c.handlers {
			h.forget(ctx)
		}
	}
	o.keepLedger(ctx)
}
