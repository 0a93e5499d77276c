package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/tokens"
)

// Delays of attempts.
const (
	// handBack is how long a request that another process has sent is postponed. A running process
	// keeps its own request alive, so it is not redelivered.
	handBack = 500 * time.Millisecond
	// retryLook is how often a waiting retry checks the clock, because timers stop while the
	// machine sleeps.
	retryLook = time.Second
	// stopWait limits the time for recording an outcome when the process ends.
	stopWait = 2 * time.Second
)

// sentElsewhere is the reason for postponing a request that was already sent.
const sentElsewhere = "another process sent it"

// sent is the recorded start of an attempt that has no outcome.
type sent struct {
	id       string // of its ModelStarted
	delivery int
	most     events.Usage
	returned int // how often this process has released the request since
	process  string
}

// attempt records one outcome of a request, unless it already has one. An outcome that is already
// known is recorded even if the process is ending.
func (m *Models) attempt(ctx context.Context, tr *transcript, e *events.Event, p events.ModelRequested,
	d events.Delivery) error {
	if tr.isAnswered(e.ID) {
		return nil
	}
	outcome := tr.unsaid(e.ID)
	if outcome == nil {
		var err error
		if outcome, err = m.outcome(ctx, try{tr: tr, event: e, asked: p, delivery: d}); err != nil {
			return err
		}
	}
	if tr.isAnswered(e.ID) {
		return nil
	}
	lasting, end := outlasting(ctx)
	defer end()
	recorded, err := m.isRecorded(ctx, lasting, tr, e)
	if err == nil && !recorded {
		err = m.publish(lasting, e, outcome)
	}
	if err != nil {
		tr.keep(e.ID, outcome)
		return err
	}
	tr.answer(e.ID)
	return nil
}

// outcome makes the attempt, or returns the outcome of one that was already started.
func (m *Models) outcome(ctx context.Context, t try) (events.Payload, error) {
	if before := t.tr.sentBefore(t.event.ID); before != nil {
		return m.interrupted(ctx, t, before)
	}
	if wait := m.early(t); wait > 0 {
		return nil, later(min(wait, retryLook), "its next attempt is due at "+t.asked.NotBefore.UTC().Format(time.RFC3339))
	}
	return m.call(ctx, t)
}

// later returns the error that postpones a request, so that it does not hold a slot.
func later(in time.Duration, reason string) error {
	return &events.NotBeforeError{Time: time.Now().Add(in), Reason: reason}
}

// early returns how long a retry must still wait by the clock. Because a clock may be set back, it
// limits the total wait in this process to the intended one.
func (m *Models) early(t try) time.Duration {
	due := t.asked.NotBefore
	if due == nil || t.tr.over(t.event.ID, t.asked) != nil {
		return 0
	}
	rest := min(due.Sub(t.event.Time), tiers.MaxBackoff) - time.Since(t.tr.seenFirst(t.event.ID))
	return min(due.Sub(m.Clock()), rest)
}

// interrupted ends an attempt that another process, or an earlier run of this one, started. If a
// postponed request is redelivered, either its sender no longer keeps it alive or its pool was
// rewound, so the sender is checked. If the sender is known to have ended, the attempt ends at
// once.
func (m *Models) interrupted(ctx context.Context, t try, before *sent) (events.Payload, error) {
	gone, err := m.isGone(ctx, before)
	if err != nil {
		return nil, fmt.Errorf("ask whether the sender of an attempt is running: %w", err)
	}
	if !gone && t.delivery.Deliveries <= before.delivery+1 && before.returned < 2 {
		return nil, later(handBack, sentElsewhere)
	}
	if !gone && m.Peers != nil && before.process != m.Process {
		held, err := m.Peers.Holds(ctx, m.Project, events.ActorModels, before.process, t.delivery.Event.Seq)
		if err != nil {
			return nil, fmt.Errorf("ask whether an attempt is in progress: %w", err)
		}
		if held {
			return nil, later(handBack, sentElsewhere)
		}
	}
	most := before.most
	out := events.ModelFailed{Request: t.event.ID, Kind: events.ModelInterrupted, Usage: &most,
		Message: "the process that sent the request ended before the reply was complete"}
	if t.asked.Attempt <= 1 { // the provider works; this only slows down repeated crashes of the sender
		out.RetryAfterMS = 1
	}
	return out, nil
}

// isGone reports whether the process that started an attempt has ended.
func (m *Models) isGone(ctx context.Context, before *sent) (bool, error) {
	if m.Peers == nil || before.process == "" || before.process == m.Process {
		return false, nil
	}
	return m.Peers.Gone(ctx, m.Project, events.ActorModels, before.process)
}

