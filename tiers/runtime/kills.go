package runtime

import (
	"context"
	"sync"

	"manualslop/events"
)

// maxKills bounds the tickets of which a worker knows that they were killed. It
// forgets all of them beyond it, and with them what no call waits for any more.
const maxKills = 10_000

// kills remembers which tickets were killed, and cancels what runs for them. The
// zero value knows of none.
type kills struct {
	mu      sync.Mutex
	running map[string]map[int]context.CancelCauseFunc // by session and ticket
	killed  map[string]uint64                          // where that was said last, by the same
	next    int
}

// heard takes what the worker hears of a session.
func (k *kills) heard(e events.Event) {
	p, ok := e.Payload.(events.TicketKilled)
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.killed == nil || len(k.killed) >= maxKills {
		k.killed = map[string]uint64{}
	}
	key := e.Session + " " + p.Ticket
	k.killed[key] = max(k.killed[key], e.Seq)
	// order-independent: every one of them is cancelled
	for _, cancel := range k.running[key] {
		cancel(errKilled)
	}
}

// watch gives a context for a call that was approved at a sequence. It ends when
// the ticket is killed, and has ended where that was said since: calls that were
// approved together may wait for each other, and none begins behind the kill.
func (k *kills) watch(ctx context.Context, session, ticket string, approved uint64) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	key := session + " " + ticket
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil {
		k.running = map[string]map[int]context.CancelCauseFunc{}
	}
	if k.running[key] == nil {
		k.running[key] = map[int]context.CancelCauseFunc{}
	}
	k.next++
	id := k.next
	k.running[key][id] = cancel
	if k.killed[key] > approved {
		cancel(errKilled)
	}
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
