package hookgw

import (
	"net/http"
	"strconv"

	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// defaultTimeline is how many rows an answer has where the client names no limit.
const defaultTimeline = 1000

// Timeline is the answer of GET /api/timeline: what happened, in words.
type Timeline struct {
	Rows    []projections.Row `json:"rows"`
	Through uint64            `json:"through"` // as ?since= it goes on behind the last row
	Dropped uint64            `json:"dropped"` // rows that are not kept any more; GET /api/stream has their events
}

// getTimeline shows the rows behind ?since=, at most ?limit= of them.
func getTimeline(c *call) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	values := c.Query()
	limit, err := whole(values, "limit", defaultTimeline, projections.MaxTimeline)
	if err != nil {
		return err
	}
	page := Timeline{Rows: []projections.Row{}}
	if values.Has("since") {
		if page.Through, err = strconv.ParseUint(values.Get("since"), 10, 64); err != nil {
			return problem.Refuse(http.StatusBadRequest, "since is no sequence number", "Use the through of the answer before, or 0.")
		}
	}
	err = c.Read(session, func(s *projections.Set) {
		page.Dropped = s.TimelineDropped()
		if limit > 0 { // the read model takes 0 for all
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
