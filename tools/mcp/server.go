package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// State is what a server is doing.
type State string

const (
	Idle     State = "idle"
	Starting State = "starting"
	Running  State = "running"
	Failed   State = "error"
)

// Times and limits of a server.
const (
	startTimeout = 30 * time.Second       // default; see Definition.StartMS
	callTimeout  = 120 * time.Second      // default; see Definition.CallMS; progress restarts it
	hardTimeout  = 10 * time.Minute       // limit of a call even with progress; at least callTimeout
	settling     = 200 * time.Millisecond // between a change of the tool list and reading it
)

// maxCalls limits the concurrent calls of one server; further calls wait.
const maxCalls = 8

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
	// OpenURL shows a person the URL at which to grant access to a server. If it is nil, access cannot be granted.
	OpenURL func(ctx context.Context, server, url string) error
	// Tokens is the folder for tokens of servers behind URLs; empty means that they are not stored.
	Tokens string
}

// Ask asks a person a question.
type Ask func(context.Context, tools.Question) (tools.Answer, error)

// Server is one external server. Its methods are safe for concurrent use.
type Server interface {
	// Definition returns the definition from which the server was created.
	Definition() Definition
	// Approved returns the tools that the person approved.
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
		report.Error = clean(s.err.Error(), maxDescription)
	}
	s.watch(report)
}

func (s *session) Start(ctx context.Context) error {
	_, err := s.connected(ctx)
	return err
}

// alone waits until nothing else creates or closes the connection, and excludes others until free is called.
func (s *session) alone(ctx context.Context) (free func(), err error) {
	select {
	case s.starting <- struct{}{}:
		return func() { <-s.starting }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// connected returns the current connection, or creates one after the required wait; see [restarts].
func (s *session) connected(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	if now != nil {
		return now, nil
	}
	free, err := s.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	s.mu.Lock()
	if s.now != nil {
		defer s.mu.Unlock()
		return s.now, nil
	}
	wait, may := s.restarts.wait(time.Now())
	if !may {
		defer s.mu.Unlock()
		return nil, fmt.Errorf(`MCP server %s failed %d times in %v and is not started again; run "slop mcp restart %s": %w`,
			s.definition.Name, maxFailures, failureWindow, s.definition.Name, s.err)
	}
	if s.stopped == nil {
		s.stopped = make(chan struct{})
	}
	stopped := s.stopped
	s.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.connect(ctx, stopped)
}

// connect creates a connection. Only one call runs at a time.
func (s *session) connect(ctx context.Context, stopped chan struct{}) (*connection, error) {
	s.mu.Lock()
	s.set(Starting, nil, nil)
	s.mu.Unlock()
	limit := cmp.Or(time.Duration(s.definition.StartMS)*time.Millisecond, startTimeout)
	if s.definition.OAuth != nil && s.around.OpenURL != nil {
		limit = max(limit, hardTimeout) // includes the time in which a person grants access
	}
	// An SSE connection lasts as long as its context.
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	released := context.AfterFunc(ctx, func() { cancel(ctx.Err()) })
	timer := time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("it did not start in %v: %w", limit, context.DeadlineExceeded))
	})
	c := newConnection(s)
	made, err := s.dial(lasting, c)
	timer.Stop()
	released()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if lasting.Err() != nil {
			err = errors.Join(context.Cause(lasting), err)
		}
		cancel(nil)
		err = fmt.Errorf("start MCP server %s: %w", s.definition.Name, err)
		if ctx.Err() == nil {
			s.restarts.failed(time.Now())
		}
		s.set(Failed, nil, err)
		return nil, err
	}
	c.ClientSession = made
	s.revision = made.InitializeResult().ProtocolVersion
	s.restarts.began(time.Now())
	s.set(Running, c, nil)
	go c.readTools()
	if len(s.subscriptions) > 0 {
		go s.subscribeAgain(c)
	}
	go func() {
		err := made.Wait()
		cancel(nil)
		s.lost(c, err, stopped)
	}()
	return c, nil
}

