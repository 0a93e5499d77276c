// Package mcpserve offers the tools of a session to MCP clients. Each call is
// requested on the log, approved there and run by a worker, as a model's call is.
package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/version"
	"manualslop/events"
	"manualslop/tools"
)

// MaxCalls bounds the calls of all clients that have no outcome yet; further
// calls are refused.
const MaxCalls = 64

// maxWaiting bounds the events that wait for one call; a call has fewer in all.
const maxWaiting = 64

// server makes the calls of MCP clients in one session.
type server struct {
	writer engine.SessionWriter // as [events.ActorMCP]
	reader events.Log

	gone    context.Context // over when the client disconnected
	running sync.WaitGroup  // calls

	mu    sync.Mutex
	calls map[string]chan events.Payload
	ended error // why nothing is read any more
}

// newMCP is the protocol's side of the server, with the tools of registry.
func (s *server) newMCP(registry *tools.Registry) *mcp.Server {
	out := mcp.NewServer(&mcp.Implementation{Name: "slop", Version: version.ReadInfo().Version}, &mcp.ServerOptions{
		Instructions: "Every call is recorded, and calls that change something may wait for a person's yes.",
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, t := range registry.All() {
		spec := t.Spec()
		out.AddTool(&mcp.Tool{Name: spec.Name, Description: spec.Text(), InputSchema: json.RawMessage(t.Schema()),
			Annotations: annotations(spec.Effect)}, s.call)
	}
	return out
}

// annotations are the hints that follow from what a tool may do.
func annotations(e tools.Effect) *mcp.ToolAnnotations {
	changes := e.Has(tools.Writes) || e.Has(tools.Executes)
	open := e.Has(tools.Network) || e.Has(tools.Executes)
	return &mcp.ToolAnnotations{ReadOnlyHint: !changes, DestructiveHint: &changes, OpenWorldHint: &open}
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
		for id, waits := range s.calls {
			close(waits)
			delete(s.calls, id)
		}
	}()
	return nil
}

// hand gives a call what concerns it.
func (s *server) hand(p events.Payload) {
	id := ""
	switch p := p.(type) {
	case events.AskRaised:
		id = p.Call
	case events.ToolApproved:
		id = p.Call
	case events.ToolDenied:
		id = p.Call
	case events.ToolSettled:
		id = p.Call
	case events.ToolParked:
		id = p.Call
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits := s.calls[id]; waits != nil {
		select {
		case waits <- p:
		default: // nothing of a call is that long
		}
	}
}

// begin registers a call.
func (s *server) begin(id string) (<-chan events.Payload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended != nil:
		return nil, s.ended
	case len(s.calls) >= MaxCalls:
		return nil, fmt.Errorf("too many calls: at most %d may run or wait at once; repeat the call later", MaxCalls)
	}
	waits := make(chan events.Payload, maxWaiting)
	s.calls[id] = waits
	s.running.Add(1)
	return waits, nil
}

func (s *server) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, id)
	s.running.Done()
}

// call makes one call and waits for its outcome. An error of the call is a
// result that says so.
func (s *server) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args := r.Params.Arguments
	if len(bytes.TrimSpace(args)) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	if len(args) > events.MaxArgs {
		return failed("arguments: must be at most %d bytes, got %d", events.MaxArgs, len(args)), nil
	}
	if s.writer.Mask != nil && !bytes.Equal(s.writer.Mask(bytes.Clone(args)), args) {
		return failed("arguments: must not contain a secret; name the place where it is kept"), nil
	}
	client := clientOf(r)
	if len(client.Name) > events.MaxMCPClient || len(client.Version) > events.MaxMCPClient {
		return failed("clientInfo: name and version must be at most %d bytes each", events.MaxMCPClient), nil
	}
	id := events.MCPCallPrefix + engine.NewID()
	waits, err := s.begin(id)
	if err != nil {
		return failed("%v", err), nil
	}
	defer s.end(id)
	if _, _, err := s.writer.Publish(ctx, events.ToolRequested{Call: id, Tool: r.Params.Name, Args: args,
		Client: client}); err != nil {
		// the request may be on record in spite of the error
		return failed("%v", errors.Join(err, s.withdraw(ctx, id, "the request was not confirmed"))), nil
	}
	for steps := 1.0; ; steps++ {
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), s.withdraw(ctx, id, "the client cancelled the call"))
		case <-s.gone.Done():
			return nil, errors.Join(s.gone.Err(), s.withdraw(ctx, id, "the client disconnected"))
		case p, open := <-waits:
			if !open {
				return failed("no outcome of call %s: %v", id, s.ended), nil
			}
			if out := result(p); out != nil {
				return out, nil
			}
			if token := r.Params.GetProgressToken(); token != nil {
				// a client that is gone ends ctx
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: steps,
					Message: progress(p)})
			}
		}
	}
}

// withdraw says that nobody waits for a call any more.
func (s *server) withdraw(ctx context.Context, id, reason string) error {
	_, _, err := s.writer.Publish(context.WithoutCancel(ctx), events.CallAbandoned{Call: id, Reason: reason})
	return err
}

// clientOf is who calls; the name of a client that gave none is empty.
func clientOf(r *mcp.CallToolRequest) *events.MCPClient {
	if p := r.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return &events.MCPClient{Name: p.ClientInfo.Name, Version: p.ClientInfo.Version}
	}
	return &events.MCPClient{}
}

// progress says in one line where a call is.
func progress(p events.Payload) string {
	if a, ok := p.(events.AskRaised); ok {
		return "waiting for a person: ask " + a.Ask
	}
	return "approved"
}

// result is the answer to a call that is over; nil where it is not.
func result(p events.Payload) *mcp.CallToolResult {
	switch p := p.(type) {
	case events.ToolDenied:
		return failed("not allowed: %s", p.Reason)
	case events.ToolParked:
		return failed("given up after %d deliveries: %s", p.Deliveries, p.Reason)
	case events.ToolSettled:
		return &mcp.CallToolResult{IsError: p.Outcome != events.ToolDone,
			Content: []mcp.Content{&mcp.TextContent{Text: p.Text}}}
	}
	return nil
}

func failed(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}
