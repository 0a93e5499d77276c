package program

import (
	"context"
	"net/http"

	"manualslop/hookgw/problem"
	"manualslop/hookgw/wire"
)

// hostless is the Host of a gateway without a host: nothing is measured, the start has finished, and nothing can be
// stopped.
type hostless struct{ started chan struct{} }

// NewHostless returns a host that knows nothing about its program.
func NewHostless() Host {
	started := make(chan struct{})
	close(started)
	return hostless{started}
}

// Performance returns no figures.
func (hostless) Performance() wire.Performance { return wire.Performance{} }

// Report fails, because nothing would show the report.
func (hostless) Report(context.Context, wire.Frame) error { return errHostless() }

// Telemetry returns no figures.
func (hostless) Telemetry() wire.HostTelemetry { return wire.HostTelemetry{} }

// Startup returns no tasks.
func (hostless) Startup() []wire.StartupTask { return nil }

// Started returns a closed channel.
func (h hostless) Started() <-chan struct{} { return h.started }

// Scope returns "", because Shutdown ends nothing.
func (hostless) Scope() string { return "" }

// Shutdown does nothing.
func (hostless) Shutdown() {}

func errHostless() *problem.Problem {
	return problem.New(http.StatusNotImplemented, "this gateway has no access to the program that runs it",
		"Send it to the gateway of slop serve, slop run or slop gateway.")
}
