package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools"
)

// State is the current activity of a server.
type State string

const (
	Idle     State = "idle"
	Starting State = "starting"
	Running  State = "running"
	Failed   State = "error"
)

// settling is the time between a change of a list or of a resource and acting on it.
const settling = 200 * time.Millisecond

// Limits of a tool list.
const (
	maxTools       = 1000
	maxDescription = 4 << 10 // bytes
	maxToolName    = 128     // bytes of a name as shown
)

// legacy is the newest protocol revision that begins with initialize.
const legacy = "2025-11-25"

// Surroundings are shared by the servers of a manager. The zero value stores no log and no tokens.
type Surroundings struct {
	// Logs is the folder for the error output of programs; empty means that it is not stored.
	Logs string
	// Mask hides secrets in the error output; nil hides nothing.
	Mask func([]byte) []byte
	// OpenURL shows the user the URL at which to grant access to a server. If it is nil, access cannot be granted.
	OpenURL func(ctx context.Context, server, url string) error
	// Gone reports whether the process of a [tools.Env.Client] is gone; nil means that none is.
	Gone func(client string) (bool, error)
	// Tokens is the folder for tokens of servers behind URLs; empty means that they are not stored.
	Tokens string
}

// Ask asks the user a question.
type Ask func(context.Context, tools.Question) (tools.Answer, error)

// Server is one external server. Its methods are safe for concurrent use.
type Server interface {
	// Definition returns the definition from which the server was created.
	Definition() Definition
	// Approved returns the tools that the user approved.
	Approved() []Pin
	// Revision returns the last negotiated protocol revision, or "" before the first negotiation.
	Revision() string
	// Start connects. It does nothing if the server is running.
	Start(ctx context.Context) error
	// ListTools returns the server's current tools from all pages, without those that the definition denies,
	// sorted by name.
	ListTools(ctx context.Context) ([]Pin, error)
	// CallTool calls one tool with a JSON object. At most maxCalls calls and operations run concurrently; further
	// ones wait. Without Hooks.Ask the server cannot ask.
	CallTool(ctx context.Context, name string, args map[string]any, h Hooks) (*sdk.CallToolResult, error)
	// Operate makes a request other than a call of a tool, such as [ReadResource].
	Operate(ctx context.Context, method string, args json.RawMessage, h Hooks) (tools.Result, error)
	// Watch sets the function that is called with the server's state changes. It must not block and must not call
	// the server.
	Watch(tell func(tools.ServerState))
	// State returns what the server is doing, and why it failed.
	State() (State, error)
	// Quarantined returns the tools that differed from the approved ones when they were last listed.
	Quarantined() []tools.ToolDiff
	// Stop disconnects and ends the program.
	Stop() error
	// Restart stops and starts the server, even after too many failures.
	Restart(ctx context.Context) error
}

// StdioServer is a server that runs as a program on this machine.
type StdioServer struct{ *session }

// RemoteServer is a server behind a URL, over SSE or streamable HTTP.
type RemoteServer struct{ *session }

// NewServer creates a server without starting it. project is the absolute path of the project's folder. A start
// fails if the definition, with the files that it names, no longer matches its hash. Without pins, no tools of
// the server are approved yet.
func NewServer(of Status, project string, around Surroundings) (Server, error) {
	d := of.Definition
	expanded, err := d.expanded(project, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	s := newSession(of, around)
	if d.Type != Stdio {
		s.dial = func(ctx context.Context, c *connection) (*sdk.ClientSession, error) {
			return dialRemote(ctx, c.client(), expanded, around)
		}
		return &RemoteServer{s}, nil
	}
	s.dial = func(ctx context.Context, c *connection) (*sdk.ClientSession, error) {
		if now, err := d.Hash(); err != nil || now != of.Hash {
			return nil, errors.Join(errors.New("a file that its command names changed since it was trusted; "+
				`look at it, then run "slop mcp trust `+d.Name+`" again`), err)
		}
		return dialStdio(ctx, c, expanded, around, s.Revision())
	}
	return &StdioServer{s}, nil
}

func newSession(of Status, around Surroundings) *session {
	s := &session{definition: of.Definition, pins: of.Pins, revision: of.Revision, around: around,
		starting: make(chan struct{}, 1), calls: make(chan struct{}, maxCalls)}
	if of.Definition.Serial {
		s.calls = make(chan struct{}, 1)
	}
	return s
}

// session is the connection to a server. It is created when needed, and again after it was lost.
type session struct {
	definition Definition
	around     Surroundings
	pins       []Pin // approved tools; nil means any tools
	dial       func(context.Context, *connection) (*sdk.ClientSession, error)

	starting chan struct{} // holds a token while a connection is created or closed
	calls    chan struct{} // holds one token per call

	mu       sync.Mutex
	now      *connection
	revision string // last negotiated protocol revision; empty if unknown
	state    State
	err      error
	restarts restarts
	other    []tools.ToolDiff // tools that differed from the approved ones when last listed
	watch    func(tools.ServerState)
	stopped  chan struct{} // closed by Stop; nil if not started since

	subscriptions map[string]*subscription // by URI
}

func (s *session) Definition() Definition { return s.definition }
func (s *session) Approved() []Pin        { return s.pins }

func (s *session) Revision() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

func (s *session) State() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == "" {
		return Idle, nil
	}
	return s.state, s.err
}

func (s *session) Quarantined() []tools.ToolDiff {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.other)
}

func (s *session) Watch(tell func(tools.ServerState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = tell
}

// set changes the state. The caller must hold mu.
func (s *session) set(state State, now *connection, err error) {
	s.state, s.now, s.err = state, now, err
	s.tell(nil)
}

// tell reports the state to the watcher. The caller must hold mu.
func (s *session) tell(other []tools.ToolDiff) {
	if s.watch == nil {
		return
	}
	report := tools.ServerState{Server: s.definition.Name, State: string(s.state), Tools: other}
	if s.err != nil {
		report.Error = s.short(s.err.Error(), maxDescription)
	}
	s.watch(report)
}

// listed records and reports which tools of a running server differ from the approved ones.
func (s *session) listed(c *connection, list []Pin, err error) {
	if err != nil || s.pins == nil {
		return
	}
	var other []tools.ToolDiff
	for _, t := range Compare(s.pins, list) {
		if t.State != Unchanged {
			other = append(other, tools.ToolDiff{Name: clean(t.Name, maxToolName), State: t.State, Diff: t.Diff})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == c && (len(other) > 0 || len(s.other) > 0) {
		s.other = other
		s.tell(other)
	}
}

func (s *session) ListTools(ctx context.Context) ([]Pin, error) {
	c, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	return c.tools(ctx)
}
