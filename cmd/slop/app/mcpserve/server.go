// Package mcpserve offers the tools of a session to MCP clients. Each call is
// requested on the log, approved there and run by a worker, as a model's call is.
package mcpserve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/version"
	"manualslop/events"
	"manualslop/tools"
	external "manualslop/tools/mcp"
)

// MaxCalls limits the calls of all clients without an outcome; further calls are rejected.
const MaxCalls = 1024

// maxWaiting limits the events that wait for one call; a call never has that many.
const maxWaiting = 64

// keepPending is how long a call waits for its client after the client was told to come back.
const keepPending = time.Hour

// forever is the time that a request waits without --wait.
const forever = 1<<63 - 1

// outcomeTool is the tool with which a client comes back for the outcome of a call.
const outcomeTool = "slop_outcome"

// server makes MCP clients' calls in one session.
type server struct {
	name    string               // of this process in the ids of calls
	writer  engine.SessionWriter // as [events.ActorMCP]
	reader  events.Log
	blobs   func(ctx context.Context, sha256 string) ([]byte, error)
	log     *slog.Logger
	elicits bool // clients are asked the questions of an external server
	samples bool // the models of clients reply to an external server
	roots   bool // clients name their folders to an external server
	// answer sends an answer to an ask with the gate input as the user's.
	answer func(ctx context.Context, ask string, given client.Answer) error
	wait   time.Duration // how long one request waits for an outcome; 0: as long as its client does

	external   string         // server whose tools are offered; empty: those of slop
	subscribed *subscriptions // to its resources

	gone    context.Context // over when the server stops
	running sync.WaitGroup  // calls

	mu    sync.Mutex
	calls map[string]*call
	ended error // why nothing is read any more
}

// call is a call without an outcome.
type call struct {
	id    string
	steps chan events.Payload // closed when nothing is read any more
	ask   string              // that was raised last

	notices  chan events.ServerNotice // of the external server; nil: it has none
	told     int                      // number of the last one that the client was told
	progress float64                  // that the client was told last

	round round

	pending bool   // no request waits for it; guarded by server.mu
	resume  func() // stops what would withdraw it
}

// newMCP returns the protocol's server with the offered tools. gone ends when the client of a session is known to
// have stopped waiting.
func (s *server) newMCP(o offered, gone func(*mcp.ServerSession) context.Context) *mcp.Server {
	options := &mcp.ServerOptions{
		Instructions: "Every call is recorded, and calls that change something may wait for the user's approval.",
		Capabilities: o.capabilities(),
	}
	var out *mcp.Server
	if o.operations[external.Subscribe] != "" {
		options.SubscribeHandler = func(ctx context.Context, r *mcp.SubscribeRequest) error {
			return s.subscribe(ctx, o, out, gone(r.Session), r.Session, r.Params.URI)
		}
		options.UnsubscribeHandler = func(ctx context.Context, r *mcp.UnsubscribeRequest) error {
			s.unsubscribe(ctx, o, r.Session, r.Params.URI)
			return nil
		}
	}
	if o.operations[external.Complete] != "" {
		options.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return nil, errors.New("completion is passed on") // never called; see passing
		}
	}
	out = mcp.NewServer(&mcp.Implementation{Name: "slop", Version: version.ReadInfo().Version}, options)
	out.AddReceivingMiddleware(s.passing(o, gone))
	for _, t := range o.tools {
		out.AddTool(t.shown, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			end, err := s.request(ctx, gone(r.Session), t.tool, requestOf(r))
			return s.result(ctx, end, err)
		})
	}
	if s.wait > 0 {
		mcp.AddTool(out, &mcp.Tool{Name: outcomeTool,
			Description: "Waits for the outcome of a call that was pending, and returns it.",
			Annotations: annotations(tools.Reads)},
			func(ctx context.Context, r *mcp.CallToolRequest, in outcomeArgs) (*mcp.CallToolResult, any, error) {
				end, err := s.outcome(ctx, gone(r.Session), requestOf(r), in.Call)
				out, err := s.result(ctx, end, err)
				return out, nil, err
			})
	}
	return out
}

// request is a request of a client that becomes a call.
type request struct {
	session   *mcp.ServerSession
	token     any    // of its progress; nil: the client does not want to know
	name      string // of the tool, as the client names it
	args      json.RawMessage
	operation bool // not a call of a tool, so it cannot be left pending

	capabilities *mcp.ClientCapabilities // of a client without a session; nil: it cannot be asked in a result
	answers      mcp.InputResponseMap    // to the questions of an external server, with the state that came with them
	state        string
}

func requestOf(r *mcp.CallToolRequest) request {
	q := request{session: r.Session, token: r.Params.GetProgressToken(), name: r.Params.Name, args: r.Params.Arguments,
		answers: r.Params.InputResponses, state: r.Params.RequestState}
	if isModern(r.Session) {
		q.capabilities = r.ClientCapabilities()
	}
	return q
}

