package request

import (
	"net/http"
	"strconv"

	"manualslop/hookgw/problem"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/past"
)

// AtParameter describes ?at=.
func AtParameter() Parameter {
	return Parameter{Name: "at", Type: "integer",
		Doc: "Show the session as it was at this sequence; default: as it is now."}
}

// Newest returns the sequence of the newest event that a session's models include.
func (g *Core) Newest(session string) uint64 {
	if view, ok := g.Models.Session(session); ok {
		return view.Summary().LastSeq
	}
	return 0
}

// ReadAt calls f with the current models of the request's session or, with ?at=, with its past models. of are the
// folds of the models that f reads; f must not keep them.
func (c *Call) ReadAt(of *past.Folds, f func(*projections.Set) error) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	if c.Query().Has("at") {
		return c.readPast(of, session, f)
	}
	var failed error
	if err := c.Read(session, func(s *projections.Set) { failed = f(s) }); err != nil {
		return err
	}
	return failed
}

// ShowAt is like Show, but with ?at= answers with the past view. of are the folds of the models of r.
func (c *Call) ShowAt(of *past.Folds, r live.Rendering) error {
	if !c.Query().Has("at") {
		return c.Show(r)
	}
	session, err := c.Session()
	if err != nil {
		return err
	}
	var body []byte
	err = c.readPast(of, session, func(s *projections.Set) error {
		var err error
		body, err = r.Render(s)
		return err
	})
	if err != nil {
		return err
	}
	return c.ReplyEncodedUnlessKnown(body)
}

func (c *Call) readPast(of *past.Folds, session string, f func(*projections.Set) error) error {
	at, err := strconv.ParseUint(c.Query().Get("at"), 10, 64)
	if err != nil {
		return problem.New(http.StatusBadRequest, "at must be a sequence number", "GET /api/timeline lists them.")
	}
	at = min(at, c.Core.Newest(session)) // so that the answer to one request does not depend on when it is folded
	return of.At(c.Request.Context(), session, at, f)
}
