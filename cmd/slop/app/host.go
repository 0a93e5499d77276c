package app

import (
	"context"
	"encoding/json"
	"os"
	"slices"

	"manualslop/hookgw/program"
)

// Performance are the newest figures of the running program. Before the first
// sample of this process one is taken.
func (v *vitals) Performance() program.Performance {
	p := v.panel.performance()
	if p.CPUPercent == nil {
		figures, _ := v.sampler.sample()
		v.panel.show(sample{ProcessFigures: figures})
		p = v.panel.performance()
	}
	return p
}

// Report shows what a front end measured, here at once, and passes it on.
func (v *vitals) Report(ctx context.Context, f program.Frame) error {
	if err := v.panel.report(f); err != nil {
		return err
	}
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return v.mouth.conn.Signal(ctx, v.project, "", v.mouth.actor, signalFrame, body)
}

// Telemetry is what this process knows of itself and of the bus.
func (v *vitals) Telemetry() program.HostTelemetry {
	out := program.HostTelemetry{Version: readBuildInfo().String(), Tasks: v.tasks.list(), FrontEnds: v.panel.reporting()}
	for _, s := range v.panel.all() {
		out.Processes = append(out.Processes, s.ProcessFigures)
		if s.PID == os.Getpid() && s.Host == v.sampler.host && s.Name == v.sampler.name {
			own := s.ProcessFigures
			out.Process = &own
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	out.GC, out.BusError = v.gc, v.busError
	if v.bus != nil {
		shown := *v.bus
		shown.Pools = slices.Clone(shown.Pools)
		out.Bus = &shown
	}
	return out
}

// Startup lists the tasks of the start.
func (v *vitals) Startup() []program.StartupTask { return v.startup.list() }

// Started is closed when the start is over.
func (v *vitals) Started() <-chan struct{} { return v.startup.over }

// Scope is what Shutdown ends.
func (v *vitals) Scope() string { return v.scope }

// Shutdown begins a clean stop.
func (v *vitals) Shutdown() {
	v.asked.Store(true)
	v.stop()
}

var _ program.Host = (*vitals)(nil)
