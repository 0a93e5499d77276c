package engine

import (
	"context"
	"encoding/json"
	"os"
	"slices"

	"manualslop/cmd/slop/version"
	"manualslop/hookgw/program"
	"manualslop/hookgw/wire"
)

// Performance returns the newest figures of the running program. If there is no sample of this process yet, it takes
// one.
func (v *Stats) Performance() wire.Performance {
	p := v.board.performance()
	if p.CPUPercent == nil {
		figures, _ := v.sampler.sample()
		v.board.show(sample{ProcessFigures: figures})
		p = v.board.performance()
	}
	return p
}

// Report shows a front end's measurements in this process at once and passes them on to the others.
func (v *Stats) Report(ctx context.Context, f wire.Frame) error {
	if err := v.board.report(f); err != nil {
		return err
	}
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return v.publisher.conn.Signal(ctx, v.project, "", v.publisher.actor, signalFrame, body)
}

// Telemetry returns what this process knows about itself and the bus.
func (v *Stats) Telemetry() wire.HostTelemetry {
	out := wire.HostTelemetry{Version: version.ReadInfo().String(), Tasks: v.tasks.list(), FrontEnds: v.board.reporting()}
	for _, s := range v.board.all() {
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
func (v *Stats) Startup() []wire.StartupTask { return v.StartTasks.list() }

// Started is closed when the start has finished.
func (v *Stats) Started() <-chan struct{} { return v.StartTasks.over }

// Scope returns what Shutdown ends.
func (v *Stats) Scope() string { return v.ShutdownScope }

// Shutdown begins a clean stop.
func (v *Stats) Shutdown() {
	v.Asked.Store(true)
	v.stop()
}

var _ program.Host = (*Stats)(nil)
