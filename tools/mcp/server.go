package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// Timeouts of a server.
const (
	startTimeout = 30 * time.Second
	callTimeout  = 120 * time.Second
)

// Bounds of a tool list.
const (
	maxTools       = 1000
	maxDescription = 4 << 10 // bytes
)

// legacy is the protocol revision that a server gets which died of the newer one's probe.
const legacy = "2025-11-25"

// Server is one external server. Its methods are safe for concurrent use.
type Server interface {
	// Definition is what the server was made from.
	Definition() Definition
	// Start connects. It does nothing while the server runs.
	Start(ctx context.Context) error
	// ListTools returns the tools that the server has now, of all pages, without those that the
	// definition denies, ordered by name.
	ListTools(ctx context.Context) ([]Pin, error)
	// CallTool calls one tool with a JSON object.
	CallTool(ctx context.Context, name string, args map[string]any) (*sdk.CallToolResult, error)
	// State tells what the server is doing, and why it failed.
	State() (State, error)
	// Stop disconnects and ends the program.
	Stop() error
}

// StdioServer is a server that is a program of this machine.
type StdioServer struct{ session }

// RemoteServer is a server behind a URL, over SSE or streamable HTTP.
type RemoteServer struct{ session }

// NewServer makes a server that is not started. Project is the absolute folder of the project. A start
// fails where the definition, with the files that it names, does not have this hash any more.
func NewServer(d Definition, hash, project string) (Server, error) {
	expanded, err := d.expanded(project, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	if d.Type == Stdio {
		s := &StdioServer{}
		s.definition, s.dial = d, func(ctx context.Context) (*sdk.ClientSession, error) {
			if now, err := d.Hash(); err != nil || now != hash {
				return nil, errors.Join(errors.New("a file that its command names changed since it was trusted; "+
					`look at it, then run "slop mcp trust `+d.Name+`" again`), err)
			}
			return dialStdio(ctx, expanded)
		}
		return s, nil
	}
	s := &RemoteServer{}
	s.definition, s.dial = d, func(ctx context.Context) (*sdk.ClientSession, error) { return dialRemote(ctx, expanded) }
	return s, nil
}

// session is the connection to a server, made when it is needed and again after it was lost.
type session struct {
	definition Definition
	dial       func(context.Context) (*sdk.ClientSession, error)

	starting sync.Mutex // held while a connection is made
	mu       sync.Mutex
	now      *sdk.ClientSession
	state    State
	err      error
}

func (s *session) Definition() Definition { return s.definition }

func (s *session) State() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == "" {
		return Idle, nil
	}
	return s.state, s.err
}

func (s *session) set(state State, now *sdk.ClientSession, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.now, s.err = state, now, err
}

func (s *session) Start(ctx context.Context) error {
	_, err := s.connected(ctx)
	return err
}

// connected returns the running session, or makes one.
func (s *session) connected(ctx context.Context) (*sdk.ClientSession, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	if now != nil {
		return now, nil
	}
	s.set(Starting, nil, nil)
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx)) // an SSE connection lasts as long as its context
	stopped := context.AfterFunc(ctx, cancel)
	timer := time.AfterFunc(startTimeout, cancel)
	made, err := s.dial(lasting)
	timer.Stop()
	stopped()
	if err != nil {
		cancel()
		err = fmt.Errorf("start MCP server %s: %w", s.definition.Name, err)
		s.set(Failed, nil, err)
		return nil, err
	}
	s.set(Running, made, nil)
	go func() {
		err := made.Wait()
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.now == made {
			s.now, s.state, s.err = nil, Failed, errors.Join(errors.New("the connection ended"), err)
		}
	}()
	return made, nil
}

func (s *session) Stop() error {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	now := s.now
	s.mu.Unlock()
	s.set(Idle, nil, nil)
	if now == nil {
		return nil
	}
	return now.Close()
}

func (s *session) ListTools(ctx context.Context) ([]Pin, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var out []Pin
	for t, err := range now.Tools(ctx, nil) {
		if err != nil {
			s.ended(ctx, now, err)
			return nil, fmt.Errorf("list the tools of MCP server %s: %w", s.definition.Name, err)
		}
		if len(out) == maxTools {
			return nil, fmt.Errorf("MCP server %s has more than %d tools", s.definition.Name, maxTools)
		}
		if !s.definition.offers(t.Name) {
			continue
		}
		p, err := pinOf(t)
		if err != nil {
			return nil, fmt.Errorf("MCP server %s: tool %q: %w", s.definition.Name, t.Name, err)
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Pin) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b Pin) bool { return a.Name == b.Name }), nil
}

func (s *session) CallTool(ctx context.Context, name string, args map[string]any) (*sdk.CallToolResult, error) {
	now, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	if args == nil {
		args = map[string]any{}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	result, err := now.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	s.ended(ctx, now, err)
	return result, err
}

// ended closes a connection that a request found dead, so that the next request makes another one.
func (s *session) ended(ctx context.Context, was *sdk.ClientSession, err error) {
	if err == nil || kindOf(ctx, err) != "closed" {
		return
	}
	_ = was.Close() // it is dead already; what remains of its process goes away
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == was {
		s.now, s.state, s.err = nil, Failed, fmt.Errorf("the connection ended: %w", err)
	}
}

// client declares neither roots nor sampling nor elicitation.
func client() *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: "slop", Version: "1"},
		&sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
}

// dialStdio starts the program. One that died of the probe for the newer protocol is started again
// without it.
func dialStdio(ctx context.Context, d Definition) (*sdk.ClientSession, error) {
	env := sandbox.Environment(sandbox.Environ{Set: d.Env})
	argv := slices.Clone(d.Command)
	if strings.ContainsRune(argv[0], filepath.Separator) && !filepath.IsAbs(argv[0]) {
		argv[0] = filepath.Join(filepath.Dir(d.File), argv[0])
	}
	var options *sdk.ClientSessionOptions
	for {
		p, err := startProcess(argv, env, d.Cwd)
		if err != nil {
			return nil, err
		}
		made, err := client().Connect(ctx, p, options)
		if err == nil {
			return made, nil
		}
		_ = p.Close()
		if options == nil && ctx.Err() == nil && p.probing() {
			options = &sdk.ClientSessionOptions{ProtocolVersion: legacy}
			continue
		}
		return nil, errors.Join(err, p.exit())
	}
}

// dialRemote connects over HTTP or SSE. Headers go to the server's own origin only.
func dialRemote(ctx context.Context, d Definition) (*sdk.ClientSession, error) {
	own, err := url.Parse(d.URL)
	if err != nil {
		return nil, err
	}
	h := &http.Client{Transport: ownOrigin{own, d.Headers}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("MCP servers must not redirect")
	}}
	var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}
	if d.Type == SSE {
		transport = &sdk.SSEClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}
	}
	return client().Connect(ctx, transport, nil)
}

// ownOrigin sets the configured headers on each request, and sends none elsewhere: an SSE server names
// the address for messages itself.
type ownOrigin struct {
	url     *url.URL
	headers map[string]string
}

func (o ownOrigin) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != o.url.Scheme || r.URL.Host != o.url.Host {
		return nil, fmt.Errorf("the MCP server must not send its clients from %s to %s", o.url.Host, r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, value := range o.headers {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}