// lost records that a connection ended. If the server is a program, it is started again.
func (s *session) lost(c *connection, err error, stopped chan struct{}) {
	s.mu.Lock()
	was := s.now == c
	if was {
		s.restarts.failed(time.Now())
		s.set(Failed, nil, errors.Join(errors.New("the connection ended"), err))
	}
	s.mu.Unlock()
	c.end() // who waits for it gets another connection
	if !was {
		return
	}
	if s.definition.Type != Stdio {
		return // the next call reconnects
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	defer cancel()
	for ctx.Err() == nil {
		_, err := s.connected(ctx)
		s.mu.Lock()
		_, again := s.restarts.wait(time.Now())
		s.mu.Unlock()
		if err == nil || !again {
			return
		}
	}
}

// Restart stops the server, clears its failures and starts it.
func (s *session) Restart(ctx context.Context) error {
	err := s.Stop()
	s.mu.Lock()
	s.restarts = restarts{}
	s.mu.Unlock()
	return errors.Join(err, s.Start(ctx))
}

func (s *session) Stop() error {
	s.mu.Lock()
	if s.stopped != nil {
		close(s.stopped)
		s.stopped = nil
	}
	s.mu.Unlock()
	free, err := s.alone(context.Background())
	if err != nil {
		return err
	}
	defer free()
	s.mu.Lock()
	now := s.now
	if s.state != "" {
		s.set(Idle, nil, nil)
	}
	s.mu.Unlock()
	if now == nil {
		return nil
	}
	err = now.Close()
	now.end()
	return err
}

// listed records and reports which tools of a running server differ from the approved ones.
func (s *session) listed(c *connection, list []Pin, err error) {
	if err != nil || s.pins == nil {
		return
	}
	var other []tools.ToolDiff
	for _, t := range Compare(s.pins, list) {
		if t.State != Unchanged {
			other = append(other, tools.ToolDiff{Name: clean(t.Name, maxToolName), State: t.State})
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

func (s *session) CallTool(ctx context.Context, name string, args map[string]any,
	h Hooks) (result *sdk.CallToolResult, err error) {
	if args == nil {
		args = map[string]any{} // null is not an object
	}
	err = s.during(ctx, h, func(ctx context.Context, c *connection, meta sdk.Meta) (err error) {
		result, err = c.CallTool(ctx, &sdk.CallToolParams{Meta: meta, Name: name, Arguments: args})
		return err
	})
	return result, err
}

// during makes one request within its times. The request must have the given metadata.
func (s *session) during(ctx context.Context, h Hooks,
	request func(context.Context, *connection, sdk.Meta) error) error {
	select {
	case s.calls <- struct{}{}:
		defer func() { <-s.calls }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c, err := s.connected(ctx)
	if err != nil {
		return err
	}
	limit := cmp.Or(time.Duration(s.definition.CallMS)*time.Millisecond, callTimeout)
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("no answer and no progress in %v: %w", limit, context.DeadlineExceeded))
	})
	defer timer.Stop()
	hard := max(limit, hardTimeout)
	last := time.AfterFunc(hard, func() { cancel(fmt.Errorf("no answer in %v: %w", hard, context.DeadlineExceeded)) })
	defer last.Stop()
	e := &expectation{ask: h.Ask, notify: h.Notify, progress: func() { timer.Reset(limit) }, hold: func() func() {
		timer.Stop()
		last.Stop()
		return func() { timer.Reset(limit); last.Reset(hard) }
	}}
	if e.notify == nil {
		e.notify = func(tools.Notice) {}
	} else {
		c.listenTo(within)
	}
	e.ctx = context.WithValue(within, underWay{}, e)
	token, done := c.expect(e)
	defer done()
	meta := sdk.Meta{"progressToken": token}
	if c.modern() {
		//lint:ignore SA1019 servers of today log
		meta[sdk.MetaKeyLogLevel] = "debug"
	}
	err = request(e.ctx, c, meta)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return context.Cause(within)
	}
	if err != nil && kindOf(ctx, err) == "closed" {
		_ = c.Close() // it is already dead; this removes what remains of its process
		select {
		case <-c.ended: // so that the next call does not get it
		case <-within.Done():
		}
	}
	return err
}

// dialStdio starts the program. If the program dies of the probe for the newer protocol, it is started again
// without the probe. A program that is known to use the older protocol is not probed.
func dialStdio(ctx context.Context, c *connection, d Definition, around Surroundings,
	revision string) (*sdk.ClientSession, error) {
	client := c.client()
	env := sandbox.Environment(sandbox.Environ{Allow: proxies()})
	for name, value := range d.Env {
		env = append(env, name+"="+value) // the last value wins
	}
	argv := slices.Clone(d.Command)
	if strings.ContainsRune(argv[0], filepath.Separator) {
		argv[0] = d.path(argv[0])
	}
	var options *sdk.ClientSessionOptions
	if revision != "" && revision <= legacy {
		options = &sdk.ClientSessionOptions{ProtocolVersion: legacy}
	}
	for {
		log, err := openLog(around, d.Name)
		if err != nil {
			return nil, err
		}
		p, err := startProcess(argv, env, d.Cwd, log, c.raw)
		if err != nil {
			return nil, err
		}
		made, err := client.Connect(ctx, p, options)
		if err == nil {
			return made, nil
		}
		died := p.probing()
		_ = p.Close()
		if options == nil && ctx.Err() == nil && died {
			options = &sdk.ClientSessionOptions{ProtocolVersion: legacy}
			continue
		}
		return nil, errors.Join(err, p.exit())
	}
}

// proxies lists the variables of the person's proxies, which programs receive.
func proxies() []string {
	return []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
		"http_proxy", "https_proxy", "no_proxy", "all_proxy"}
}