// begin records that an attempt is about to be sent. It returns an [events.NotBeforeError] if
// another process recorded it first.
func (m *Models) begin(ctx context.Context, t try) error {
	tr, request := t.tr, t.event
	tr.sending.Lock()
	defer tr.sending.Unlock()
	own := events.ModelStarted{Request: request.ID, Delivery: t.delivery.Deliveries, MaxUsage: t.most, Process: m.Process}
	e, err := events.New(events.Origin{ID: m.IDs(), Time: m.Clock(), Project: request.Project, Session: request.Session,
		Actor: events.ActorModels, Cause: request.ID}, own)
	if err != nil {
		return err
	}
	f := events.Filter{Project: request.Project, Session: request.Session, Actor: events.ActorModels,
		Type: own.EventType().Name}
	var tries retries
	for {
		before, last := tr.sentSoFar(request.ID)
		switch {
		case before != nil && before.id == e.ID:
			return nil
		case before != nil || tr.isAnswered(request.ID):
			return later(handBack, sentElsewhere)
		}
		seq, err := m.Log.Append(ctx, e, &events.Expect{Filter: f, Last: last})
		switch {
		case err == nil:
			tr.tookSent(seq, e.ID, own)
			return nil
		case errors.Is(err, events.ErrConflict):
			var found bool
			if found, err = m.readSent(ctx, tr, f, last); err == nil && !found {
				err = fmt.Errorf("%w: an event after sequence %d cannot be read", events.ErrConflict, last)
			}
		case !fatal(err):
			err = tries.wait(ctx, m.Logger, e.Type, err)
		}
		if err != nil {
			return fmt.Errorf("record an attempt: %w", err)
		}
	}
}

// readSent reads the starts of attempts that other processes recorded, and reports whether it
// found any event. An undecodable event only moves the position that the next append expects.
func (m *Models) readSent(ctx context.Context, tr *transcript, f events.Filter, last uint64) (found bool, err error) {
	registry := events.Catalogue()
	for e, err := range m.Log.Read(ctx, f, last+1, 0) {
		if err != nil {
			return found, err
		}
		registry.Decode(&e)
		p, _ := e.Payload.(events.ModelStarted)
		tr.tookSent(e.Seq, e.ID, p)
		found = true
	}
	return found, nil
}

// noteSent records the start of an attempt; tr.mu must be held.
func (tr *transcript) noteSent(seq uint64, id string, p events.ModelStarted) {
	tr.lastSent = max(tr.lastSent, seq)
	if tr.open[p.Request] != nil && tr.sends[p.Request] == nil {
		tr.sends[p.Request] = &sent{id: id, delivery: p.Delivery, most: p.MaxUsage, process: p.Process}
	}
}

// tookSent is like noteSent for a start that the feed has not delivered yet.
func (tr *transcript) tookSent(seq uint64, id string, p events.ModelStarted) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.noteSent(seq, id, p)
}

// sentSoFar returns the start of an attempt, nil if none was recorded, and the
// sequence of the newest start of any.
func (tr *transcript) sentSoFar(request string) (*sent, uint64) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.sends[request], tr.lastSent
}

// sentBefore returns the start of an attempt that is not in progress here, or nil. It also counts
// how often it is called.
func (tr *transcript) sentBefore(request string) *sent {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	s := tr.sends[request]
	if s == nil {
		return nil
	}
	before := *s
	s.returned++
	return &before
}

// unsaid returns the outcome of an attempt that could not be recorded yet, or nil.
func (tr *transcript) unsaid(request string) events.Payload {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.outcomes[request]
}

// keep stores an outcome in memory until the request is redelivered.
func (tr *transcript) keep(request string, outcome events.Payload) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.open[request] != nil {
		tr.outcomes[request] = outcome
	}
}

// seenFirst returns when this process first looked at a retry.
func (tr *transcript) seenFirst(request string) time.Time {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	at, seen := tr.first[request]
	if !seen {
		at = time.Now()
		tr.first[request] = at
	}
	return at
}

// most returns the maximum usage of an attempt: what approval reserved for it, else an estimate
// from the body and the longest reply at the highest price.
func (tr *transcript) most(t try) events.Usage {
	tr.mu.Lock()
	offered := tr.offered
	tr.mu.Unlock()
	offer, _ := offered.Find(t.asked.Provider, t.asked.Model)
	prompt, reply := int64(0), tokens.Reply(t.asked.Params, offer)
	if a, ok := t.delivery.Event.Payload.(events.ModelApproved); ok {
		prompt, reply = a.PromptTokens, a.ReplyTokens
	} else {
		prompt = tokens.Most(string(t.req.Encoded))
	}
	u := events.Usage{Input: prompt, Output: reply, Estimated: true}
	if price, known := offer.Price(t.event.Time, prompt); known {
		u = price.DearestUsage(u)
	}
	return tr.priced(t.event, t.asked, u)
}

// outlasting returns a context that ends stopWait after ctx.
func outlasting(ctx context.Context) (context.Context, func()) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(stopWait, func() { cancel(context.Cause(ctx)) })
	})
	return out, func() {
		stop()
		cancel(nil)
	}
}
