package request

import "sync/atomic"

// statusCounts counts the answers of one route by status, without locks. The
// zero value is ready.
type statusCounts struct {
	byStatus [4][100]atomic.Uint64 // 2xx to 5xx
}

// add counts an answer. What is no final status, such as that of a client which
// left before its answer, is not counted.
func (s *statusCounts) add(status int) {
	if status >= 200 && status < 600 {
		s.byStatus[status/100-2][status%100].Add(1)
	}
}

// each yields the statuses that occurred, in order.
func (s *statusCounts) each(yield func(status int, n uint64)) {
	for class := range s.byStatus {
		for i := range s.byStatus[class] {
			if n := s.byStatus[class][i].Load(); n > 0 {
				yield(100*(class+2)+i, n)
			}
		}
	}
}

// RequestCount is one line of the counts in GET /api/system/telemetry.
type RequestCount struct {
	Method string `json:"method"`
	Path   string `json:"path"` // the route's pattern; empty: no route
	Status int    `json:"status"`
	Count  uint64 `json:"count"`
}

// count counts the answer of a call; requests without a route have a line of
// their own, so that paths that somebody makes up take no memory.
func (g *Core) count(c *Call) {
	if c.route == nil {
		g.unrouted.add(c.Status)
		return
	}
	c.route.served.add(c.Status)
}

// counted gives each route its counts.
func counted(all []Route) []Route {
	for i := range all {
		all[i].served = new(statusCounts)
	}
	return all
}

// Requests lists what was answered since the gateway began.
func (g *Core) Requests() []RequestCount {
	out := []RequestCount{}
	for i := range g.table.all {
		r := &g.table.all[i]
		r.served.each(func(status int, n uint64) { out = append(out, RequestCount{r.Method, r.Pattern, status, n}) })
	}
	g.unrouted.each(func(status int, n uint64) { out = append(out, RequestCount{Status: status, Count: n}) })
	return out
}
