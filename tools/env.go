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

// Env provides everything that a call may use. The zero value denies all access.
type Env struct {
	// Workspace provides access to files; nil denies every path.
	Workspace *sandbox.Workspace
	// Shell configures how scripts run.
	Shell Shell
	// Net provides access to the network; nil denies every address.
	Net *web.Client
	// Performance measures the engine; nil if there is no monitor.
	Performance func(context.Context) (Performance, error)
	// Kept reads an earlier content of a file by its SHA-256; nil if none is stored.
	Kept func(ctx context.Context, sha256 string) ([]byte, error)
	// Client is the name of the MCP server process whose client makes the call; empty for models and users.
	Client string
	// Ask asks the user a question from an external server while the call runs; nil
	// if that is not possible.
	Ask func(context.Context, Question) (Answer, error)
	// Server is called with the state of the call's external server, even after the call. It may be nil. It must
	// not block.
	Server func(ServerState)
	// Notify is called with what the call's external server reports, one after the other; for a subscription to a
	// resource also after the call. It may be nil. It must not block.
	Notify func(Notice)
	// Output and Errors are called with the output streams of a script while it runs. They may be nil, and may be
	// called at the same time. They must not keep the bytes.
	Output, Errors func([]byte)
	// Limits limit the size of answers.
	Limits Limits

	Seen *tracker // set for the duration of one Run
}

// Values of Shell.Fallback: what runs a script if PowerShell is not installed.
const (
	FallbackPOSIX = "posix" // bash, or else sh
	FallbackNone  = "none"  // nothing; the call fails
)

// Shell is the configuration of run_powershell.
type Shell struct {
	// Timeout is the time limit of a script; zero means 60 seconds.
	Timeout time.Duration
	// MaxTimeout is the longest time limit that a call may set. A smaller value means Timeout.
	MaxTimeout time.Duration
	// Fallback is FallbackPOSIX or FallbackNone; empty means FallbackPOSIX except on Windows.
	Fallback string
	// PathPrepend lists directories to put in front of PATH.
	PathPrepend []string
	// Set holds additional variables for scripts; ${NAME} is replaced from the filtered environment.
	Set map[string]string
	// Pass names variables of the engine that scripts may see in addition to the usual ones.
	Pass []string
	// Confine lets scripts write to the workspace only; see
	// sandbox.Workspace.Confine. If that is not possible, they do not run.
	Confine bool
	// Network allows network access for confined scripts; others always have it.
	Network bool
	// Frozen lists paths in the workspace that confined scripts can read but not change.
	Frozen []string
	// Inherit replaces the process's environment as the source of values. Nil means the process's environment.
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

// Limits limit the size of one call's answer. Zero fields mean the defaults. Very small values are raised to 500
// characters and 5 lines, so that an error and its hint always fit.
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

// ReadFile reads a file through the workspace and adds it to the call's list of files. Handlers and planners must
// use it instead of Workspace.ReadFile.
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

// Add records a file. A write replaces a read of the same file, but not the other way round.
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

// Performance holds figures of the engine, summed over its processes, and figures that an attached front end
// reports. Nil values were not measured: only a graphical front end has frames and input.
type Performance struct {
	FPS         *float64 `json:"fps"`
	FrameTimeMS *float64 `json:"frame_time_ms"`
	InputLagMS  *float64 `json:"input_lag_ms"`
	CPUPercent  float64  `json:"cpu_percent"`  // percent of one core, averaged over about the last second
	MemoryBytes int64    `json:"memory_bytes"` // resident memory
	HeapBytes   int64    `json:"heap_bytes"`
	Goroutines  int      `json:"goroutines"`
	UptimeS     float64  `json:"uptime_s"` // uptime of the longest-running process
}

// Question is a question that an external server asks the user during a call: either a form, or a request to
// visit a URL.
type Question struct {
	Server  string
	Message string          // the server's own words
	Schema  json.RawMessage // schema of the form; empty if there is a URL
	// Sampling is set if the server asks for a reply of a model: the parameters of sampling/createMessage. The content
	// of the answer is then the result.
	Sampling json.RawMessage
	Roots    bool   // the server asks for folders; the content of the answer is the result of roots/list
	URL      string // the whole address
	Origin   string // scheme and host of URL
	// Key is the server's own name for the question and Of the number of questions that it asked at once. They are
	// empty in the older protocol, in which each question is a request.
	Key string
	Of  int
}

// Answer is the user's answer. Content is set if a form was filled in.
type Answer struct {
	Accepted bool
	Content  map[string]any
}

// ServerState is the new state of an external server.
type ServerState struct {
	Server string
	State  string     // idle, starting, running or error
	Error  string     // why it failed
	Tools  []ToolDiff // for a running server: tools that differ from the approved ones
}

// ToolDiff is a tool that differs from the approved one.
type ToolDiff struct {
	Name  string
	State string // changed, new or gone
	Diff  string // of its description and schema
}

// Notice is a report that an external server sends while a call runs, or about a resource to which a call subscribed.
type Notice struct {
	N               int    // number in its call, from 1
	Kind            string // as in package events, such as events.NoticeProgress
	Server          string // of an update
	Progress, Total float64
	Level, Logger   string // of a log message
	Text            string // message of a progress, JSON of a log message, or URI of an update
}
