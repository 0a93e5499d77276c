package hookgw

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/hookgw/request"
)

// resubscribePause is between two attempts to follow a session whose feed broke.
const resubscribePause = 50 * time.Millisecond

// waiting wakes requests when an event of their ask comes. One feed per session
// serves all of them, so that an answer costs the same with one and with
// thousands of asks open; it runs while somebody waits.
type waiting struct {
	models request.Models
	logger *slog.Logger
	start  func(func(context.Context))

	mu    sync.Mutex
	rooms map[string]*room // by session
}

func newWaiting(m request.Models, logger *slog.Logger, start func(func(context.Context))) *waiting {
	return &waiting{models: m, logger: logger, start: start, rooms: map[string]*room{}}
}

// room holds those who wait in one session.
type room struct {
	session string
	inside  int    // guarded by waiting.mu
	empty   func() // ends the feed
	mu      sync.Mutex
	seen    uint64                          // every event up to here was shown to those who wait
	waiters map[string]map[*waiter]struct{} // by ask
}

// waiter is one request that waits for events of its ask.
type waiter struct {
	tell  func(*events.Event)
	since uint64 // events up to here must be looked for in the models
	leave func()
}

// join begins to wait for the events of an ask, which tell hears without keeping
// the teller waiting. Events up to the waiter's since are not shown; look for
// their effect in the models. Call leave when done.
func (w *waiting) join(session, ask string, tell func(*events.Event)) *waiter {
	r := w.enter(session)
	me := &waiter{tell: tell}
	r.mu.Lock()
	defer r.mu.Unlock()
	me.since = r.seen
	if r.waiters[ask] == nil {
		r.waiters[ask] = map[*waiter]struct{}{}
	}
	r.waiters[ask][me] = struct{}{}
	me.leave = sync.OnceFunc(func() { r.drop(ask, me); w.exit(r) })
	return me
}

// enter finds or opens the room of a session; call exit when done with it.
func (w *waiting) enter(session string) *room {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.rooms[session]
	if r == nil {
		left, empty := context.WithCancel(context.Background())
		r = &room{session: session, empty: empty, waiters: map[string]map[*waiter]struct{}{}}
		if view, ok := w.models.Session(session); ok {
			r.seen = view.Summary().LastSeq
		}
		w.rooms[session] = r
		w.start(func(ctx context.Context) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(left, cancel)()
			w.follow(ctx, r)
		})
	}
	r.inside++
	return r
}

// exit closes the room behind the last one.
func (w *waiting) exit(r *room) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.inside--; r.inside == 0 {
		r.empty()
		delete(w.rooms, r.session)
	}
}

// follow shows the session's events to those who wait until ctx ends. A broken
// feed is taken up again where it ended.
func (w *waiting) follow(ctx context.Context, r *room) {
	for ctx.Err() == nil {
		for e, err := range w.models.Subscribe(ctx, r.session, r.position()+1) {
			if err != nil {
				w.logger.WarnContext(ctx, "feed of asks broke and is taken up again", slog.String("session", r.session), slog.Any("error", err))
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

func (r *room) drop(ask string, w *waiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiters[ask], w)
	if len(r.waiters[ask]) == 0 {
		delete(r.waiters, ask)
	}
}
