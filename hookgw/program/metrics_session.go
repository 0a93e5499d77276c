package program

import (
	"strings"
	"time"

	"manualslop/events"
	"manualslop/hookgw/metrics"
	"manualslop/projections"
	"manualslop/projections/pricing"
)

// sessionSamples returns the figures of the current session: models, tools, money, asks and tickets. They restart
// with each session, as counters do when a program starts.
func sessionSamples(s *projections.Set, now time.Time) samples {
	var out samples
	f := s.Figures()
	out.histograms("slop_model_seconds", "Time from a request to a model to its answer.", "model", f.Models)
	out.histograms("slop_tool_seconds", "Run time of a tool call.", "tool", f.Tools)
	out.counts("slop_model_errors_total", "Failed requests to models.", "kind", f.Errors)
	out.counts("slop_retries_total", "New attempts.", "of", f.Retries)
	out.spending(s)
	open, oldest := map[string]float64{}, map[string]float64{}
	for _, gate := range gates() {
		open[gate], oldest[gate] = 0, 0
	}
	for _, a := range s.OpenAsks() {
		open[a.Gate]++
		oldest[a.Gate] = max(oldest[a.Gate], now.Sub(a.RaisedAt).Seconds())
	}
	states := map[string]float64{events.StatusTodo: 0, events.StatusInProgress: 0, events.StatusCompleted: 0,
		events.StatusBlocked: 0}
	for _, t := range s.Tickets() {
		states[t.Status]++
	}
	// order-independent: the rendering sorts
	for gate, n := range open {
		out.gauge("slop_asks_open", "Asks that wait for an answer.", n, "gate", gate)
		out.gauge("slop_ask_oldest_seconds", "Age of the oldest open ask.", oldest[gate], "gate", gate)
	}
	for state, n := range states {
		out.gauge("slop_tickets", "Tickets of the session.", n, "state", state)
	}
	return out
}

// gates are the gates whose figures are always shown.
func gates() []string {
	return []string{events.GateTool, events.GateStep, events.GateSpawn, events.GateBudget, events.GateQuestion,
		events.GateHTTP}
}

// histograms adds a histogram for each name and outcome.
func (s *samples) histograms(name, help, label string, all map[string]*projections.Histogram) {
	// order-independent: the rendering sorts
	for key, h := range all {
		last := strings.LastIndexByte(key, ' ') // a name may have blanks, an outcome has none
		buckets := map[float64]uint64{}
		for i, bound := range projections.FigureBounds() {
			buckets[bound] = h.Buckets[i]
		}
		*s = append(*s, metrics.Sample{Name: name, Help: help, Labels: []string{label, key[:last], "outcome", key[last+1:]},
			Value: float64(h.SumMS) / 1000, Histogram: &metrics.Histogram{Buckets: buckets, Count: h.Count}})
	}
}

func (s *samples) counts(name, help, label string, all map[string]uint64) {
	// order-independent: the rendering sorts
	for what, n := range all {
		s.count(name, help, float64(n), label, what)
	}
}

func (s *samples) count(name, help string, value float64, labels ...string) {
	*s = append(*s, metrics.Sample{Name: name, Help: help, Counter: true, Labels: labels, Value: value})
}

// spending adds tokens and money by model.
func (s *samples) spending(set *projections.Set) {
	for _, m := range finances(set, pricing.Table()).Models {
		for kind, n := range map[string]int64{"input": m.InputTokens, "output": m.OutputTokens,
			"cache_read": m.CacheReadTokens, "cache_write": m.CacheWriteTokens} { // order-independent: the rendering sorts
			s.count("slop_model_tokens_total", "Tokens by model and kind.", float64(n), "model", m.ID, "kind", kind)
		}
		s.count("slop_model_dollars_total", "Cost by model, as far as prices are known.", m.Cost, "model", m.ID)
	}
}
