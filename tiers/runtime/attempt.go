package runtime

import (
	"context"
	"fmt"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// overPoll is how often an attempt that runs or waits looks whether anybody
// still waits for its outcome.
const overPoll = 50 * time.Millisecond

// handle makes the attempt that a delivery asks for. A process that was silent
// too long, because it was busy or the machine slept, gets the same request
// again; that delivery waits for the attempt under way.
func (m *Models) handle(ctx context.Context, d Delivery) error {
	if d.Event.Project != m.Project {
		return errForeign
	}
	tr := m.Transcripts.session(d.Event.Session)
	if tr.reached() == 0 { // not begun: it may be over for so long that nobody reads it any more
		closed, err := wasClosed(ctx, m.Log, m.Project, d.Event.Session)
		if err != nil {
			return err
		}
		if closed { // before the request or behind it
			return m.cancelled(ctx, &d.Event)
		}
	}
	if err := tr.await(ctx, d.Event.Seq); err != nil {
		return err
	}
	e, p := tr.due(&d.Event)
	if e == nil {
		return nil
	}
	return m.calling.once(ctx, e.Session+" "+e.ID, func() error { return m.attempt(ctx, tr, e, p, d.Deliveries) })
}

// cancelled answers a request of a session that is over, of which this process
// knows nothing else: its attempt died with another one, or was never made.
func (m *Models) cancelled(ctx context.Context, e *events.Event) error {
	request, err := m.requestOf(ctx, e)
	if err != nil || request == nil {
		return err
	}
	registry := events.Catalogue()
	for e, err := range m.Log.Read(ctx, events.Filter{Project: m.Project, Session: request.Session, Actor: events.ActorModels}, request.Seq, 0) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		if answers(&e, request.ID) {
			return nil
		}
	}
	return m.publish(ctx, request, events.ModelFailed{Request: request.ID, Kind: events.ModelCancelled, Message: errClosed.Error()})
}

// requestOf is the request that a delivery asks to send; nil where it is none.
func (m *Models) requestOf(ctx context.Context, e *events.Event) (*events.Event, error) {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		if !p.Guarded {
			return e, nil
		}
	case events.ModelApproved:
		registry := events.Catalogue()
		f := events.Filter{Project: m.Project, Session: e.Session, Type: events.ModelRequested{}.EventType().Name}
		for asked, err := range m.Log.Read(ctx, f, 1, e.Seq) {
			if err != nil {
				return nil, err
			}
			if asked.ID != p.Request {
				continue
			}
			registry.Decode(&asked)
			if r, ok := asked.Payload.(events.ModelRequested); ok && r.Guarded {
				return &asked, nil
			}
		}
	}
	return nil, nil
}

// answers tells whether an event is the outcome of a request.
func answers(e *events.Event, request string) bool {
	switch p := e.Payload.(type) {
	case events.ModelReplied:
		return p.Request == request
	case events.ModelFailed:
		return p.Request == request
	}
	return false
}

// attempt records one outcome of a request, unless there is one.
func (m *Models) attempt(ctx context.Context, tr *transcript, e *events.Event, p events.ModelRequested, deliveries int) error {
	if tr.isAnswered(e.ID) {
		return nil
	}
	var outcome events.Payload = events.ModelFailed{Request: e.ID, Kind: events.ModelNetwork,
		Message: fmt.Sprintf("handed out %d times without an outcome", deliveries)}
	if deliveries <= parkAfter {
		if err := m.waitUntil(ctx, tr, e.ID, p); err != nil {
			return err
		}
		outcome = m.call(ctx, tr, e, p)
	}
	if ctx.Err() != nil {
		return ctx.Err() // the process ends; the request is handed out again
	}
	if tr.isAnswered(e.ID) {
		return nil
	}
	if err := m.publish(ctx, e, outcome); err != nil {
		return err
	}
	tr.answer(e.ID)
	return nil
}

// waitUntil waits until a request may be sent, or nobody waits for it. It looks
// at the clock again and again, because a machine that sleeps stops its timers,
// and waits no longer than any retry does, because a clock may be set back.
func (m *Models) waitUntil(ctx context.Context, tr *transcript, id string, p events.ModelRequested) error {
	if p.NotBefore == nil {
		return nil
	}
	for waited := time.Duration(0); waited < tiers.MaxBackoff && tr.over(id, p) == nil; {
		wait := min(p.NotBefore.Sub(m.Clock()), overPoll)
		if wait <= 0 {
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
		waited += wait
	}
	return nil
}

// cancelWhenOver ends the call when nobody waits for its outcome any more, until
// stop is called.
func cancelWhenOver(tr *transcript, id string, p events.ModelRequested, cancel context.CancelCauseFunc) (stop func()) {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	stopped := false
	var timer *time.Timer
	timer = time.AfterFunc(overPoll, func() {
		over := tr.over(id, p)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case stopped:
		case over != nil:
			cancel(over)
		default:
			timer.Reset(overPoll)
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}
