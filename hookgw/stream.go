package hookgw

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// stream is the live feed: events from a position up to a fixed cutoff, one
// snapshot of the models at that cutoff, then each new event. The id of every
// frame is the log's sequence, so a client that comes back with Last-Event-ID
// goes on where it was.
func stream(c *call) error {
	want, leave, err := c.enterFeed()
	if err != nil {
		return err
	}
	defer leave()
	cutoff, snapshot, err := c.snapshot(want.session)
	if err != nil {
		return err
	}
	if !c.Hold(len(snapshot)) {
		return c.CrowdedOut()
	}
	h, leaveHub := c.gw.hubs.Enter(want.session)
	defer leaveHub()
	s := feed.NewSSE(c.Response, c.gw.cfg.Limits, want.from)
	s.Filter, s.Text, s.Cutoff, s.Snapshot, s.Shown = want.filter, c.Query().Get("signals") == "1", cutoff, snapshot, c.LetGo
	if err := request.Stay(c.Response); err != nil {
		return err
	}
	c.Status = http.StatusOK
	c.Response.Header().Set("Content-Type", "text/event-stream")
	c.Response.WriteHeader(http.StatusOK)
	if err := c.feed(h, s); err != nil && c.Request.Context().Err() == nil {
		c.gw.cfg.Logger.InfoContext(c.Request.Context(), "feed ended", "session", want.session, "position", s.At, "error", err)
	}
	return nil
}

// feedRequest is what a client wants to be shown.
type feedRequest struct {
	session string
	filter  feed.Filter
	from    uint64 // the last sequence that the client has
}

// enterFeed reads which feed is wanted and takes a place among the feeds, which
// leave gives back.
func (c *call) enterFeed() (want feedRequest, leave func(), err error) {
	if want.session, err = c.SomeSession(); err != nil {
		return want, nil, err
	}
	filter, p := feed.ParseFilters(c.Query()["filter"])
	if p != nil {
		return want, nil, p
	}
	want.filter = filter
	if want.from, err = c.position(want.session); err != nil {
		return want, nil, err
	}
	if leave, p = c.gw.feeds.Enter(c.Right, c.Client()); p != nil {
		return want, nil, p
	}
	return want, leave, nil
}

// position is the last sequence that the client has: Last-Event-ID, else
// ?since=, else 0. One that the log does not have yet is refused, because
// events between would be missing without a trace.
func (c *call) position(session string) (uint64, error) {
	given := c.Request.Header.Get("Last-Event-ID")
	if given == "" {
		given = c.Query().Get("since")
	}
	if given == "" {
		return 0, nil
	}
	at, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		return 0, problem.Refuse(http.StatusBadRequest, "this position is no sequence number", "Send the id of the last event that you have as Last-Event-ID, or nothing.")
	}
	last, err := c.gw.cfg.Log.Last(c.Request.Context(), events.Filter{Project: c.gw.cfg.Project})
	if err != nil {
		return 0, err
	}
	if at > last {
		return 0, problem.Refuse(http.StatusBadRequest, "this position is beyond the end of the log", "It is from another log; read from the beginning.")
	}
	return at, c.gw.CaughtUp(c.Request.Context(), last)
}

// snapshot is the state of the models that a feed shows, and where it stands.
func (c *call) snapshot(session string) (cutoff uint64, body []byte, err error) {
	out := map[string]any{"session": session}
	rerr := c.Read(session, func(s *projections.Set) {
		cutoff = s.Seq()
		out["seq"], out["asks"] = cutoff, nil
		stopped := s.Show(func(s *projections.Set) { out["asks"] = inbox(s, statePending) })
		err = shown(out, "asks", stopped)
		for _, name := range []string{"mma_status", "diagnostics", "session"} {
			raw, verr := s.View(name)
			out[name] = raw
			err = errors.Join(err, shown(out, name, verr))
		}
	})
	if err := errors.Join(rerr, err); err != nil {
		return 0, nil, err
	}
	body, err = json.Marshal(out)
	return cutoff, body, err
}

// shown notes a model that stopped, of which a snapshot shows null: events go
// on. Another error stays one.
func shown(out map[string]any, name string, err error) error {
	var stopped *projections.StoppedError
	if !errors.As(err, &stopped) {
		return err
	}
	all, _ := out["stopped"].([]string)
	out[name], out["stopped"] = nil, append(all, stopped.Error())
	return nil
}

// feed writes until the client leaves, falls behind, or the gateway stops.
func (c *call) feed(h *feed.Hub, s *feed.SSE) error {
	if err := s.Begin(); err != nil {
		return err
	}
	next, err := c.replay(h, s)
	if err != nil {
		return err
	}
	heartbeat := time.NewTicker(c.gw.cfg.Limits.Heartbeat)
	defer heartbeat.Stop()
	place := feed.Cursor{Hub: h, Next: next}
	for {
		frames, more, tick, err := place.Take()
		if errors.Is(err, events.ErrSlow) && s.At < s.Cutoff { // it was never live; the log goes on
			if place.Next, err = c.replay(h, s); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return s.Disconnect(reasonOf(err), err)
		}
		if err := s.Show(frames); err != nil {
			return err
		}
		if more {
			continue
		}
		select {
		case <-tick:
		case <-heartbeat.C:
			err = s.Heartbeat()
		case <-c.Request.Context().Done():
			return c.Request.Context().Err()
		case <-c.gw.Stopping:
			return s.Disconnect("the gateway is stopping", nil)
		}
		if err != nil {
			return err
		}
	}
}

// replay shows what the log has and the hub does not keep, and says where the
// reader goes on with the hub. While the hub moves on faster than the reader
// reads, it goes on with the log.
func (c *call) replay(h *feed.Hub, s *feed.SSE) (next int, err error) {
	for {
		next, seen, ok := h.Join(s.At)
		if ok {
			return next, nil
		}
		if err := c.replayTo(h.Session, s, seen); err != nil {
			return 0, err
		}
	}
}

// replayTo shows the stored events up to a sequence.
func (c *call) replayTo(session string, s *feed.SSE, through uint64) error {
	var broken error
	err := c.stored(session, s.At, through, func(f *feed.Frame) error {
		broken = s.Write(f)
		return broken
	})
	switch {
	case broken != nil:
		return broken
	case err != nil:
		return s.Disconnect(reasonOf(err), err)
	}
	return errors.Join(s.Pass(through), s.Flush())
}

// stored calls show for the stored events of a session behind a sequence and up
// to another, until it fails or the gateway stops.
func (c *call) stored(session string, after, through uint64, show func(*feed.Frame) error) error {
	ctx := c.Request.Context()
	for e, err := range c.gw.replays.Read(ctx, events.Filter{Project: c.gw.cfg.Project, Session: session}, after+1, through) {
		if err != nil {
			return err
		}
		f, err := feed.FactFrame(&e)
		if err != nil {
			return err
		}
		if err := show(f); err != nil {
			return err
		}
		select {
		case <-c.gw.Stopping:
			return errStopping
		default:
		}
	}
	return ctx.Err()
}

// errStopping says that the gateway ends.
var errStopping = errors.New("the gateway is stopping")

func reasonOf(err error) string {
	switch {
	case errors.Is(err, events.ErrSlow):
		return "the reader was too slow"
	case errors.Is(err, errStopping):
		return errStopping.Error()
	}
	return "the feed broke"
}
