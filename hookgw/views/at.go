package views

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// views keeps the newest fold up to a position, so that a reader who steps forward folds each event once.
type views struct {
	mu      sync.Mutex
	session string
	past    *projections.Set // nil before the first
}

// show answers with a view of the request's session, as it is or as it was at ?at=.
func (v *views) show(c *core.Call, of func(*projections.Set) (any, error)) error {
	var body []byte
	err := v.read(c, func(s *projections.Set) error {
		shown, err := of(s)
		if err == nil {
			body, err = request.Encode(shown)
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.ReplyEncodedUnlessKnown(body)
}

// read calls f with the models of the request's session, as they are or as they were at ?at=. f must not keep them.
func (v *views) read(c *core.Call, f func(*projections.Set) error) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	if !c.Query().Has("at") {
		var failed error
		err := c.Read(session, func(s *projections.Set) { failed = f(s) })
		if err == nil {
			err = failed
		}
		return err
	}
	at, err := strconv.ParseUint(c.Query().Get("at"), 10, 64)
	if err != nil {
		return problem.New(http.StatusBadRequest, "at must be a sequence number", "GET /api/timeline lists them.")
	}
	at = min(at, c.Gw.Newest(session)) // so that the answer to one request does not depend on when it is folded
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.past == nil || v.session != session || v.past.Seq() > at {
		v.session, v.past = session, projections.NewSet()
	}
	if err := v.foldTo(c.Request.Context(), c, at); err != nil {
		v.past = nil
		return err
	}
	var failed error
	if err := v.past.Show(func(s *projections.Set) { failed = f(s) }); err != nil {
		return err
	}
	return failed
}

// foldTo folds the stored events up to a position. The caller holds v.mu.
func (v *views) foldTo(ctx context.Context, c *core.Call, at uint64) error {
	if v.past.Seq() >= at {
		return nil
	}
	registry := events.Catalogue()
	filter := events.Filter{Project: c.Gw.Cfg.Project, Session: v.session}
	for e, err := range c.Gw.Replays.Read(ctx, filter, v.past.Seq()+1, at) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		v.past.Apply(&e)
	}
	return ctx.Err()
}

// whole parses a whole number of the query.
func whole(c *core.Call, name string, otherwise, most uint64) (uint64, error) {
	if !c.Query().Has(name) {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(c.Query().Get(name), 10, 64)
	if err != nil || n > most {
		return 0, problem.New(http.StatusBadRequest, name+" is out of range",
			"Give 0 to "+strconv.FormatUint(most, 10)+".")
	}
	return n, nil
}
