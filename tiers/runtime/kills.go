package runtime

import (
	"context"
	"sync"

	"manualslop/events"
)

// maxKills bounds the tickets of which a worker knows that they were killed. It
// forgets all of them beyond it and reads them from the log again.
const maxKills = 10_000

// kills remembers which tickets were killed, and cancels what runs for them. The
// zero value knows of none.
type kills struct {
	mu      sync.Mutex
	running map[string]map[int]running // by session and ticket
	killed  map[string]int             // newest killed attempt, by the same
	read    map[string]uint64          // sequence up to which kills were read, by session
	forgot  int                        // how often all of them were forgotten
	next    int
}

// running is a call under way.
type running struct {
	attempt int
	cancel  context.CancelCauseFunc
}

// heard takes a kill from the live feed or from the log.
func (k *kills) heard(e events.Event) {
	p, ok := e.Payload.(events.TicketKilled)
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.killed == nil || len(k.killed) >= maxKills {
		k.killed, k.read = map[string]int{}, map[string]uint64{}
		k.forgot++
	}
	key := e.Session + " " + p.Ticket
	k.killed[key] = max(k.killed[key], p.Attempt)
	// order-independent: every one of them is cancelled
	for _, r := range k.running[key] {
		if r.attempt <= p.Attempt {
			r.cancel(errKilled)
		}
	}
}

// has tells whether an attempt at a ticket was killed, as far as is known.
func (k *kills) has(session string, p events.ToolApproved) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	killed, ok := k.killed[session+" "+p.Ticket]
	return ok && p.Attempt <= killed
}

// watch gives a context for a call. It ends when the call's attempt is killed,
// and has ended where that is known.
func (k *kills) watch(ctx context.Context, session string, p events.ToolApproved) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if k.has(session, p) {
		cancel(errKilled)
	}
	key := session + " " + p.Ticket
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil {
		k.running = map[string]map[int]running{}
	}
	if k.running[key] == nil {
		k.running[key] = map[int]running{}
	}
	k.next++
	id := k.next
	k.running[key][id] = running{p.Attempt, cancel}
	return ctx, func() {
		cancel(nil)
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.running[key], id)
		if len(k.running[key]) == 0 {
			delete(k.running, key)
		}
	}
}

// upTo is the sequence up to which a session's kills were read, and how often
// kills were forgotten.
func (k *kills) upTo(session string) (seq uint64, forgot int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.read[session], k.forgot
}

// reached notes that a session's kills were read up to a sequence; false where
// some were forgotten meanwhile.
func (k *kills) reached(session string, seq uint64, forgot int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.forgot != forgot {
		return false
	}
	if k.read == nil || len(k.read) >= maxKills {
		k.read = map[string]uint64{}
	}
	k.read[session] = max(k.read[session], seq)
	return true
}

// isKilled reads from the log whether the attempt that a call is for was
// killed, wherever the yes to it stands. An undo belongs to no attempt.
func (w *Worker) isKilled(ctx context.Context, session string, p events.ToolApproved) (bool, error) {
	if p.Tool == events.RestoreTool {
		return false, nil
	}
	f := events.Filter{Project: w.Project, Session: session, Actor: events.ActorConductor,
		Type: events.NameOf[events.TicketKilled]()}
	last, err := w.Log.Last(ctx, f)
	if err != nil {
		return false, err
	}
	from, forgot := w.kills.upTo(session)
	if last > from {
		if err := w.readKills(ctx, f, from, w.kills.heard); err != nil {
			return false, err
		}
	}
	killed := w.kills.has(session, p)
	if w.kills.reached(session, last, forgot) {
		return killed, nil
	}
	killed = false // what was read is forgotten: there are too many
	err = w.readKills(ctx, f, 0, func(e events.Event) {
		k, ok := e.Payload.(events.TicketKilled)
		killed = killed || ok && k.Ticket == p.Ticket && p.Attempt <= k.Attempt
	})
	return killed, err
}

// readKills reads the kills behind a sequence.
func (w *Worker) readKills(ctx context.Context, f events.Filter, behind uint64, take func(events.Event)) error {
	registry := events.Catalogue()
	for e, err := range w.Log.Read(ctx, f, behind+1, 0) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		take(e)
	}
	return nil
}
