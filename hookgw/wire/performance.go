package wire

// Frame holds the measurements of a front end that draws. Absent figures were not measured.
type Frame struct {
	// Name distinguishes front ends; empty is a name, too.
	Name string `json:"name,omitempty"`
	// FPS is how many frames per second it draws.
	FPS *float64 `json:"fps,omitempty"`
	// FrameTimeMS is how long the newest frame took.
	FrameTimeMS *float64 `json:"frame_time_ms,omitempty"`
	// InputLagMS is the time from an input to the frame that shows it.
	InputLagMS *float64 `json:"input_lag_ms,omitempty"`
}

// Performance is the answer of GET /api/performance: the front end's report and sums over the processes of the
// program. A figure that is not measured is null.
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
	ProjectionLag *uint64  `json:"projection_lag"` // events on the log that the read models have not applied
	QueueDepth    *uint64  `json:"queue_depth"`    // work that waits for a worker or a model call
}
