package feed

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/hookgw/request"
)

// resubscribePause is the pause before a broken session feed is opened again.
const resubscribePause = 50 * time.Millisecond

// Waiting wakes requests when an event of their ask comes. One feed per session serves all of them, so that an answer
// costs the same with one and with thousands of open asks; the feed runs while requests wait.
type Waiting struct {
	core *request.Core

	mu    sync.Mutex
	rooms map[string]*room // by session
}

// NewWaiting returns a Waiting without requests.
func NewWaiting(core *request.Core) *Waiting {
	return &Waiting{core: core, rooms: map[string]*room{}}
}

// room holds the waiting requests of one session.
type room struct {
	session string
	inside  int    // guarded by waiting.mu
	empty   func() // ends the feed
	mu      sync.Mutex
	seen    uint64                          // every event up to here was passed to the waiting requests
	waiters map[string]map[*Waiter]struct{} // by ask
}

// Waiter is one request that waits for events of its ask.
type Waiter struct {
	// Since is the sequence up to which the effect of events must be looked for in the models.
	Since uint64
	// Leave ends the wait.
	Leave func()
	tell  func(*events.Event)
}

// Join starts the wait for the events of an ask; tell must not block. Events up to the waiter's Since are not passed
// to it; look for their effect in the models. Call Leave when done.
func (w *Waiting) Join(session, ask string, tell func(*events.Event)) *Waiter {
	r := w.enter(session)
	me := &Waiter{tell: tell}
	r.mu.Lock()
	defer r.mu.Unlock()
	me.Since = r.seen
	if r.waiters[ask] == nil {
		r.waiters[ask] = map[*Waiter]struct{}{}
	}
	r.waiters[ask][me] = struct{}{}
	me.Leave = sync.OnceFunc(func() { r.drop(ask, me); w.exit(r) })
	return me
}

// enter finds or opens the room of a session; call exit when done with it.
func (w *Waiting) enter(session string) *room {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.rooms[session]
	if r == nil {
		left, empty := context.WithCancel(context.Background())
		r = &room{session: session, empty: empty, waiters: map[string]map[*Waiter]struct{}{}}
		if view, ok := w.core.Models.Session(session); ok {
			r.seen = view.Summary().LastSeq
		}
		w.rooms[session] = r
		w.core.Start(func(ctx context.Context) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(left, cancel)()
			w.follow(ctx, r)
		})
	}
	r.inside++
	return r
}

// exit closes the room when the last request has left.
func (w *Waiting) exit(r *room) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.inside--; r.inside == 0 {
		r.empty()
		delete(w.rooms, r.session)
	}
}

// follow passes the session's events to the waiting requests until ctx ends. A broken feed is opened again where it
// ended.
func (w *Waiting) follow(ctx context.Context, r *room) {
	for ctx.Err() == nil {
		for e, err := range w.core.Models.Subscribe(ctx, r.session, r.position()+1) {
			if err != nil {
				w.core.Logger.WarnContext(ctx, "feed of asks failed and is opened "+
					"again", slog.String("session", r.session),
					slog.Any("error", err))
				break
			}
			r.show(e)
		}
		select {
		case <-ctx.Done():
		case <-time.After(resubscribePause):
		}
	}
}

func (r *room) position() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

func (r *room) show(e events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = max(r.seen, e.Seq)
	for w := range r.waiters[e.Corr] {
		w.tell(&e)
	}
}

func (r *room) drop(ask string, w *Waiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiters[ask], w)
	if len(r.waiters[ask]) == 0 {
		delete(r.waiters, ask)
	}
}
