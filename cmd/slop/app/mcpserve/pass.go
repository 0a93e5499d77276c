package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/bus"
	"manualslop/events"
	external "manualslop/tools/mcp"
)

// maxNotices limits the notices per call that wait for a slow client; further ones are dropped.
const maxNotices = 256

// maxUpdates limits the resource changes that wait to be sent; further ones are dropped.
const maxUpdates = 256

// sendTimeout limits how long sending a change of a resource, or ending a subscription, may take.
const sendTimeout = 5 * time.Second

// codeRefused is the JSON-RPC error code for a request that the user or a rule rejected.
const codeRefused = -32000

// passing is the receiving middleware for the requests that an external server answers, apart from calls of tools and
// subscriptions.
func (s *server) passing(o offered, gone func(*mcp.ServerSession) context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			tool, has := o.operations[method]
			session, is := r.GetSession().(*mcp.ServerSession)
			if !has || !is || method == external.Subscribe || method == external.Unsubscribe { // see newMCP
				return next(ctx, method, r)
			}
			q := request{session: session, name: method, args: json.RawMessage("{}"), operation: true}
			var args any
			switch p := r.GetParams().(type) {
			case *mcp.ReadResourceParams:
				args = map[string]string{"uri": p.URI}
				q.token, q.answers, q.state = p.GetProgressToken(), p.InputResponses, p.RequestState
			case *mcp.GetPromptParams:
				args = map[string]any{"name": p.Name, "arguments": p.Arguments}
				if p.Arguments == nil {
					args = map[string]any{"name": p.Name}
				}
				q.token, q.answers, q.state = p.GetProgressToken(), p.InputResponses, p.RequestState
			case *mcp.CompleteParams:
				args = &mcp.CompleteParams{Ref: p.Ref, Argument: p.Argument, Context: p.Context}
			}
			if args != nil {
				raw, err := json.Marshal(args)
				if err != nil {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
				}
				q.args = raw
			}
			if with, has := r.(interface {
				ClientCapabilities() *mcp.ClientCapabilities
			}); has && isModern(session) {
				q.capabilities = with.ClientCapabilities()
			}
			out, err := s.operate(ctx, gone(session), tool, q)
			if needed, asks := errors.AsType[*inputNeeded](err); asks {
				return q.needing(needed)
			}
			if err != nil {
				return nil, err
			}
			return s.answered(ctx, q, out)
		}
	}
}

// operate sends the request of an operation and returns its outcome.
func (s *server) operate(ctx, gone context.Context, tool string, q request) (events.ToolSettled, error) {
	end, err := s.request(ctx, gone, tool, q)
	if said, refused := errors.AsType[refusal](err); refused {
		return events.ToolSettled{}, &jsonrpc.Error{Code: codeRefused, Message: string(said)}
	}
	if err != nil {
		return events.ToolSettled{}, err
	}
	out, settled := end.(events.ToolSettled)
	switch {
	case !settled:
		return out, &jsonrpc.Error{Code: codeRefused, Message: unsettled(end)}
	case out.Outcome != events.ToolDone:
		return out, s.failure(out, jsonrpc.CodeInternalError)
	}
	return out, nil
}

// failure returns the error with which the external server answered a call, or one with the given code, or nil.
func (s *server) failure(out events.ToolSettled, code int64) error {
	said := external.Failure{Code: code}
	if len(out.Data) > 0 && json.Unmarshal([]byte(s.masked(string(out.Data))), &said) != nil {
		said = external.Failure{Code: code}
	}
	if said.Code == 0 {
		return nil
	}
	return &jsonrpc.Error{Code: said.Code, Message: s.masked(out.Text), Data: said.Data}
}

