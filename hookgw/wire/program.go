package wire

import (
	"time"
)

// HostTelemetry is the part of GET /api/system/telemetry that the process knows.
type HostTelemetry struct {
	Version   string           `json:"version"`
	Process   *ProcessFigures  `json:"process"`   // this one; null if it is not measured
	Processes []ProcessFigures `json:"processes"` // every process of the program with a current sample
	GC        GCFigures        `json:"gc"`
	Tasks     []Task           `json:"background_tasks"`
	Bus       *BusFigures      `json:"bus"` // null while it cannot be reached
	BusError  string           `json:"bus_error,omitempty"`
	FrontEnds []string         `json:"front_ends"` // that report now
}

// ProcessFigures are the figures that a process reports about itself about once a second.
type ProcessFigures struct {
	Name        string    `json:"name"` // its actor
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

// GCFigures describe the garbage collector of this process.
type GCFigures struct {
	Cycles     uint64  `json:"cycles"`
	CPUSeconds float64 `json:"cpu_seconds"`
	LimitBytes int64   `json:"limit_bytes"`
}

// Task is a background task of the process.
type Task struct {
	Name    string     `json:"name"`
	Started time.Time  `json:"started"`
	Ended   *time.Time `json:"ended"`
	Error   string     `json:"error,omitempty"`
}

// BusFigures describe the log at the time Sampled.
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

// PoolFigures describe a work pool.
type PoolFigures struct {
	Name        string `json:"name"`
	Waiting     uint64 `json:"waiting"`     // not taken yet
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

// StartupTask is one startup task, with the field names of Manual Slop. Times are Unix seconds, and null until the
// task has started or ended.
type StartupTask struct {
	CanaryID   string   `json:"canary_id"`
	Module     string   `json:"module"`
	ThreadName string   `json:"thread_name"` // the command that started the process
	ThreadID   int      `json:"thread_id"`   // the process: tasks have no threads of their own
	SubmitTS   float64  `json:"submit_ts"`
	StartTS    *float64 `json:"start_ts"`
	EndTS      *float64 `json:"end_ts"`
	ElapsedMS  *float64 `json:"elapsed_ms"`
	Status     string   `json:"status"`
	Error      *string  `json:"error"`
}

// StartupStatus is the body of GET /api/warmup_status: names of tasks by state.
type StartupStatus struct {
	Pending   []string `json:"pending"` // not begun, or running
	Completed []string `json:"completed"`
	Failed    []string `json:"failed"`
	Running   []string `json:"running"` // of the pending ones
	Done      bool     `json:"done"`
	ElapsedMS float64  `json:"elapsed_ms"` // from the first submission to the newest end
}

// ShutdownAnswer says what will end.
type ShutdownAnswer struct {
	Status string `json:"status"`
	Stops  string `json:"stops"` // engine or gateway
	PID    int    `json:"pid"`
	// Recorded says whether the request is on the log; it takes effect even if it is not.
	Recorded bool   `json:"recorded"`
	Hint     string `json:"hint"`
}

// Telemetry is the body of GET /api/system/telemetry.
type Telemetry struct {
	At time.Time `json:"at"`
	HostTelemetry
	UptimeS     float64         `json:"uptime_s"` // of this gateway
	Queues      QueueDepths     `json:"queues"`
	Threads     ThreadCounts    `json:"threads"`
	Roles       RoleList        `json:"roles"`
	Projections ProjectionState `json:"projections"`
	Gateway     GatewayFigures  `json:"gateway"`
	Requests    []RequestCount  `json:"requests"` // since this gateway began
}

// QueueDepths counts the waiting items of the given session and of the program.
type QueueDepths struct {
	Session       string  `json:"session"` // empty: none
	AsksOpen      int     `json:"asks_open"`
	AsksWaiting   Use     `json:"asks_waiting"` // requests to this gateway that wait for an answer
	ModelRequests int     `json:"model_requests_pending"`
	ToolCalls     int     `json:"tool_calls_pending"`
	ToolsWaiting  *uint64 `json:"tools_waiting"`  // for a worker; null if the bus does not answer
	ModelsWaiting *uint64 `json:"models_waiting"` // for a model call
}

// ThreadCounts counts the threads of this process. A count is null if it is not measured.
type ThreadCounts struct {
	OS         *int `json:"os"`
	Goroutines *int `json:"goroutines"`
}

// ProjectionState says how current the read models are.
type ProjectionState struct {
	Sessions int     `json:"sessions"`
	Session  string  `json:"session"`
	Position uint64  `json:"position"` // of the newest event in that session's models
	LastSeq  uint64  `json:"last_seq"` // of its newest event
	Lag      *uint64 `json:"lag"`      // of all sessions; null where it is not measured
}

// Use is how much of a limit is in use.
type Use struct {
	Open  int `json:"open"`
	Limit int `json:"limit"`
}

// GatewayFigures counts what this gateway holds for its clients.
type GatewayFigures struct {
	URL                string `json:"url"`
	Connections        Use    `json:"connections"`
	Feeds              Use    `json:"feeds"`
	FeedsPerClientMost int    `json:"feeds_per_client_limit"`
	BodyLimitBytes     int64  `json:"body_limit_bytes"`
}

// MCPServerList is the answer of GET /api/mcp.
type MCPServerList struct {
	Servers []MCPServer `json:"servers"`
	// Notices name settings that have no effect.
	Notices []string `json:"notices"`
}

// MCPServer is an external MCP server as seen by the process of the gateway.
type MCPServer struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // stdio, sse or http
	Command  []string `json:"command"`
	URL      string   `json:"url"`
	File     string   `json:"file"` // its configuration
	Hash     string   `json:"hash"` // of its definition; empty: it cannot be read whole
	Trusted  bool     `json:"trusted"`
	Disabled bool     `json:"disabled"`
	State    string   `json:"state"` // idle, starting, running or error
	Error    string   `json:"error"` // why it failed
	Tools    []string `json:"tools"` // names of the approved ones
	// Quarantined are tools of the running server that differ from the approved ones.
	Quarantined []MCPTool `json:"quarantined"`
}

// MCPTool is a tool that cannot be called until the user has reviewed it.
type MCPTool struct {
	Name  string `json:"name"`
	State string `json:"state"` // changed, new or gone
	Diff  string `json:"diff"`  // between its description and schema and the approved ones
}

// RoleList is the answer of GET /api/roles: the present actors and the missing roles.
type RoleList struct {
	Present []string `json:"present"`
	Missing []string `json:"missing"`
}