// dialRemote connects over streamable HTTP or SSE. It falls back to SSE if streamable HTTP is refused. Headers
// are sent only to the server's own origin.
func dialRemote(ctx context.Context, c *sdk.Client, d Definition, around Surroundings) (*sdk.ClientSession, error) {
	own, err := url.Parse(d.URL)
	if err != nil {
		return nil, err
	}
	origin := &ownOrigin{url: own, headers: d.Headers}
	h := &http.Client{Transport: origin, CheckRedirect: noRedirect}
	if d.Type == HTTP {
		t := &sdk.StreamableClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}
		if d.OAuth != nil {
			if t.OAuthHandler, err = authorization(d, around); err != nil {
				return nil, err
			}
		}
		made, err := c.Connect(ctx, t, nil)
		status := origin.first.Load()
		if err == nil || status < 400 || status > 499 || status == http.StatusUnauthorized || status == http.StatusForbidden {
			return made, err
		}
		made, sse := c.Connect(ctx, &sdk.SSEClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}, nil)
		if sse == nil {
			return made, nil
		}
		return nil, errors.Join(err, sse)
	}
	return c.Connect(ctx, &sdk.SSEClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}, nil)
}

func noRedirect(*http.Request, []*http.Request) error {
	return errors.New("MCP servers must not redirect")
}

// ownOrigin adds the configured headers to each request to the server's origin and to no other, because an SSE
// server itself names the URL for messages.
type ownOrigin struct {
	url     *url.URL
	headers map[string]string
	first   atomic.Int32 // status of the first response
}

func (o *ownOrigin) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != o.url.Scheme || r.URL.Host != o.url.Host {
		return nil, fmt.Errorf("the MCP server must not send its clients from %s to %s", o.url.Host, r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, value := range o.headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		o.first.CompareAndSwap(0, int32(answer.StatusCode))
	}
	return answer, err
}
