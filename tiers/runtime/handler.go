package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// retryPause is the wait before an append or a feed is tried again.
const retryPause = 100 * time.Millisecond

// stallWait bounds the recording of a stall.
const stallWait = 2 * time.Second

// mailbox bounds the events that wait for one decider of one session; the
// reading waits when it is full.
const mailbox = 1024

// ErrDivergence says that the record contradicts the decider's own decisions.
var ErrDivergence = errors.New("the record differs from the decision")

// Handler runs one decider on one session.
type Handler struct {
	Machine *tiers.Machine
	Log     events.Log // a connection with the decider's rights
	Logger  *slog.Logger

	project, session string
	stopped          func(session, decider string, reason error) // nil: nobody hears of it
	in               chan *events.Event
	registry         *events.Registry
	recorded         []*events.Event // own facts on the log that were not decided again yet
	last             uint64          // newest own sequence
	stalledAt        string          // where the record says that this decider stopped before
}

func newHandler(m *tiers.Machine, log events.Log, logger *slog.Logger, project, session string) *Handler {
	return &Handler{Machine: m, Log: log, Logger: logger.With("decider", m.Name(), "session", session),
		project: project, session: session, in: make(chan *events.Event, mailbox), registry: events.Catalogue()}
}

// run decides until the mailbox is closed, ctx ends or the session stalls.
func (h *Handler) run(ctx context.Context, history []*events.Event) {
	for _, e := range history {
		if e.Actor == h.Machine.Name() {
			h.remember(e)
		}
	}
	for _, e := range history {
		if !h.decide(ctx, e) {
			return
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, more := <-h.in:
			if !more || !h.decide(ctx, e) {
				return
			}
		}
	}
}

// remember notes an own event of the log. A stall is no decision, and neither
// is what only looks like one: the server itself can be made to publish its
// answers on a decider's subject. Such a message moves the position that the
// next append expects, and nothing else.
func (h *Handler) remember(e *events.Event) {
	h.last = max(h.last, e.Seq)
	if _, unreadable := e.Payload.(events.Malformed); unreadable {
		return
	}
	if e.Type == (events.SessionStalled{}).EventType().Name {
		h.stalledAt = e.Cause
		return
	}
	h.recorded = append(h.recorded, e)
}

// decide takes one event; false ends the handler.
func (h *Handler) decide(ctx context.Context, e *events.Event) bool {
	facts, err := h.Machine.Take(e)
	for i := 0; err == nil && i < len(facts); i++ {
		err = h.put(ctx, facts[i])
	}
	if err == nil {
		return true
	}
	if ctx.Err() == nil {
		h.stall(ctx, e, err)
		if h.stopped != nil {
			h.stopped(h.session, h.Machine.Name(), err)
		}
	}
	return false
}

// put makes sure that a fact is on the log: it is there already, or it is appended.
func (h *Handler) put(ctx context.Context, fact events.Event) error {
	for {
		if len(h.recorded) > 0 {
			head := h.recorded[0]
			if !same(head, &fact) {
				return fmt.Errorf("%w: sequence %d holds %s %s, decided was %s %s", ErrDivergence, head.Seq, head.Type, head.ID, fact.Type, fact.ID)
			}
			h.recorded[0] = nil
			h.recorded = h.recorded[1:]
			return nil
		}
		err := h.append(ctx, fact)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, events.ErrConflict):
			if err := h.catchUp(ctx); err != nil {
				return err
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return err
		default:
			h.Logger.Warn("append failed and is tried again", "type", fact.Type, "error", err)
			if err := pause(ctx, retryPause); err != nil {
				return err
			}
		}
	}
}

func (h *Handler) append(ctx context.Context, fact events.Event) error {
	x := &events.Expect{Filter: events.Filter{Project: h.project, Session: h.session, Actor: h.Machine.Name()}, Last: h.last}
	seq, err := h.Log.Append(ctx, fact, x)
	if err == nil {
		h.last = seq
	}
	return err
}

// catchUp reads what another process wrote under this decider's name.
func (h *Handler) catchUp(ctx context.Context) error {
	f := events.Filter{Project: h.project, Session: h.session, Actor: h.Machine.Name()}
	for e, err := range h.Log.Read(ctx, f, h.last+1, 0) {
		if err != nil {
			return fmt.Errorf("read own facts: %w", err)
		}
		h.registry.Decode(&e)
		h.remember(&e)
	}
	return nil
}

func same(recorded, fact *events.Event) bool {
	return recorded.ID == fact.ID && recorded.Type == fact.Type && recorded.Cause == fact.Cause && bytes.Equal(recorded.Data, fact.Data)
}

func fatal(err error) bool {
	return errors.Is(err, events.ErrDenied) || errors.Is(err, events.ErrTooLarge) || errors.Is(err, events.ErrFull) ||
		errors.Is(err, events.ErrClosed) || errors.Is(err, events.ErrHole)
}

// stall puts the reason on record once; the session goes on when a process
// that can decide it reads it again.
func (h *Handler) stall(ctx context.Context, at *events.Event, reason error) {
	h.Logger.Error("the session is stalled", "at", at.ID, "type", at.Type, "error", reason)
	if h.stalledAt == at.ID {
		return
	}
	e, err := events.New(events.Origin{
		ID: events.DecidedID(h.Machine.Name()+"-stall", *at, 0), Time: at.Time, Project: h.project, Session: h.session,
		Actor: h.Machine.Name(), Cause: at.ID,
	}, events.SessionStalled{Decider: h.Machine.Name(), Reason: reason.Error(), At: at.ID})
	if err == nil {
		// Whoever ends the process because of the stall does not take its record away.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stallWait)
		defer cancel()
		_, err = h.Log.Append(ctx, e, nil)
	}
	if err != nil {
		h.Logger.Error("the stall could not be recorded", "error", err)
	}
}

// pause waits, or ends with the context's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