// answered is the protocol's form of an outcome.
func (s *server) answered(ctx context.Context, q request, out events.ToolSettled) (mcp.Result, error) {
	const scope = "private" // who may read it is decided for each request
	switch q.name {
	case external.ListResources:
		r := &mcp.ListResourcesResult{}
		err := s.structured(ctx, out, r)
		r.CacheScope = scope
		return r, err
	case external.ListTemplates:
		r := &mcp.ListResourceTemplatesResult{}
		err := s.structured(ctx, out, r)
		r.CacheScope = scope
		return r, err
	case external.ListPrompts:
		r := &mcp.ListPromptsResult{}
		err := s.structured(ctx, out, r)
		r.CacheScope = scope
		return r, err
	case external.Complete:
		r := &mcp.CompleteResult{}
		return r, s.structured(ctx, out, r)
	case external.ReadResource:
		r := &mcp.ReadResourceResult{}
		if err := q.setType(r); err != nil {
			return nil, err
		}
		r.CacheScope, r.Contents = scope, []*mcp.ResourceContents{}
		for _, c := range out.Content {
			part, is := s.block(ctx, c).(*mcp.EmbeddedResource)
			if !is {
				return nil, errors.New("part of the resource is no longer on record")
			}
			r.Contents = append(r.Contents, part.Resource)
		}
		return r, nil
	case external.GetPrompt:
		var said external.Prompt
		if err := json.Unmarshal(out.Data, &said); err != nil || len(said.Roles) != len(out.Content) {
			return nil, errors.New("the record holds only part of the prompt")
		}
		r := &mcp.GetPromptResult{}
		if err := q.setType(r); err != nil {
			return nil, err
		}
		r.Description, r.Messages = said.Description, []*mcp.PromptMessage{}
		for i, c := range out.Content {
			r.Messages = append(r.Messages, &mcp.PromptMessage{Role: mcp.Role(said.Roles[i]), Content: s.block(ctx, c)})
		}
		return r, nil
	}
	return nil, fmt.Errorf("%s has no answer", q.name)
}

// needing is the form in which the protocol carries questions in place of an outcome.
func (q request) needing(n *inputNeeded) (mcp.Result, error) {
	const needs = `{"resultType":"input_required"}`
	if q.name == external.GetPrompt {
		r := &mcp.GetPromptResult{}
		err := json.Unmarshal([]byte(needs), r)
		r.InputRequests, r.RequestState = n.asked, n.state
		return r, err
	}
	r := &mcp.ReadResourceResult{}
	err := json.Unmarshal([]byte(needs), r)
	r.InputRequests, r.RequestState = n.asked, n.state
	return r, err
}

// setType sets the type of a result, which the newer protocol requires and the SDK sets only for its own handlers.
func (q request) setType(result any) error {
	if !isModern(q.session) {
		return nil
	}
	return json.Unmarshal([]byte(`{"resultType":"complete"}`), result)
}

// isModern reports whether a client uses the protocol without sessions.
func isModern(session *mcp.ServerSession) bool {
	p := session.InitializeParams()
	return p != nil && p.ProtocolVersion >= stateless
}

// structured decodes the JSON that is the only block of an outcome.
func (s *server) structured(ctx context.Context, out events.ToolSettled, into any) error {
	if len(out.Content) != 1 {
		return errors.New("the answer is not on record")
	}
	text, is := s.block(ctx, out.Content[0]).(*mcp.TextContent)
	if !is {
		return errors.New("the answer is not on record as text")
	}
	if err := json.Unmarshal([]byte(text.Text), into); err != nil {
		return fmt.Errorf("the answer on record: %w", err)
	}
	return nil
}

// subscriptions holds the resources whose changes clients subscribed to.
type subscriptions struct {
	mu      sync.Mutex
	held    map[*mcp.ServerSession]map[string]*mcp.Server // servers of the sessions, by session and URI
	updates chan string
}

func newSubscriptions() *subscriptions {
	return &subscriptions{held: map[*mcp.ServerSession]map[string]*mcp.Server{}, updates: make(chan string, maxUpdates)}
}

// add notes a subscription. It reports whether it is the first of the session.
func (h *subscriptions) add(of *mcp.Server, session *mcp.ServerSession, uri string) (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first = h.held[session] == nil
	if first {
		h.held[session] = map[string]*mcp.Server{}
	}
	h.held[session][uri] = of
	return first
}

// has reports whether a session is subscribed.
func (h *subscriptions) has(session *mcp.ServerSession, uri string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held[session][uri] != nil
}

// remove removes a subscription. It returns false if there is none.
func (h *subscriptions) remove(session *mcp.ServerSession, uri string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[session][uri] == nil {
		return false
	}
	delete(h.held[session], uri)
	if len(h.held[session]) == 0 {
		delete(h.held, session)
	}
	return true
}

