package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// retryPause is the delay before an append or a feed is retried.
const retryPause = 100 * time.Millisecond

// stallWait limits the time for recording a stall.
const stallWait = 2 * time.Second

// conflictPatience limits the number of consecutive conflicts, a retryPause apart, that no
// newer event explains. After that the handler gives up.
const conflictPatience = 20

// mailbox limits the events that wait for one decider of one session; if it is full, the reader
// waits.
const mailbox = 256

// ErrDivergence means that the log contradicts the decider's own decisions.
var ErrDivergence = errors.New("the record differs from the decision")

// Handler runs one decider on one session.
type Handler struct {
	Machine *tiers.Machine
	Log     events.Log // a connection with the decider's rights
	Logger  *slog.Logger

	project, session string
	build            string                                      // of the program
	start            func() *tiers.Machine                       // to start the decider again
	stopped          func(session, decider string, reason error) // called when the decider stops; may be nil
	in               chan *events.Event
	registry         *events.Registry
	recorded         []*events.Event // own facts in the log that were not decided again yet
	last             uint64          // newest own sequence
	done             uint64          // newest own fact that was decided again or appended
	stalledAt        string          // the id of the event before which this decider stopped

	snapshots Snapshots   // nil: none are stored
	every     int         // minimum number of events between two snapshots
	pace      int         // number of events until the next snapshot
	fresh     int         // events taken since the newest snapshot
	spoiled   atomic.Bool // deciding was interrupted in the middle of an event
	stored    bool        // there may be a snapshot
	keeping   atomic.Bool
	saving    sync.WaitGroup

	mu sync.Mutex
	at Mark // newest event taken
}

// handler returns a handler for a decider of a session, before its first event.
func (o *Orchestrator) handler(r Role, session string) *Handler {
	m := r.Start()
	return &Handler{Machine: m, Log: r.Log, Logger: o.Logger.With("decider", m.Name(), "session", session),
		project: o.Project, session: session, build: o.Build, start: r.Start, stopped: o.Stopped, snapshots: r.Snapshots,
		every: o.snapshotEvery(), pace: o.snapshotEvery(), in: make(chan *events.Event, mailbox),
		registry: events.Catalogue()}
}

// position returns the newest event taken whose facts are all in the log.
func (h *Handler) position() Mark {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *Handler) moveTo(at Mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
}

// fold decides on stored events. It returns false if the handler must end.
func (h *Handler) fold(ctx context.Context, history []*events.Event) bool {
	for _, e := range history {
		if e.Actor == h.Machine.Name() {
			h.remember(e)
		}
	}
	for _, e := range history {
		if !h.decide(ctx, e) {
			return false
		}
	}
	return true
}

// listen decides on new events until the mailbox is closed. It returns false if ctx ends or the
// session stalls first.
func (h *Handler) listen(ctx context.Context) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case e, more := <-h.in:
			if !more {
				return true
			}
			if !h.decide(ctx, e) {
				return false
			}
		}
	}
}

// remember records one of the decider's own events in the log. A stall is not a decision, nor is a
// forged message: the server can be made to publish its responses on a decider's subject. Such a
// message only moves the position that the next append expects.
func (h *Handler) remember(e *events.Event) {
	h.last = max(h.last, e.Seq)
	if _, unreadable := e.Payload.(events.Malformed); unreadable {
		return
	}
	switch e.Payload.(type) {
	case events.SessionStalled:
		h.stalledAt = e.Cause
		return
	case events.SessionResumed:
		h.stalledAt = ""
		return
	}
	if e.Seq > h.done {
		h.recorded = append(h.recorded, e)
	}
}

// decide handles one event, unless it was handled before. It returns false if the handler must
// end.
func (h *Handler) decide(ctx context.Context, e *events.Event) bool {
	if e.Seq <= h.position().Seq {
		return true
	}
	facts, err := h.take(e)
	for i := 0; err == nil && i < len(facts); i++ {
		err = h.put(ctx, facts[i])
	}
	if err == nil && h.stalledAt == e.ID {
		h.resumed(ctx, e)
	}
	if err == nil {
		h.moveTo(Mark{e.Seq, e.ID})
		if h.fresh++; h.fresh >= h.pace {
			h.keep(ctx)
		}
		return true
	}
	h.spoiled.Store(true)
	if ctx.Err() == nil {
		h.stall(ctx, e, err)
		if h.stopped != nil {
			h.stopped(h.session, h.Machine.Name(), err)
		}
	}
	return false
}

// take returns the facts decided on an event. If the decider panics, the error names only the
// decider and the event, because the error is recorded; the details are in the process log.
func (h *Handler) take(e *events.Event) (facts []events.Event, err error) {
	defer func() {
		if value := recover(); value != nil {
			h.Logger.Error("the decider panicked", "at", e.ID, "value", value, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w stopped the decider %s on %s (event %s); see its log", ErrPanicked, h.Machine.Name(),
				e.Type, e.ID)
		}
	}()
	return h.Machine.Take(e)
}

