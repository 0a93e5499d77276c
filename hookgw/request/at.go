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
		return c.readPast(of, session, "at", f)
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
	err = c.readPast(of, session, "at", func(s *projections.Set) error {
		var err error
		body, err = r.Render(s)
		return err
	})
	if err != nil {
		return err
	}
	return c.ReplyEncodedUnlessKnown(body)
}

// ReadFrom is like ReadAt for the position in ?from=, which must not be after the one in ?at=.
func (c *Call) ReadFrom(of *past.Folds, f func(*projections.Set) error) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	return c.readPast(of, session, "from", f)
}

func (c *Call) readPast(of *past.Folds, session, name string, f func(*projections.Set) error) error {
	seq, err := c.sequence(name)
	if err != nil {
		return err
	}
	if c.Query().Has("at") {
		until, err := c.sequence("at")
		if err != nil {
			return err
		}
		if seq > until {
			return problem.New(http.StatusBadRequest, name+" is after at", "Swap the two.")
		}
	}
	seq = min(seq, c.Core.Newest(session)) // so that the answer to one request does not depend on when it is folded
	return of.At(c.Request.Context(), session, seq, f)
}

// sequence parses a position in the query.
func (c *Call) sequence(name string) (uint64, error) {
	seq, err := strconv.ParseUint(c.Query().Get(name), 10, 64)
	if err != nil {
		return 0, problem.New(http.StatusBadRequest, name+" must be a sequence number", "GET /api/timeline lists them.")
	}
	return seq, nil
}
