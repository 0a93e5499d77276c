package program

import (
	"context"
	"errors"
	"time"
)

// Host is the program around a gateway: what it measures of itself, how it
// started, and how it is stopped. Its answers are looks into memory; none waits
// for a disk or a bus. Safe for concurrent use.
type Host interface {
	// Performance are the newest figures of the running program.
	Performance() Performance
	// Report takes what an attached front end measured and passes it on to every
	// process of the program. It is forgotten when no other one follows it.
	// ErrFrontEnds where too many report at once.
	Report(ctx context.Context, f Frame) error
	// Telemetry is what the process knows of itself and of the bus.
	Telemetry() HostTelemetry
	// Startup lists the tasks of the start in the order in which they were
	// submitted, and Started is closed when all of them have ended.
	Startup() []StartupTask
	Started() <-chan struct{}
	// Scope is what Shutdown ends: events.ShutdownEngine or events.ShutdownGateway.
	Scope() string
	// Shutdown begins a clean stop and returns at once. Repeating it changes nothing.
	Shutdown()
}

// ErrFrontEnds says that too many front ends report at once.
var ErrFrontEnds = errors.New("too many front ends report")

// Frame is what a front end that draws measured of itself. Absent figures were
// not measured.
type Frame struct {
	// Name tells front ends apart; empty is a name, too.
	Name string `json:"name,omitempty"`
	// FPS is how many frames a second it draws.
	FPS *float64 `json:"fps,omitempty"`
	// FrameTimeMS is how long the newest frame took.
	FrameTimeMS *float64 `json:"frame_time_ms,omitempty"`
	// InputLagMS is the time from an input to the frame that shows it.
	InputLagMS *float64 `json:"input_lag_ms,omitempty"`
}

// Performance is what GET /api/performance shows: what the front end reports
// and sums over the processes of the program. A figure that nobody measures is null.
type Performance struct {
	FPS             *float64 `json:"fps"`
	LastFrameTimeMS *float64 `json:"last_frame_time_ms"`
	FrameTimeMS     *float64 `json:"frame_time_ms"` // the same, under the name of the tool
	InputLagMS      *float64 `json:"input_lag_ms"`
	FrontEnd        *string  `json:"front_end"` // that reported last; null without one

	CPUPercent  *float64 `json:"cpu_percent"` // of one core
	MemoryBytes *int64   `json:"memory_bytes"`
	HeapBytes   *int64   `json:"heap_bytes"`
	Goroutines  *int     `json:"goroutines"`
	Threads     *int     `json:"threads"`
	UptimeS     *float64 `json:"uptime_s"` // of the process that runs longest
	Processes   int      `json:"processes"`

	EventsPerS    *float64 `json:"events_per_s"`   // on the log, over the last sample
	ProjectionLag *uint64  `json:"projection_lag"` // events on the log that the read models have not taken
	QueueDepth    *uint64  `json:"queue_depth"`    // work that waits for a worker or a model call
}

// HostTelemetry is the part of GET /api/system/telemetry that the process knows.
type HostTelemetry struct {
	Version   string           `json:"version"`
	Process   *ProcessFigures  `json:"process"`   // this one; null where nobody measures
	Processes []ProcessFigures `json:"processes"` // every one of the program that shows itself
	GC        GCFigures        `json:"gc"`
	Tasks     []Task           `json:"background_tasks"`
	Bus       *BusFigures      `json:"bus"` // null while it cannot be reached
	BusError  string           `json:"bus_error,omitempty"`
	FrontEnds []string         `json:"front_ends"` // that report now
}

// ProcessFigures are what a process says of itself about once a second.
type ProcessFigures struct {
	Name        string    `json:"name"` // the actor that it speaks as
	Host        string    `json:"host"`
	PID         int       `json:"pid"`
	Started     time.Time `json:"started"`
	Sampled     time.Time `json:"sampled"`
	CPUPercent  float64   `json:"cpu_percent"` // of one core, between two samples
	MemoryBytes int64     `json:"memory_bytes"`
	HeapBytes   int64     `json:"heap_bytes"`
	Goroutines  int       `json:"goroutines"`
	Threads     int       `json:"threads"`
}

// GCFigures are those of the garbage collector of this process.
type GCFigures struct {
	Cycles     uint64  `json:"cycles"`
	CPUSeconds float64 `json:"cpu_seconds"`
	LimitBytes int64   `json:"limit_bytes"`
}

// Task is something that the process does beside answering.
type Task struct {
	Name    string     `json:"name"`
	Started time.Time  `json:"started"`
	Ended   *time.Time `json:"ended"`
	Error   string     `json:"error,omitempty"`
}

// BusFigures are those of the log, as of Sampled.
type BusFigures struct {
	Sampled     time.Time     `json:"sampled"`
	Messages    uint64        `json:"messages"`
	Bytes       uint64        `json:"bytes"`
	BudgetBytes int64         `json:"budget_bytes"` // of the stream; events beyond it are refused
	FirstSeq    uint64        `json:"first_seq"`
	LastSeq     uint64        `json:"last_seq"`
	Consumers   int           `json:"consumers"`
	EventsPerS  *float64      `json:"events_per_s"`
	Pools       []PoolFigures `json:"pools"`
}

// PoolFigures are those of a queue of work.
type PoolFigures struct {
	Name        string `json:"name"`
	Waiting     uint64 `json:"waiting"`     // nobody has taken it yet
	Running     int    `json:"running"`     // taken and not done
	Redelivered int    `json:"redelivered"` // of those, taken more than once
}

// Statuses of a [StartupTask].
const (
	StartupPending   = "pending"
	StartupRunning   = "running"
	StartupCompleted = "completed"
	StartupFailed    = "failed"
)

// StartupTask is one task of the start, under the original's names. Times are
// seconds since 1970; what has not happened yet is null.
type StartupTask struct {
	CanaryID   string   `json:"canary_id"`
	Module     string   `json:"module"`
	ThreadName string   `json:"thread_name"` // what the process was started as
	ThreadID   int      `json:"thread_id"`   // the process: tasks have no threads of their own
	SubmitTS   float64  `json:"submit_ts"`
	StartTS    *float64 `json:"start_ts"`
	EndTS      *float64 `json:"end_ts"`
	ElapsedMS  *float64 `json:"elapsed_ms"`
	Status     string   `json:"status"`
	Error      *string  `json:"error"`
}