// refusal is why a request has no outcome, for its client.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

type outcomeArgs struct {
	Call string `json:"call" jsonschema:"the id that the pending result named"`
}

// follow hands the events of the session to the calls that wait for them, until
// ctx ends or the session does.
func (s *server) follow(ctx context.Context) error {
	all := events.Filter{Project: s.writer.Project, Session: s.writer.Session}
	ends := all
	ends.Type = events.NameOf[events.SessionClosed]()
	last, err := s.reader.Last(ctx, all)
	if err != nil {
		return fmt.Errorf("follow the session: %w", err)
	}
	closed, err := s.reader.Last(ctx, ends) // one after last is seen by the watch
	if err != nil {
		return fmt.Errorf("follow the session: %w", err)
	}
	if closed != 0 && closed <= last {
		return fmt.Errorf("session %s is closed; open another one and start slop mcp serve again", s.writer.Session)
	}
	_, feed, err := s.reader.Watch(ctx, all, last+1)
	if err != nil {
		return fmt.Errorf("follow the session: %w", err)
	}
	go func() {
		registry := events.Catalogue()
		ended := errors.New("the engine stopped")
		for e, err := range feed {
			if err != nil {
				ended = err
				break
			}
			registry.Decode(&e)
			if p, closed := e.Payload.(events.SessionClosed); closed {
				ended = errors.New("the session was closed: " + p.Reason)
				break
			}
			s.hand(e.Payload)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended = ended
		for _, c := range s.calls {
			close(c.steps)
		}
	}()
	return nil
}

// hand passes an event to the call that it concerns.
func (s *server) hand(p events.Payload) {
	id := ""
	switch p := p.(type) {
	case events.AskRaised:
		id = p.Call
	case events.ToolApproved:
		id = p.Call
	case events.ToolDenied:
		id = p.Call
	case events.ToolStarted:
		id = p.Call
	case events.ToolSettled:
		id = p.Call
	case events.ToolParked:
		id = p.Call
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[id]; c != nil {
		select {
		case c.steps <- p:
		default: // nothing of a call is that long
		}
	}
}

// settle waits until the calls of disconnected clients are withdrawn. No new call begins.
func (s *server) settle() {
	s.mu.Lock()
	if s.ended == nil {
		s.ended = errors.New("the server is stopping")
	}
	s.mu.Unlock()
	s.running.Wait()
}

// begin registers a call.
func (s *server) begin() (*call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended != nil:
		return nil, s.ended
	case len(s.calls) >= MaxCalls:
		return nil, fmt.Errorf("too many calls: at most %d may run or wait at once; repeat the call later", MaxCalls)
	}
	c := &call{id: events.MCPCall(s.name, engine.NewID()), steps: make(chan events.Payload, maxWaiting)}
	if s.external != "" {
		c.notices = make(chan events.ServerNotice, maxNotices)
	}
	s.calls[c.id] = c
	s.running.Add(1)
	return c, nil
}

// why returns the reason why no more events are read.
func (s *server) why() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

func (s *server) end(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c.id)
	s.running.Done()
}

// request makes one call and waits for the event that ends it. It returns an error only for a rejection that the
// client should read.
func (s *server) request(ctx, gone context.Context, tool string, q request) (events.Payload, error) {
	if len(bytes.TrimSpace(q.args)) == 0 || string(q.args) == "null" {
		q.args = json.RawMessage("{}")
	}
	if len(q.args) > events.MaxArgs {
		return nil, refuse("arguments: must be at most %d bytes, got %d", events.MaxArgs, len(q.args))
	}
	if s.writer.Mask != nil && !bytes.Equal(s.writer.Mask(bytes.Clone(q.args)), q.args) {
		return nil, refuse("arguments: must not contain a secret; name the place where it is kept")
	}
	client := clientOf(q.session)
	if len(client.Name) > events.MaxMCPClient || len(client.Version) > events.MaxMCPClient {
		return nil, refuse("clientInfo: name and version must be at most %d bytes each", events.MaxMCPClient)
	}
	if len(q.answers) > 0 || q.state != "" {
		return s.goOn(ctx, gone, q)
	}
	c, err := s.begin()
	if err != nil {
		return nil, refuse("%v", err)
	}
	asked := events.ToolRequested{Call: c.id, Tool: tool, Args: q.args, Client: client}
	if _, _, err := s.writer.Publish(ctx, asked); err != nil {
		defer s.end(c)
		// the request may be on record in spite of the error
		return nil, refuse("%v", errors.Join(err, s.withdraw(ctx, c, "the request was not confirmed")))
	}
	return s.await(ctx, gone, q, c)
}