// put makes sure that a fact is in the log, and appends it if it is missing.
func (h *Handler) put(ctx context.Context, fact events.Event) error {
	var tries retries
	for unexplained := 0; ; {
		if len(h.recorded) > 0 {
			head := h.recorded[0]
			if err := h.registry.Knows(head); err != nil {
				return err
			}
			if !same(head, &fact) {
				return fmt.Errorf("%w: sequence %d has %s %s, but the decision was %s "+
					"%s", ErrDivergence, head.Seq, head.Type, head.ID,
					fact.Type, fact.ID)
			}
			h.done = head.Seq
			h.recorded[0] = nil
			h.recorded = h.recorded[1:]
			return nil
		}
		err := h.append(ctx, fact)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, events.ErrConflict):
			found, err := h.explain(ctx, fact)
			if err != nil {
				return err
			}
			if found {
				unexplained = 0
			} else if unexplained++; unexplained > conflictPatience {
				return fmt.Errorf("append %s: refused %d times because of an unreadable event of %s after sequence %d: %w",
					fact.Type, unexplained, fact.Actor, h.last, events.ErrConflict)
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return err
		default:
			if err := tries.wait(ctx, h.Logger, fact.Type, err); err != nil {
				return err
			}
		}
	}
}

func (h *Handler) append(ctx context.Context, fact events.Event) error {
	x := &events.Expect{Filter: events.Filter{Project: h.project, Session: h.session, Actor: h.Machine.Name()},
		Last: h.last}
	seq, err := h.Log.Append(ctx, fact, x)
	if err == nil {
		h.last, h.done = seq, seq
	}
	return err
}

// explain looks for the event that caused a conflict. If there is none yet, or
// the log cannot be read, it waits briefly.
func (h *Handler) explain(ctx context.Context, fact events.Event) (found bool, err error) {
	expected := h.last
	err = h.catchUp(ctx)
	if h.last != expected {
		return true, nil
	}
	if err != nil && (ctx.Err() != nil || fatal(err)) {
		return false, err
	}
	h.Logger.Warn("append was rejected because of an unreadable event; retrying", "type", fact.Type, "behind",
		expected, "error", err)
	return false, pause(ctx, retryPause)
}

// catchUp reads the events that another process wrote under this decider's
// name.
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
	return recorded.ID == fact.ID && recorded.Type == fact.Type && recorded.Cause == fact.Cause &&
		events.SameBody(recorded, fact)
}

func fatal(err error) bool {
	return errors.Is(err, events.ErrDenied) || errors.Is(err, events.ErrTooLarge) || budgetUsed(err) ||
		errors.Is(err, events.ErrClosed) || errors.Is(err, events.ErrHole)
}

// stall records the reason once. The session continues when a process that can decide on the event
// reads it again.
func (h *Handler) stall(ctx context.Context, at *events.Event, reason error) {
	h.Logger.Error("the session is stalled", "at", at.ID, "type", at.Type, "error", reason)
	if h.stalledAt == at.ID {
		return
	}
	h.remark(ctx, "-stall", at, events.SessionStalled{Decider: h.Machine.Name(), Reason: reason.Error(), At: at.ID})
}

// resumed records that the decider is past the event before which it had
// stopped.
func (h *Handler) resumed(ctx context.Context, at *events.Event) {
	h.Logger.Info("the session continues", "at", at.ID, "type", at.Type)
	h.stalledAt = ""
	h.remark(ctx, "-resume", at, events.SessionResumed{Decider: h.Machine.Name(), At: at.ID})
}

// remark records a notice about an event, unless it is already recorded.
func (h *Handler) remark(ctx context.Context, kind string, at *events.Event, p events.Payload) {
	e, err := events.New(events.Origin{
		ID: events.DecidedID(h.Machine.Name()+kind, *at, 0), Time: at.Time, Project: h.project, Session: h.session,
		Actor: h.Machine.Name(), Cause: at.ID,
	}, p)
	if err == nil {
		// Ending the process because of the stall must not prevent its record.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stallWait)
		defer cancel()
		// Like a decision, it expects a position: in a cluster, an append without one under this
		// filter would invalidate the expectations of others.
		for err = h.append(ctx, e); errors.Is(err, events.ErrConflict) && ctx.Err() == nil; err = h.append(ctx, e) {
			if _, err = h.explain(ctx, e); err != nil {
				break
			}
		}
	}
	if err != nil {
		h.Logger.Error("cannot record a notice", "type", p.EventType().Name, "error", err)
	}
}

// pause waits for d. If ctx ends first, it returns its error.
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
