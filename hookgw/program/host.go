package program

import (
	"context"
	"errors"

	"manualslop/hookgw/wire"
)

// Host is the program around a gateway: what it measures, how it started, and how to stop it. Its methods only read
// memory and never wait for a disk or a bus. It is safe for concurrent use.
type Host interface {
	// Performance returns the newest figures of the running program.
	Performance() wire.Performance
	// Report takes the measurements of an attached front end and passes them on to every process of the program. They
	// expire unless new ones follow. ErrFrontEnds if too many report at once.
	Report(ctx context.Context, f wire.Frame) error
	// Telemetry returns what the process knows of itself and of the bus.
	Telemetry() wire.HostTelemetry
	// Startup lists the tasks of the start in the order in which they were
	// submitted, and Started is closed when all of them have ended.
	Startup() []wire.StartupTask
	Started() <-chan struct{}
	// Scope returns what Shutdown ends: events.ShutdownEngine or events.ShutdownGateway.
	Scope() string
	// Shutdown begins a clean stop and returns at once. Further calls have no effect.
	Shutdown()
}

// ErrFrontEnds means that too many front ends report at once.
var ErrFrontEnds = errors.New("too many front ends are reporting")
