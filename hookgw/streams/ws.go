package streams

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// webSocket is the live feed over a WebSocket: messages of the channels that the client subscribes to. It is
// read-only; nothing is drained or written.
func webSocket(c *core.Call) error {
	if p := upgrading(c.Response, c.Request); p != nil {
		return p
	}
	want, leave, err := enterFeed(c)
	if err != nil {
		return err
	}
	defer leave()
	c.Gw.Sockets.Add(1)
	defer c.Gw.Sockets.Done()
	if err := request.ClearReadDeadline(c.Response); err != nil {
		return err
	}
	// the guard has already checked the origin more strictly
	conn, err := websocket.Accept(c.Response, c.Request, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		c.Status = http.StatusBadRequest // Accept has answered the client
		return nil
	}
	c.Status = http.StatusSwitchingProtocols
	conn.SetReadLimit(int64(c.Gw.Cfg.Limits.SocketBytes))
	h, leaveHub := c.Gw.Hubs.Enter(want.session)
	defer leaveHub()
	s := newSocket(c, conn, h, want)
	if err := s.run(); err != nil {
		c.Gw.Cfg.Logger.DebugContext(c.Request.Context(), "socket ended", "session", want.session, "position", s.at, "error",
			err)
	}
	return nil
}

// upgrading rejects requests that are not a WebSocket handshake.
func upgrading(w http.ResponseWriter, r *http.Request) *problem.Problem {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") ||
		!strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade") {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		return problem.New(http.StatusUpgradeRequired, "this path only accepts WebSocket connections",
			"Use a WebSocket client; GET /api/stream shows the log as server-sent events.")
	}
	if r.Header.Get("Sec-WebSocket-Version") != "13" || r.Header.Get("Sec-WebSocket-Key") == "" {
		return problem.New(http.StatusBadRequest, "the WebSocket version must be 13",
			"Send Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key.")
	}
	return nil
}

// socket is one running WebSocket.
type socket struct {
	c      *core.Call
	conn   *websocket.Conn
	hub    *feed.Hub
	filter feed.Filter
	wants  map[string]bool   // channels
	sent   map[string][]byte // newest state of each state channel that was sent
	states map[string]stateOf
	at     uint64 // every fact up to here was sent or filtered out
	cutoff uint64 // facts up to here are older than the socket
	looked uint64 // every entry of the queue up to here was sent
	slow   bool   // the client was too slow to read a message
}

func newSocket(c *core.Call, conn *websocket.Conn, h *feed.Hub, want feedRequest) *socket {
	s := &socket{c: c, conn: conn, hub: h, filter: want.filter, wants: map[string]bool{}, sent: map[string][]byte{},
		states: stateChannels(c, h.Session)}
	s.cutoff = c.Gw.Newest(h.Session)
	if s.at = want.from; want.from == 0 && !c.Query().Has("since") {
		s.at = s.cutoff
	}
	s.looked = s.at
	return s
}

// run serves the socket until the client disconnects, falls behind, or the gateway stops.
func (s *socket) run() error {
	defer s.conn.CloseNow()
	ctx, cancel := context.WithCancel(s.c.Request.Context())
	defer cancel()
	orders := make(chan order)
	go func() { defer cancel(); s.listen(ctx, orders) }()
	go func() { defer cancel(); s.beat(ctx) }()
	if err := s.greet(ctx); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	next, err := s.replay(ctx)
	if err != nil {
		return err
	}
	return s.follow(ctx, orders, feed.Cursor{Hub: s.hub, Next: next})
}

// follow sends events as they come.
func (s *socket) follow(ctx context.Context, orders <-chan order, place feed.Cursor) error {
	sample := time.NewTicker(time.Second)
	defer sample.Stop()
	for {
		frames, more, tick, err := place.Take()
		if errors.Is(err, events.ErrSlow) && s.at < s.cutoff { // it was never live; the log continues
			if place.Next, err = s.replay(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return s.disconnect(ctx, ReasonOf(err), err)
		}
		err = s.show(ctx, frames)
		if err == nil && !more {
			err = s.showStates(ctx, false)
		}
		if err == nil && s.slow {
			return s.disconnect(ctx, ReasonOf(events.ErrSlow), events.ErrSlow)
		}
		if err != nil {
			return err
		}
		if more {
			continue
		}
		select {
		case <-tick:
		case o := <-orders:
			err = s.obey(ctx, o)
		case <-sample.C:
			if !s.c.LetIn() {
				return s.disconnect(ctx, signedOut, nil)
			}
			err = s.showStates(ctx, true)
		case <-ctx.Done():
			return ctx.Err()
		case <-s.c.Gw.Stopping:
			return s.disconnect(ctx, "the gateway is stopping", nil)
		}
		if err != nil {
			return err
		}
	}
}

// replay sends the stored events that the hub no longer keeps.
func (s *socket) replay(ctx context.Context) (next int, err error) {
	for {
		next, seen, ok := s.hub.Join(s.at)
		if ok {
			return next, nil
		}
		if err := stored(s.c, s.hub.Session, s.at, seen, func(f *feed.Frame) error {
			if err := s.show(ctx, []*feed.Frame{f}); err != nil || !s.slow {
				return err
			}
			return events.ErrSlow
		}); err != nil {
			return 0, s.disconnect(ctx, ReasonOf(err), err)
		}
		s.at = max(s.at, seen)
	}
}

// listen reads messages from the client until it disconnects.
func (s *socket) listen(ctx context.Context, orders chan<- order) {
	for {
		kind, raw, err := s.conn.Read(ctx)
		if err != nil {
			return
		}
		select {
		case orders <- parseOrder(kind == websocket.MessageText, raw):
		case <-ctx.Done():
			return
		}
	}
}

// beat closes connections whose other end is gone.
func (s *socket) beat(ctx context.Context) {
	tick := time.NewTicker(s.c.Gw.Cfg.Limits.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		limits := s.c.Gw.Cfg.Limits
		limited, cancel := context.WithTimeout(ctx, limits.WriteTimeout+limits.FeedGrace)
		err := s.conn.Ping(limited)
		for errors.Is(err, context.DeadlineExceeded) && limited.Err() == nil {
			err = s.conn.Ping(limited) // the library waits 5 s behind a message that is being sent
		}
		cancel()
		if err != nil {
			return
		}
	}
}

// disconnect ends the feed with the client's position. It returns the cause.
func (s *socket) disconnect(ctx context.Context, reason string, cause error) error {
	err := s.say(ctx, ChannelDisconnected, Disconnected{s.at, reason, "Connect again with ?since= and this position."})
	if err == nil {
		err = s.conn.Close(websocket.StatusTryAgainLater, reason)
	}
	return errors.Join(cause, err)
}
