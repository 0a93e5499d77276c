package record

import (
	"net/http"
	"strconv"

	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// defaultTimeline is how many rows an answer has if the client sets no limit.
const defaultTimeline = 1000

// GetTimeline returns the rows after ?since=, at most ?limit= of them.
func GetTimeline(c *core.Call) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	values := c.Query()
	limit, err := whole(values, "limit", defaultTimeline, projections.MaxTimeline)
	if err != nil {
		return err
	}
	page := wire.Timeline{Rows: []projections.Row{}}
	if values.Has("since") {
		if page.Through, err = strconv.ParseUint(values.Get("since"), 10, 64); err != nil {
			return problem.New(http.StatusBadRequest, "since must be a sequence number",
				`Use the value of "through" in the previous answer, or 0.`)
		}
	}
	err = c.Read(session, func(s *projections.Set) {
		page.Dropped = s.TimelineDropped()
		if limit > 0 { // for the read model 0 means all
			page.Rows = append(page.Rows, s.Timeline(page.Through, limit)...)
		}
	})
	if err != nil {
		return err
	}
	if n := len(page.Rows); n > 0 {
		page.Through = page.Rows[n-1].Seq
	}
	return c.Reply(http.StatusOK, page)
}
