package hookgw

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"manualslop/events"
)

// hubHistory is how far before the end of the log a hub begins, so that most
// readers need not read the log themselves.
const hubHistory = 4096

// hub follows one session for all who read it live. It encodes each event once
// and wakes its readers together, at most once per window; each reader goes on
// at its own position. A hub runs while somebody reads.
type hub struct {
	session string
	window  time.Duration
	gone    chan struct{} // closed when nobody reads any more
	readers int           // guarded by hubs.mu

	mu    sync.Mutex
	ring  ring
	seen  uint64        // every event up to here was added, or was stored before the hub began
	tick  chan struct{} // closed to wake the readers
	woke  time.Time
	timer *time.Timer // a wake that is due; nil: none
	err   error       // why the hub ended by itself

	answered answered // requests whose live text is over
}

// errFeedEnded says that a subscription ended by itself.
var errFeedEnded = errors.New("the subscription ended")

// fact appends an event of the log.
func (h *hub) fact(f *frame, p events.Payload) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered.note(p)
	h.add(f)
}

// text appends a piece of live text, unless it comes behind its answer.
func (h *hub) text(f *frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answered.has(f.body) {
		return
	}
	f.seq = h.seen
	h.add(f)
}

// add appends a frame and sees to it that the readers wake: at once after a
// quiet window, else at its end; h.mu is held.
func (h *hub) add(f *frame) {
	h.ring.add(f)
	h.seen = max(h.seen, f.seq)
	if h.timer != nil {
		return
	}
	if left := h.window - time.Since(h.woke); left > 0 {
		h.timer = time.AfterFunc(left, h.wake)
		return
	}
	h.wakeNow()
}

func (h *hub) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wakeNow()
}

// wakeNow wakes the readers; h.mu is held.
func (h *hub) wakeNow() {
	h.timer, h.woke = nil, time.Now()
	close(h.tick)
	h.tick = make(chan struct{})
}

func (h *hub) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
	h.wakeNow()
}

// join is where a reader that has everything up to a sequence goes on. False
// when the log must show it what comes next, at least up to seen.
func (h *hub) join(at uint64) (next int, seen uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next, ok = h.ring.find(at)
	return next, h.seen, ok
}

func (h *hub) position() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen
}

// cursor is a reader's place in a hub.
type cursor struct {
	hub  *hub
	next int
	kept [32]*frame
}

// take is what came since the last take, at most so many frames. When more is
// false nothing else is at hand, and tick is closed when something may be.
// Errors: events.ErrSlow for a reader that the ring has passed, or how the hub
// ended. The frames may be used until the next take.
func (c *cursor) take() (frames []*frame, more bool, tick <-chan struct{}, err error) {
	h := c.hub
	clear(c.kept[:])
	h.mu.Lock()
	defer h.mu.Unlock()
	frames, kept := h.ring.take(c.next, c.kept[:0])
	if !kept {
		return nil, false, nil, events.ErrSlow
	}
	c.next += len(frames)
	more = c.next < h.ring.end()
	if len(frames) == 0 && h.err != nil {
		return nil, false, nil, h.err
	}
	return frames, more, h.tick, nil
}

// hubs are the hubs of the sessions that somebody reads live.
type hubs struct {
	gw   *Gateway
	mu   sync.Mutex
	open map[string]*hub
}

// enter finds or starts the hub of a session; call leave when done with it.
func (s *hubs) enter(session string) (h *hub, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h = s.open[session]
	if h == nil || h.broken() {
		h = &hub{session: session, window: s.gw.cfg.Limits.FeedWindow, gone: make(chan struct{}), tick: make(chan struct{})}
		h.ring.limit = s.gw.cfg.Limits.FeedBytes
		if view, ok := s.gw.cfg.Models.Session(session); ok {
			h.seen = max(view.Summary().LastSeq, hubHistory) - hubHistory
			h.ring.base = h.seen
		}
		s.open[session] = h
		s.gw.Start(func(ctx context.Context) { s.gw.follow(ctx, h) })
	}
	h.readers++
	return h, func() { s.leave(h) }
}

func (s *hubs) leave(h *hub) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.readers--; h.readers > 0 {
		return
	}
	close(h.gone)
	if s.open[h.session] == h {
		delete(s.open, h.session)
	}
}

func (h *hub) broken() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err != nil
}

// follow feeds a hub until nobody reads it or ctx ends. One that fell behind
// the log goes on where it was.
func (g *Gateway) follow(ctx context.Context, h *hub) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() {
		select {
		case <-h.gone:
			cancel()
		case <-ctx.Done():
		}
	})
	if g.cfg.Signals != nil {
		parts.Go(func() { g.followText(ctx, h) })
	}
	err := events.ErrSlow
	for errors.Is(err, events.ErrSlow) && ctx.Err() == nil {
		err = g.followFacts(ctx, h, h.position()+1)
	}
	if ctx.Err() == nil {
		g.cfg.Logger.WarnContext(ctx, "live feeds of a session broke", slog.String("session", h.session), slog.Any("error", err))
		h.fail(err)
	}
	cancel()
}

func (g *Gateway) followFacts(ctx context.Context, h *hub, from uint64) error {
	for e, err := range g.cfg.Models.Subscribe(ctx, h.session, from) {
		if err != nil {
			return err
		}
		f, err := factFrame(&e)
		if err != nil {
			return err
		}
		h.fact(f, e.Payload)
	}
	return errFeedEnded
}

// followText adds what models write while they write it. Without it a feed
// still has every fact, so a failure is the operator's business only.
func (g *Gateway) followText(ctx context.Context, h *hub) {
	err := g.cfg.Signals(ctx, h.session, func(s Signal) {
		if s.Actor != events.ActorModels || s.Name != signalDelta {
			return
		}
		if f := deltaFrame(s.Body); f != nil {
			h.text(f)
		}
	})
	if err != nil && ctx.Err() == nil {
		g.cfg.Logger.WarnContext(ctx, "live text is not shown", slog.String("session", h.session), slog.Any("error", err))
	}
}
