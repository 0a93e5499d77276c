package request

import (
	"sync/atomic"

	"manualslop/hookgw/wire"
)

// statusCounts counts the answers of one route by status, without locks. The
// zero value is ready.
type statusCounts struct {
	byStatus [4][100]atomic.Uint64 // 2xx to 5xx
}

// add counts an answer. It ignores anything but a final status, such as a client that left before its answer.
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

// count counts the answer of a call; requests without a route are counted together, so that made-up paths take no
// memory.
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

// Requests lists the answers since the gateway started.
func (g *Core) Requests() []wire.RequestCount {
	out := []wire.RequestCount{}
	for i := range g.table.all {
		r := &g.table.all[i]
		r.served.each(func(status int, n uint64) {
			out = append(out, wire.RequestCount{Method: r.Method, Path: r.Pattern, Status: status, Count: n})
		})
	}
	g.unrouted.each(func(status int, n uint64) { out = append(out, wire.RequestCount{Status: status, Count: n}) })
	return out
}
