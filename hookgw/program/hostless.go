package program

import (
	"context"
	"net/http"

	"manualslop/hookgw/problem"
	"manualslop/hookgw/wire"
)

// hostless stands where nobody said what program the gateway runs in: nothing
// is measured, the start is over, and there is nothing to stop.
type hostless struct{ started chan struct{} }

// NewHostless is a host of which nothing is known.
func NewHostless() Host {
	started := make(chan struct{})
	close(started)
	return hostless{started}
}

// Performance has no figures.
func (hostless) Performance() wire.Performance { return wire.Performance{} }

// Report refuses: nobody would see it.
func (hostless) Report(context.Context, wire.Frame) error { return errHostless() }

// Telemetry has no figures.
func (hostless) Telemetry() wire.HostTelemetry { return wire.HostTelemetry{} }

// Startup lists nothing.
func (hostless) Startup() []wire.StartupTask { return nil }

// Started is closed.
func (h hostless) Started() <-chan struct{} { return h.started }

// Scope is empty: Shutdown ends nothing.
func (hostless) Scope() string { return "" }

// Shutdown does nothing.
func (hostless) Shutdown() {}

func errHostless() *problem.Problem {
	return problem.New(http.StatusNotImplemented, "this gateway has no access to the program that runs it",
		"Ask the gateway of slop serve, run or gateway.")
}
