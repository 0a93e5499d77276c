package views

import (
	"net/http"
	"strconv"

	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// show answers with the current view of the request's session or, with ?at=, with a past one.
func show(c *core.Call, of func(*projections.Set) (any, error)) error {
	var body []byte
	err := c.ReadAt(c.Core.Past, func(s *projections.Set) error {
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
