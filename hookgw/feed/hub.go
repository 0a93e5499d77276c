package feed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/hookgw/request"
)

// hubHistory is how far before the end of the log a hub begins, so that most readers need not read the log themselves.
const hubHistory = 4096

// Hub follows one session for all its live readers. It encodes each event once and wakes its readers together, at most
// once per window; each reader continues at its own position. A hub runs while it has readers.
type Hub struct {
	// Session is the session that it follows.
	Session string
	window  time.Duration
	gone    chan struct{} // closed when the last reader has left
	readers int           // guarded by hubs.mu

	mu    sync.Mutex
	ring  ring
	seen  uint64        // every event up to here was added, or was stored before the hub began
	tick  chan struct{} // closed to wake the readers
	woke  time.Time
	timer *time.Timer // a scheduled wake; nil: none
	err   error       // why the hub ended by itself

	answered Answered // requests whose live text has ended
}

// errFeedEnded means that a subscription ended by itself.
var errFeedEnded = errors.New("the subscription ended")

// fact appends a stored event.
func (h *Hub) fact(f *Frame, p events.Payload) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered.Note(p)
	h.add(f)
}

// text appends a piece of live text, unless it comes after its answer.
func (h *Hub) text(f *Frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answered.Has(f.Body) {
		return
	}
	f.Seq = h.seen
	h.add(f)
}

// add appends a frame and wakes the readers: at once after a quiet window, else at its end; h.mu is held.
func (h *Hub) add(f *Frame) {
	h.ring.add(f)
	h.seen = max(h.seen, f.Seq)
	if h.timer != nil {
		return
	}
	if left := h.window - time.Since(h.woke); left > 0 {
		h.timer = time.AfterFunc(left, h.wake)
		return
	}
	h.wakeNow()
}

func (h *Hub) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wakeNow()
}

// wakeNow wakes the readers. The caller must hold h.mu.
func (h *Hub) wakeNow() {
	h.timer, h.woke = nil, time.Now()
	close(h.tick)
	h.tick = make(chan struct{})
}

func (h *Hub) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
	h.wakeNow()
}

// Join returns the position at which a reader that has everything up to a sequence continues. It returns false if the
// reader must first read the log, at least up to seen.
func (h *Hub) Join(at uint64) (next int, seen uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next, ok = h.ring.find(at)
	return next, h.seen, ok
}

func (h *Hub) position() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen
}

// Cursor is a reader's position in a hub.
type Cursor struct {
	Hub *Hub
	// Next is the number of the first frame that was not taken; see Hub.Join.
	Next int
	kept [32]*Frame
}

// Take returns up to 32 frames that arrived since the last Take. If more is false, no frames are left, and tick is
// closed when there may be new ones. It returns events.ErrSlow if the reader fell behind the ring, or the error that
// ended the hub. The frames are valid until the next Take.
func (c *Cursor) Take() (frames []*Frame, more bool, tick <-chan struct{}, err error) {
	h := c.Hub
	clear(c.kept[:])
	h.mu.Lock()
	defer h.mu.Unlock()
	frames, kept := h.ring.take(c.Next, c.kept[:0])
	if !kept {
		return nil, false, nil, events.ErrSlow
	}
	c.Next += len(frames)
	more = c.Next < h.ring.end()
	if len(frames) == 0 && h.err != nil {
		return nil, false, nil, h.err
	}
	return frames, more, h.tick, nil
}

// Hubs holds the hubs of all sessions with live readers.
type Hubs struct {
	core    *request.Core
	signals Signals // nil: no live text

	mu   sync.Mutex
	open map[string]*Hub
}

// NewHubs returns an empty Hubs. If signals is nil, its feeds have no live text.
func NewHubs(core *request.Core, signals Signals) *Hubs {
	return &Hubs{core: core, signals: signals, open: map[string]*Hub{}}
}

// Enter finds or starts the hub of a session; call leave when done with it. The hub runs until its last reader leaves,
// or the gateway ends.
func (s *Hubs) Enter(session string) (h *Hub, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h = s.open[session]
	if h == nil || h.broken() {
		h = &Hub{Session: session, window: s.core.Limits.FeedWindow, gone: make(chan struct{}), tick: make(chan struct{})}
		h.ring.limit = s.core.Limits.FeedBytes
		if view, ok := s.core.Models.Session(session); ok {
			h.seen = max(view.Summary().LastSeq, hubHistory) - hubHistory
			h.ring.base = h.seen
		}
		s.open[session] = h
		s.core.Start(func(ctx context.Context) { s.follow(ctx, h) })
	}
	h.readers++
	return h, func() { s.leave(h) }
}

func (s *Hubs) leave(h *Hub) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.readers--; h.readers > 0 {
		return
	}
	close(h.gone)
	if s.open[h.Session] == h {
		delete(s.open, h.Session)
	}
}

func (h *Hub) broken() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err != nil
}

// follow feeds a hub until it has no readers or ctx ends. If its subscription fell behind, it continues where it was.
func (s *Hubs) follow(ctx context.Context, h *Hub) {
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
	if s.signals != nil {
		parts.Go(func() { s.followText(ctx, h) })
	}
	err := events.ErrSlow
	for errors.Is(err, events.ErrSlow) && ctx.Err() == nil {
		err = s.followFacts(ctx, h, h.position()+1)
	}
	if ctx.Err() == nil {
		s.core.Logger.WarnContext(ctx, "live feed of a session failed", slog.String("session", h.Session),
			slog.Any("error", err))
		h.fail(err)
	}
	cancel()
}

func (s *Hubs) followFacts(ctx context.Context, h *Hub, from uint64) error {
	for e, err := range s.core.Models.Subscribe(ctx, h.Session, from) {
		if err != nil {
			return err
		}
		f, err := FactFrame(&e)
		if err != nil {
			return err
		}
		h.fact(f, e.Payload)
	}
	return errFeedEnded
}

// followText adds what models are writing. Without it a feed still has every fact, so a failure is only logged for the
// operator.
func (s *Hubs) followText(ctx context.Context, h *Hub) {
	err := s.signals(ctx, h.Session, func(said Signal) {
		if said.Actor != events.ActorModels || said.Name != SignalDelta {
			return
		}
		if f := deltaFrame(said.Body); f != nil {
			h.text(f)
		}
	})
	if err != nil && ctx.Err() == nil {
		s.core.Logger.WarnContext(ctx, "live text is not shown", slog.String("session", h.Session), slog.Any("error", err))
	}
}
