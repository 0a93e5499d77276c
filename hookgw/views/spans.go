package views

import (
	"encoding/json"
	"net/http"
	"strconv"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// defaultSpans is how many spans an answer has if the client sets no limit.
const defaultSpans = 1000

// Spans is the answer of GET /api/spans.
type Spans struct {
	Spans []*projections.Span `json:"spans"`
	Older uint64              `json:"older"` // number of those that began before them
}

func getSpans(c *core.Call) error {
	limit, err := whole(c, "limit", defaultSpans, projections.MaxSpans)
	if err != nil {
		return err
	}
	before, err := whole(c, "before", 0, 1<<63)
	if err != nil {
		return err
	}
	return show(c, func(s *projections.Set) (any, error) {
		list, older := s.Spans(before, int(limit))
		return Spans{append([]*projections.Span{}, list...), older}, nil
	})
}

// getEvent answers with one event of the log.
func getEvent(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	missing := problem.New(http.StatusNotFound, "the session has no such event", "GET /api/timeline lists them.")
	seq, err := strconv.ParseUint(c.Vars["seq"], 10, 64)
	if err != nil || seq == 0 {
		return missing
	}
	e, found, err := eventAt(c, session, seq)
	if err != nil {
		return err
	}
	if !found {
		return missing
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, Event{e.Seq, raw})
}

// Event is the answer of GET /api/log/{seq}.
type Event struct {
	Seq   uint64          `json:"seq"`
	Event json.RawMessage `json:"event"` // as on the log; see asyncapi.yaml
}

// eventAt reads one event of a session.
func eventAt(c *core.Call, session string, seq uint64) (e events.Event, found bool, err error) {
	filter := events.Filter{Project: c.Gw.Cfg.Project, Session: session}
	for e, err := range c.Gw.Replays.Read(c.Request.Context(), filter, seq, seq) {
		return e, err == nil, err
	}
	return e, false, nil
}
