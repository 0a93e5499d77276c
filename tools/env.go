package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"runtime"
	"sync"
	"time"

	"manualslop/tools/sandbox"
	"manualslop/tools/web"
)

// Env is what a call may use. The zero value allows no access to anything.
type Env struct {
	// Workspace is the gate to files; nil denies every path.
	Workspace *sandbox.Workspace
	// Shell says how scripts run.
	Shell Shell
	// Net is the gate to the network; nil denies every address.
	Net *web.Client
	// Performance measures the process; nil: it has no monitor.
	Performance func(context.Context) (Performance, error)
	// Kept reads what a file once held, by its SHA-256; nil: nothing is kept.
	Kept func(ctx context.Context, sha256 string) ([]byte, error)
	// Ask asks a person a question of an external server while the call runs; nil
	// if that is not possible.
	Ask func(context.Context, Question) (Answer, error)
	// Server is called with the state of the call's external server, also after the
	// call; it may be nil. It must not block.
	Server func(ServerState)
	// Limits bound answers.
	Limits Limits

	Seen *tracker // set for the time of one Run
}

// Fallbacks of Shell: what runs a script where PowerShell is not installed.
const (
	FallbackPOSIX = "posix" // bash, else sh
	FallbackNone  = "none"  // nothing; the call fails
)

// Shell is the configuration of run_powershell.
type Shell struct {
	// Timeout is the time limit of a script; zero means 60 seconds.
	Timeout time.Duration
	// Fallback is FallbackPOSIX or FallbackNone; empty means posix except on
	// Windows.
	Fallback string
	// PathPrepend are directories put in front of PATH.
	PathPrepend []string
	// Set are further variables for scripts; ${NAME} is replaced from the scrubbed environment.
	Set map[string]string
	// Pass are names of variables of the engine that scripts may see besides the usual ones.
	Pass []string
	// Confine lets scripts write to the workspace only; see
	// sandbox.Workspace.Confine. If that is not possible, they do not run.
	Confine bool
	// Network allows network access for confined scripts; others always have it.
	Network bool
	// Frozen are paths in the workspace that confined scripts can read but not
	// change.
	Frozen []string
	// Inherit replaces the environment of the process as the source of values; nil means that.
	Inherit []string
}

func (s Shell) TimeLimit() time.Duration {
	if s.Timeout <= 0 {
		return sandbox.DefaultTimeout
	}
	return s.Timeout
}

func (s Shell) FallbackShell() string {
	switch {
	case s.Fallback != "":
		return s.Fallback
	case runtime.GOOS == "windows":
		return FallbackNone
	}
	return FallbackPOSIX
}

// Defaults and minimum values of Limits.
const (
	DefaultMaxChars = 40_000
	DefaultMaxLines = 2_000
	LeastMaxChars   = 500
	LeastMaxLines   = 5
)

// Limits limit the answer of one call. Zero fields mean the defaults; very
// small values are raised to 500 characters and 5 lines, so that an error and
// its hint always fit.
type Limits struct {
	MaxChars int // characters of Result.Text
	MaxLines int // lines of Result.Text
}

func (l Limits) Filled() Limits {
	if l.MaxChars == 0 {
		l.MaxChars = DefaultMaxChars
	}
	if l.MaxLines == 0 {
		l.MaxLines = DefaultMaxLines
	}
	return Limits{MaxChars: max(l.MaxChars, LeastMaxChars), MaxLines: max(l.MaxLines, LeastMaxLines)}
}

// ReadFile reads a file through the gate and adds it to the call's list of
// files. Handlers and planners use it rather than Workspace.ReadFile.
func (e Env) ReadFile(ctx context.Context, path string) (sandbox.File, error) {
	file, err := e.Workspace.ReadFile(ctx, path)
	if err != nil {
		if shown, gate := e.Workspace.Show(path); gate == nil && errors.Is(err, fs.ErrNotExist) {
			e.Seen.Add(FileState{Path: shown})
		}
		return file, err
	}
	e.Seen.Add(FileState{Path: file.Path, SHA256: file.SHA256, Size: int64(len(file.Data))})
	return file, nil
}

// tracker records the files of one call. A nil tracker records nothing.
type tracker struct {
	mu    sync.Mutex
	files map[string]FileState
}

// Add records a file. A write replaces a read of the same file, never the other
// way round.
func (t *tracker) Add(state FileState) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files == nil {
		t.files = map[string]FileState{}
	}
	old, known := t.files[state.Path]
	if !known && len(t.files) >= MaxFiles || old.Written && !state.Written {
		return
	}
	t.files[state.Path] = state
}

func (t *tracker) list() []FileState {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []FileState
	for _, state := range t.files {
		out = append(out, state)
	}
	return sortedFiles(out)
}

// Performance is the performance of the engine: sums over its processes, and
// what an attached front end reports. Nil values are not measured: only a
// graphical front end has frames and input.
type Performance struct {
	FPS         *float64 `json:"fps"`
	FrameTimeMS *float64 `json:"frame_time_ms"`
	InputLagMS  *float64 `json:"input_lag_ms"`
	CPUPercent  float64  `json:"cpu_percent"`  // of one core, over about the last second
	MemoryBytes int64    `json:"memory_bytes"` // resident
	HeapBytes   int64    `json:"heap_bytes"`
	Goroutines  int      `json:"goroutines"`
	UptimeS     float64  `json:"uptime_s"` // of the process that runs longest
}

// Question is a question of an external server to a person while a call runs:
// the fields of a form, or that the person visits an address.
type Question struct {
	Server  string
	Message string          // the server's words
	Schema  json.RawMessage // of the form; empty with an address
	URL     string          // the whole address
	Origin  string          // scheme and host of URL
}

// Answer is the person's answer. Content is set where a form was filled in.
type Answer struct {
	Accepted bool
	Content  map[string]any
}

// ServerState is the new state of an external server.
type ServerState struct {
	Server string
	State  string     // idle, starting, running or error
	Error  string     // why it failed
	Tools  []ToolDiff // of a running server: tools that differ from the approved ones
}

// ToolDiff is a tool that differs from the approved one.
type ToolDiff struct {
	Name  string
	State string // changed, new or gone
}
