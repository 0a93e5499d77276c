package views

import (
	"cmp"
	"slices"

	"manualslop/hookgw/core"
	"manualslop/projections"
)

// Latencies is the answer of GET /api/latencies.
type Latencies struct {
	Latencies []Latency `json:"latencies"` // models first; then by total time, longest first
}

// Latency is how long the requests to one model, or the calls of one tool, took.
type Latency struct {
	Kind  string `json:"kind"` // model, tool
	Name  string `json:"name"`
	Count int    `json:"count"`
	P50   int64  `json:"p50_ms"`
	P95   int64  `json:"p95_ms"`
	Sum   int64  `json:"sum_ms"`
}

func getLatencies(c *core.Call) error {
	return show(c, func(s *projections.Set) (any, error) {
		list, _ := s.Spans(0, projections.MaxSpans)
		return Latencies{latencies(list)}, nil
	})
}

// latencies measures the work of ended spans, without time in queues or waiting for a user.
func latencies(list []*projections.Span) []Latency {
	type of struct{ kind, name string }
	took := map[of][]int64{}
	for _, s := range list {
		if (s.Kind == projections.SpanModel || s.Kind == projections.SpanTool) && s.End != nil && s.Began != nil {
			key := of{s.Kind, s.Name}
			took[key] = append(took[key], s.End.Sub(*s.Began).Milliseconds())
		}
	}
	out := []Latency{}
	for key, all := range took { // order-independent: sorted below
		slices.Sort(all)
		l := Latency{Kind: key.kind, Name: key.name, Count: len(all), P50: all[(len(all)-1)/2], P95: all[(len(all)-1)*95/100]}
		for _, ms := range all {
			l.Sum += ms
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b Latency) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.Name, b.Name))
	})
	return out
}
