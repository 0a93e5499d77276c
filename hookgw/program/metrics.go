package program

import (
	"strconv"

	"manualslop/hookgw/metrics"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// getMetrics returns the telemetry and the counts as text for Prometheus.
func (p *Handlers) getMetrics(c *request.Call) error {
	t, err := p.telemetry(c)
	if err != nil {
		return err
	}
	all := samplesOf(t)
	if err := c.Read(t.Queues.Session, func(s *projections.Set) {
		all = append(all, sessionSamples(s, c.Core.Clock())...)
	}); err != nil {
		return err
	}
	body, kind, err := metrics.Text(all)
	if err != nil {
		return err
	}
	return c.ReplyMedia(kind, body)
}

// samplesOf converts telemetry to samples. Figures that are not measured are left out.
func samplesOf(t wire.Telemetry) samples {
	var out samples
	out.gauge("slop_gateway_uptime_seconds", "Time since this gateway started.", t.UptimeS)
	out.processes(t.Processes)
	out.queues(t)
	out.bus(t.Bus)
	out.gauge("slop_projection_position", "Sequence of the newest event in the session's read models.",
		float64(t.Projections.Position))
	if t.Projections.Lag != nil {
		out.gauge("slop_projection_lag_events", "Events in the log that the read models have not applied.",
			float64(*t.Projections.Lag))
	}
	// order-independent: the rendering sorts.
	for use, n := range map[string]wire.Use{"connections": t.Gateway.Connections, "feeds": t.Gateway.Feeds,
		"asks": t.Queues.AsksWaiting} {
		out.gauge("slop_gateway_open", "Resources that the gateway holds for its "+
			"clients.", float64(n.Open), "what", use)
		out.gauge("slop_gateway_limit", "Limit of these resources.", float64(n.Limit), "what", use)
	}
	for _, role := range t.Roles.Present {
		out.gauge("slop_role_present", "Whether the role is running.", 1, "role", role)
	}
	for _, role := range t.Roles.Missing {
		out.gauge("slop_role_present", "Whether the role is running.", 0, "role", role)
	}
	for _, r := range t.Requests {
		out = append(out, metrics.Sample{Name: "slop_hook_requests_total", Help: "Answers by route and status; " +
			"an empty " +
			"path means no route.", Counter: true,
			Labels: []string{"method", r.Method, "path", r.Path, "status", strconv.Itoa(r.Status)}, Value: float64(r.Count)})
	}
	return out
}

// samples is a list of samples that grows.
type samples []metrics.Sample

func (s *samples) gauge(name, help string, value float64, labels ...string) {
	*s = append(*s, metrics.Sample{Name: name, Help: help, Labels: labels, Value: value})
}

func (s *samples) processes(all []wire.ProcessFigures) {
	for _, p := range all {
		who := []string{"actor", p.Name, "host", p.Host, "pid", strconv.Itoa(p.PID)}
		s.gauge("slop_process_cpu_ratio", "Share of one core, over the last sample.", p.CPUPercent/100, who...)
		s.gauge("slop_process_resident_memory_bytes", "Resident memory.", float64(p.MemoryBytes), who...)
		s.gauge("slop_process_heap_bytes", "Live and dead objects on the heap.", float64(p.HeapBytes), who...)
		s.gauge("slop_process_goroutines", "Goroutines.", float64(p.Goroutines), who...)
		s.gauge("slop_process_threads", "Operating-system threads.", float64(p.Threads), who...)
	}
}

func (s *samples) queues(t wire.Telemetry) {
	const name, help = "slop_queue_depth", "Waiting items, by queue."
	s.gauge(name, help, float64(t.Queues.AsksOpen), "queue", "asks")
	s.gauge(name, help, float64(t.Queues.ModelRequests), "queue", "model_requests")
	s.gauge(name, help, float64(t.Queues.ToolCalls), "queue", "tool_calls")
	if t.Bus == nil {
		return
	}
	for _, p := range t.Bus.Pools {
		s.gauge(name, help, float64(p.Waiting), "queue", "pool_"+p.Name)
	}
}

func (s *samples) bus(b *wire.BusFigures) {
	if b == nil {
		return
	}
	s.gauge("slop_log_events", "Events in the log.", float64(b.Messages))
	s.gauge("slop_log_bytes", "Size of the log.", float64(b.Bytes))
	s.gauge("slop_log_budget_bytes", "Size at which the log refuses events.", float64(b.BudgetBytes))
	s.gauge("slop_log_last_sequence", "Sequence of the newest event.", float64(b.LastSeq))
}