// outcome continues to wait for a pending call.
func (s *server) outcome(ctx, gone context.Context, q request, id string) (events.Payload, error) {
	s.mu.Lock()
	c := s.calls[id]
	if c == nil || !c.pending {
		s.mu.Unlock()
		return nil, refuse("call: no pending call %.80q; its outcome was returned, or it was withdrawn", id)
	}
	c.pending = false
	c.resume()
	s.mu.Unlock()
	c.progress = 0 // of another request
	return s.await(ctx, gone, q, c)
}

// await waits for the event that ends a call, at most as long as one request may take.
func (s *server) await(ctx, gone context.Context, q request, c *call) (events.Payload, error) {
	limit := time.NewTimer(cmp.Or(s.wait, forever))
	defer limit.Stop()
	if q.operation {
		limit.Stop()
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	forms, shown := make(chan struct{}), 0 // questions that the client shows now
	for {
		select {
		case <-ctx.Done():
			defer s.end(c)
			return nil, errors.Join(ctx.Err(), s.withdraw(ctx, c, "the client cancelled the call"))
		case <-gone.Done():
			defer s.end(c)
			return nil, errors.Join(gone.Err(), s.withdraw(ctx, c, "the client disconnected"))
		case <-limit.C:
			if shown == 0 {
				return nil, s.leavePending(gone, c)
			}
		case <-forms:
			if shown--; shown == 0 && !q.operation {
				limit.Reset(cmp.Or(s.wait, forever)) // the time of the form does not count
			}
		case n := <-c.notices:
			q.tell(ctx, c, n)
		case p, open := <-c.steps:
			if !open {
				defer s.end(c)
				return nil, refuse("no outcome of call %s: %v", c.id, s.why())
			}
			if ends(p) {
				s.end(c)
				s.tellRest(ctx, q, c, p)
				return p, nil
			}
			if a, ok := p.(events.AskRaised); ok {
				c.ask = a.Ask
				switch {
				case a.Gate != events.GateInput:
				case isModern(q.session):
					if err := s.question(gone, q, c, a); err != nil {
						return nil, err
					}
				default:
					shown++
					asking.Go(func() {
						s.elicit(ctx, q.session, a)
						select {
						case forms <- struct{}{}:
						case <-ctx.Done():
						}
					})
				}
			}
			q.progress(ctx, c, 0, 0, progress(p))
		}
	}
}

// tellRest sends the client the remaining notices when a call ends.
func (s *server) tellRest(ctx context.Context, q request, c *call, end events.Payload) {
	for {
		select {
		case n := <-c.notices:
			q.tell(ctx, c, n)
			continue
		default:
		}
		break
	}
	if p, settled := end.(events.ToolSettled); settled {
		for _, n := range p.Notices {
			q.tell(ctx, c, n)
		}
	}
}

// ends reports whether an event ends its call.
func ends(p events.Payload) bool {
	switch p.(type) {
	case events.ToolDenied, events.ToolParked, events.ToolSettled:
		return true
	}
	return false
}

// keep keeps a call without a request until its client comes back. It withdraws the call if the client has
// disconnected or does not come back. s.mu must be held.
func (s *server) keep(gone context.Context, c *call) {
	drop := func(reason string) {
		s.mu.Lock()
		if !c.pending {
			s.mu.Unlock()
			return
		}
		c.pending = false
		s.mu.Unlock()
		defer s.end(c)
		_ = s.withdraw(s.gone, c, reason) // where it fails the engine finds this process gone
	}
	c.pending = true
	late := time.AfterFunc(keepPending, func() { drop("the client did not come back for the outcome") })
	stop := context.AfterFunc(gone, func() { drop("the client disconnected") })
	c.resume = func() { late.Stop(); stop() }
}

// leavePending keeps a call whose client was told to come back.
func (s *server) leavePending(gone context.Context, c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(gone, c)
	waits := "it has not ended"
	if c.ask != "" {
		waits = "it may be waiting for the user: ask " + c.ask
	}
	return refuse("pending: call %s has no outcome yet; %s. Call %s with {\"call\": %q} to keep waiting.", c.id, waits,
		outcomeTool, c.id)
}

// withdraw records that a call's client no longer waits for it.
func (s *server) withdraw(ctx context.Context, c *call, reason string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout) // the engine may have stopped
	defer cancel()
	_, _, err := s.writer.Publish(ctx, events.CallAbandoned{Call: c.id, Reason: reason})
	return err
}

// clientOf returns the calling client. Its name is empty if the client gave none.
func clientOf(session *mcp.ServerSession) *events.MCPClient {
	if p := session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return &events.MCPClient{Name: p.ClientInfo.Name, Version: p.ClientInfo.Version}
	}
	return &events.MCPClient{}
}

// progress returns the state of a call as one line.
func progress(p events.Payload) string {
	switch p := p.(type) {
	case events.AskRaised:
		return "waiting for the user: ask " + p.Ask
	case events.ToolStarted:
		return "started"
	}
	return "approved"
}
