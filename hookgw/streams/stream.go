package streams

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/hookgw/asks"
	"manualslop/hookgw/core"
	"manualslop/hookgw/feed"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// signedOut is the reason for which a browser's feed ends when its sign-in ends.
const signedOut = "the sign-in has ended"

// stream is the live feed: events from a position up to a fixed cutoff, one snapshot of the models at that cutoff,
// then each new event. The id of every frame is the log's sequence, so a client that reconnects with Last-Event-ID
// continues where it was.
func stream(c *core.Call) error {
	want, leave, err := enterFeed(c)
	if err != nil {
		return err
	}
	defer leave()
	cutoff, snapshot, err := snapshot(c, want.session)
	if err != nil {
		return err
	}
	if !c.Hold(len(snapshot)) {
		return c.Overloaded()
	}
	h, leaveHub := c.Gw.Hubs.Enter(want.session)
	defer leaveHub()
	s := feed.NewSSE(c.Response, c.Gw.Cfg.Limits, want.from)
	s.Filter, s.Text, s.Cutoff, s.Snapshot, s.Shown = want.filter, c.Query().Get("signals") == "1", cutoff, snapshot,
		c.ReleaseBody
	if err := request.ClearReadDeadline(c.Response); err != nil {
		return err
	}
	c.Status = http.StatusOK
	c.Response.Header().Set("Content-Type", "text/event-stream")
	c.Response.WriteHeader(http.StatusOK)
	if err := serveFeed(c, h, s); err != nil && c.Request.Context().Err() == nil {
		c.Gw.Cfg.Logger.InfoContext(c.Request.Context(), "feed ended", "session", want.session, "position", s.At, "error",
			err)
	}
	return nil
}

// feedRequest describes the feed that a client wants.
type feedRequest struct {
	session string
	filter  feed.Filter
	from    uint64 // the last sequence that the client has
}

// enterFeed parses which feed is wanted and takes a place among the feeds; leave releases it.
func enterFeed(c *core.Call) (want feedRequest, leave func(), err error) {
	if want.session, err = c.SomeSession(); err != nil {
		return want, nil, err
	}
	filter, p := feed.ParseFilters(c.Query()["filter"])
	if p != nil {
		return want, nil, p
	}
	want.filter = filter
	if want.from, err = Position(c, want.session); err != nil {
		return want, nil, err
	}
	if leave, p = c.Gw.Feeds.Enter(c.Right, c.Client()); p != nil {
		return want, nil, p
	}
	return want, leave, nil
}

// Position returns the last sequence that the client has: Last-Event-ID, or else ?since=, or else 0. It rejects a
// position beyond the end of the log, because the client would silently miss events.
func Position(c *core.Call, session string) (uint64, error) {
	given := c.Request.Header.Get("Last-Event-ID")
	if given == "" {
		given = c.Query().Get("since")
	}
	if given == "" {
		return 0, nil
	}
	at, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		return 0, problem.New(http.StatusBadRequest, "the position must be a sequence number",
			"Send the id of the last event that you have as Last-Event-ID, or leave it out.")
	}
	last, err := c.Gw.Cfg.Log.Last(c.Request.Context(), events.Filter{Project: c.Gw.Cfg.Project})
	if err != nil {
		return 0, err
	}
	if at > last {
		return 0, problem.New(http.StatusBadRequest, "this position is beyond the end of the log",
			"It belongs to another log; read from the beginning.")
	}
	return at, c.Gw.CaughtUp(c.Request.Context(), last)
}

// snapshot returns the state of the models that a feed shows, and its sequence.
func snapshot(c *core.Call, session string) (cutoff uint64, body []byte, err error) {
	out := map[string]any{"session": session}
	rerr := c.Read(session, func(s *projections.Set) {
		cutoff = s.Seq()
		out["seq"], out["asks"] = cutoff, nil
		stopped := s.Show(func(s *projections.Set) { out["asks"] = asks.Inbox(s, asks.StatePending) })
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

// shown notes a stopped model, which is null in a snapshot while events continue. It returns any other error.
func shown(out map[string]any, name string, err error) error {
	var stopped *projections.StoppedError
	if !errors.As(err, &stopped) {
		return err
	}
	all, _ := out["stopped"].([]string)
	out[name], out["stopped"] = nil, append(all, stopped.Error())
	return nil
}

// serveFeed writes until the client disconnects, falls behind, or the gateway stops.
func serveFeed(c *core.Call, h *feed.Hub, s *feed.SSE) error {
	if err := s.Begin(); err != nil {
		return err
	}
	next, err := replay(c, h, s)
	if err != nil {
		return err
	}
	heartbeat := time.NewTicker(c.Gw.Cfg.Limits.Heartbeat)
	defer heartbeat.Stop()
	place := feed.Cursor{Hub: h, Next: next}
	for {
		frames, more, tick, err := place.Take()
		if errors.Is(err, events.ErrSlow) && s.At < s.Cutoff { // it was never live; the log continues
			if place.Next, err = replay(c, h, s); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return s.Disconnect(ReasonOf(err), err)
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
			if !c.LetIn() {
				return s.Disconnect(signedOut, nil)
			}
			err = s.Heartbeat()
		case <-c.Request.Context().Done():
			return c.Request.Context().Err()
		case <-c.Gw.Stopping:
			return s.Disconnect("the gateway is stopping", nil)
		}
		if err != nil {
			return err
		}
	}
}

// replay sends the stored events that the hub no longer keeps, and returns where the reader continues with the hub.
// While the hub advances faster than the reader reads, the reader continues with the log.
func replay(c *core.Call, h *feed.Hub, s *feed.SSE) (next int, err error) {
	for {
		next, seen, ok := h.Join(s.At)
		if ok {
			return next, nil
		}
		if err := replayTo(c, h.Session, s, seen); err != nil {
			return 0, err
		}
	}
}

// replayTo sends the stored events up to a sequence.
func replayTo(c *core.Call, session string, s *feed.SSE, through uint64) error {
	var broken error
	err := stored(c, session, s.At, through, func(f *feed.Frame) error {
		broken = s.Write(f)
		return broken
	})
	switch {
	case broken != nil:
		return broken
	case err != nil:
		return s.Disconnect(ReasonOf(err), err)
	}
	return errors.Join(s.Pass(through), s.Flush())
}

// stored calls show for the stored events of a session after one sequence and up to another, until show fails or the
// gateway stops.
func stored(c *core.Call, session string, after, through uint64, show func(*feed.Frame) error) error {
	ctx := c.Request.Context()
	for e, err := range c.Gw.Replays.Read(ctx, events.Filter{Project: c.Gw.Cfg.Project, Session: session}, after+1,
		through) {
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
		case <-c.Gw.Stopping:
			return core.ErrStopping
		default:
		}
	}
	return ctx.Err()
}

func ReasonOf(err error) string {
	switch {
	case errors.Is(err, events.ErrSlow):
		return "the reader was too slow"
	case errors.Is(err, core.ErrStopping):
		return core.ErrStopping.Error()
	}
	return "the feed failed"
}
