package program

import (
	"context"
	"errors"

	"manualslop/hookgw/wire"
)

// Host is the program around a gateway: what it measures of itself, how it
// started, and how it is stopped. Its answers are looks into memory; none waits
// for a disk or a bus. Safe for concurrent use.
type Host interface {
	// Performance are the newest figures of the running program.
	Performance() wire.Performance
	// Report takes what an attached front end measured and passes it on to every
	// process of the program. It is forgotten when no other one follows it.
	// ErrFrontEnds where too many report at once.
	Report(ctx context.Context, f wire.Frame) error
	// Telemetry is what the process knows of itself and of the bus.
	Telemetry() wire.HostTelemetry
	// Startup lists the tasks of the start in the order in which they were
	// submitted, and Started is closed when all of them have ended.
	Startup() []wire.StartupTask
	Started() <-chan struct{}
	// Scope is what Shutdown ends: events.ShutdownEngine or events.ShutdownGateway.
	Scope() string
	// Shutdown begins a clean stop and returns at once. Repeating it changes nothing.
	Shutdown()
}

// ErrFrontEnds says that too many front ends report at once.
var ErrFrontEnds = errors.New("too many front ends report")