// of returns the URIs of a session.
func (h *subscriptions) of(session *mcp.ServerSession) (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for uri := range h.held[session] {
		out = append(out, uri)
	}
	return out
}

// send reports changes to clients until ctx ends.
func (h *subscriptions) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case uri := <-h.updates:
			h.mu.Lock()
			to := map[*mcp.Server]bool{} // each has all its sessions
			for _, uris := range h.held {
				if of := uris[uri]; of != nil {
					to[of] = true
				}
			}
			h.mu.Unlock()
			within, cancel := context.WithTimeout(ctx, sendTimeout)
			for of := range to {
				_ = of.ResourceUpdated(within, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // the client may be gone
			}
			cancel()
		}
	}
}

// subscribe creates a client's subscription.
func (s *server) subscribe(ctx context.Context, o offered, of *mcp.Server, gone context.Context,
	session *mcp.ServerSession, uri string) error {
	if s.subscribed.has(session, uri) {
		return nil
	}
	raw, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return err
	}
	q := request{session: session, name: external.Subscribe, args: raw, operation: true}
	if _, err := s.operate(ctx, gone, o.operations[external.Subscribe], q); err != nil {
		return err
	}
	if s.subscribed.add(of, session, uri) {
		go func() {
			_ = session.Wait()
			s.unsubscribeAll(o, session)
		}()
	}
	return nil
}

// unsubscribeAll ends the subscriptions of a session that has ended.
func (s *server) unsubscribeAll(o offered, session *mcp.ServerSession) {
	for _, uri := range s.subscribed.of(session) {
		s.unsubscribe(context.Background(), o, session, uri)
	}
}

// endSubscriptions ends the subscriptions of all sessions, because the server stops.
func (s *server) endSubscriptions(o offered) {
	s.subscribed.mu.Lock()
	all := slices.Collect(maps.Keys(s.subscribed.held))
	s.subscribed.mu.Unlock()
	for _, session := range all {
		s.unsubscribeAll(o, session)
	}
}

// unsubscribe ends a subscription, even if the client is gone.
func (s *server) unsubscribe(ctx context.Context, o offered, session *mcp.ServerSession, uri string) {
	if !s.subscribed.remove(session, uri) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	raw, err := json.Marshal(map[string]string{"uri": uri})
	if err == nil {
		_, err = s.operate(ctx, s.gone, o.operations[external.Unsubscribe], request{session: session,
			name: external.Unsubscribe, args: raw, operation: true})
	}
	if err != nil {
		s.log.Debug("a subscription was not ended", "uri", uri, "error", err)
	}
}

// heard handles a report of the external server, as a worker sent it.
func (s *server) heard(m bus.Signal) {
	var n events.NoticeSignal
	if !strings.HasPrefix(m.Actor, events.WorkerPrefix) || json.Unmarshal(m.Body, &n) != nil {
		return
	}
	if n.Kind == events.NoticeUpdated {
		if of, _ := events.MCPServerOf(n.Call); n.Server == s.external && of == s.name {
			select {
			case s.subscribed.updates <- n.Text:
			default:
			}
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[n.Call]; c != nil && c.notices != nil {
		select {
		case c.notices <- n.ServerNotice:
		default:
		}
	}
}

// tell sends a notice of the external server to the client of its call, with the client's own token and level.
func (q request) tell(ctx context.Context, c *call, n events.ServerNotice) {
	if n.N <= c.told {
		return
	}
	c.told = n.N
	switch n.Kind {
	case events.NoticeProgress:
		q.progress(ctx, c, n.Progress, n.Total, n.Text)
	case events.NoticeLog:
		//lint:ignore SA1019 current clients still show them
		_ = q.session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(n.Level), Logger: n.Logger,
			Data: json.RawMessage(n.Text)}) // a client that is gone ends ctx
	}
}

// ownStep is the amount by which one of our own reports raises the progress of a call.
const ownStep = 0.001

// progress reports progress if the client wants it. The protocol requires progress to rise, so a report that does not
// is raised a little.
func (q request) progress(ctx context.Context, c *call, at, total float64, message string) {
	if q.token == nil {
		return
	}
	c.progress = max(at, c.progress+ownStep)
	// a client that is gone ends ctx
	_ = q.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: q.token, Progress: c.progress,
		Total: total, Message: message})
}
