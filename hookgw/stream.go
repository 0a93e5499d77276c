package hookgw

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// stream is the live feed: events from a position up to a fixed cutoff, one
// snapshot of the models at that cutoff, then each new event. The id of every
// frame is the log's sequence, so a client that comes back with Last-Event-ID
// goes on where it was.
func stream(c *call) error {
	session, err := c.someSession()
	if err != nil {
		return err
	}
	filter, p := parseFilters(c.r.URL.Query()["filter"])
	if p != nil {
		return p
	}
	from, err := c.position(session)
	if err != nil {
		return err
	}
	leave, p := c.gw.feeds.enter(c.client())
	if p != nil {
		return p
	}
	defer leave()
	cutoff, snapshot, err := c.snapshot(session)
	if err != nil {
		return err
	}
	s := &sse{w: c.w, conn: http.NewResponseController(c.w), timeout: c.gw.cfg.Limits.WriteTimeout, at: from}
	s.filter, s.cutoff, s.snapshot = filter, cutoff, snapshot
	if err := stay(c.w); err != nil {
		return err
	}
	c.status = http.StatusOK
	c.w.Header().Set("Content-Type", "text/event-stream")
	c.w.WriteHeader(http.StatusOK)
	if err := c.feed(session, s); err != nil && c.r.Context().Err() == nil {
		c.gw.cfg.Logger.InfoContext(c.r.Context(), "feed ended", "session", session, "position", s.at, "error", err)
	}
	return nil
}

// position is the last sequence that the client has: Last-Event-ID, else
// ?since=, else 0. One that the log does not have yet is refused, because
// events between would be missing without a trace.
func (c *call) position(session string) (uint64, error) {
	given := c.r.Header.Get("Last-Event-ID")
	if given == "" {
		given = c.r.URL.Query().Get("since")
	}
	if given == "" {
		return 0, nil
	}
	at, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		return 0, refuse(http.StatusBadRequest, "this position is no sequence number", "Send the id of the last event that you have as Last-Event-ID, or nothing.")
	}
	last, err := c.gw.cfg.Log.Last(c.r.Context(), events.Filter{Project: c.gw.cfg.Project})
	if err != nil {
		return 0, err
	}
	if at > last {
		return 0, refuse(http.StatusBadRequest, "this position is beyond the end of the log", "It is from another log; read from the beginning.")
	}
	return at, c.gw.caughtUp(c.r.Context(), last)
}

// snapshot is the state of the models that a feed shows, and where it stands.
func (c *call) snapshot(session string) (cutoff uint64, body []byte, err error) {
	out := map[string]any{"session": session}
	rerr := c.read(session, func(s *projections.Set) {
		cutoff = s.Seq()
		out["seq"], out["asks"] = cutoff, inbox(s, statePending)
		for _, name := range []string{"mma_status", "diagnostics", "session"} {
			raw, verr := s.View(name)
			err = errors.Join(err, verr)
			out[name] = raw
		}
	})
	if err := errors.Join(rerr, err); err != nil {
		return 0, nil, err
	}
	body, err = json.Marshal(out)
	return cutoff, body, err
}

// feed writes until the client leaves, falls behind, or the gateway stops.
func (c *call) feed(session string, s *sse) error {
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	incoming := follow(ctx, c.gw.cfg.Models, session, s.at+1)
	heartbeat := time.NewTicker(c.gw.cfg.Limits.Heartbeat)
	defer heartbeat.Stop()
	if err := s.begin(); err != nil {
		return err
	}
	for {
		var err error
		select {
		case next := <-incoming:
			if next.err != nil {
				return s.disconnect(reasonOf(next.err), next.err)
			}
			err = s.event(&next.event, len(incoming) == 0)
		case <-heartbeat.C:
			err = s.heartbeat()
		case <-ctx.Done():
			return ctx.Err()
		case <-c.gw.stopping:
			return s.disconnect("the gateway is stopping", nil)
		}
		if err != nil {
			return err
		}
	}
}

func reasonOf(err error) string {
	if errors.Is(err, events.ErrSlow) {
		return "the reader was too slow"
	}
	return "the feed broke"
}

// errFeedEnded says that a subscription ended by itself.
var errFeedEnded = errors.New("the subscription ended")

// arrival is an event of a subscription, or how it ended.
type arrival struct {
	event events.Event
	err   error
}

// follow hands a subscription over as a channel. While nobody receives, the
// subscription's own buffer fills, and it is what decides that a reader is slow.
func follow(ctx context.Context, m Models, session string, from uint64) <-chan arrival {
	out := make(chan arrival, 64)
	go func() {
		last := errFeedEnded
		for e, err := range m.Subscribe(ctx, session, from) {
			if err != nil {
				last = err
				break
			}
			select {
			case out <- arrival{event: e}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case out <- arrival{err: last}:
		case <-ctx.Done():
		}
	}()
	return out
}
