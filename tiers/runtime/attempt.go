package runtime

import (
	"context"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// overPoll is how often an attempt that runs looks whether anybody
// still waits for its outcome.
const overPoll = 50 * time.Millisecond

// handle makes the attempt that a delivery asks for. A process that was silent
// too long, because it was busy or the machine slept, gets the same request
// again; that delivery is left to the attempt under way.
func (m *Models) handle(ctx context.Context, d Delivery) error {
	if err := needsNewer(&d.Event); err != nil {
		return err
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
		if tr.isOver() && !tr.isAnswered(d.Event.ID) { // guarded, and approval will not allow it any more
			return m.cancelled(ctx, &d.Event)
		}
		return nil
	}
	return m.calling.only(e.Session+" "+e.ID, func() error { return m.attempt(ctx, tr, e, p, d) })
}

// cancelled answers a request of a session that is over, of which this process
// knows nothing else: its attempt died with another one, or was never made.
func (m *Models) cancelled(ctx context.Context, e *events.Event) error {
	request, err := m.requestOf(ctx, e)
	if err != nil || request == nil {
		return err
	}
	failed := events.ModelFailed{Request: request.ID, Kind: events.ModelCancelled, Message: errClosed.Error()}
	registry := events.Catalogue()
	registry.Decode(request)
	asked := tiers.Asked(request)
	if asked == nil {
		return nil
	}
	for e, err := range m.Log.Read(ctx, events.Filter{Project: m.Project, Session: request.Session}, request.Seq, 0) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		if asked.Settles(&e) {
			return nil
		}
		if sent, ok := e.Payload.(events.ModelStarted); ok && sent.Request == request.ID {
			failed.Usage = &sent.MaxUsage
		}
	}
	return m.publish(ctx, request, failed)
}

// requestOf is the request that a delivery is about; nil where it is none.
func (m *Models) requestOf(ctx context.Context, e *events.Event) (*events.Event, error) {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		return e, nil
	case events.ModelApproved:
		registry := events.Catalogue()
		f := events.Filter{Project: m.Project, Session: e.Session, Type: events.NameOf[events.ModelRequested]()}
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
