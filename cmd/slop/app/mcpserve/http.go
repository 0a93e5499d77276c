package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
)

// Limits of the HTTP server.
const (
	// MaxSessions bounds the sessions of clients that initialize, SSE included.
	MaxSessions = 64
	// MaxConns bounds the connections.
	MaxConns = 2 * MaxCalls
	// MaxBody limits a request in bytes: its arguments, escaped as JSON, and their frame.
	MaxBody = 1 << 20

	// sessionIdle is how long a session is kept without a request.
	sessionIdle = time.Hour
	// absentFor is how long the calls of a session wait when none of its requests
	// is open: its client may be on its way back.
	absentFor = time.Minute

	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	// writeTimeout is how long a client may take to read a part of an answer.
	writeTimeout = 30 * time.Second
)

// Headers of the transport, and the first protocol without sessions.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	stateless     = "2026-07-28"
	versionMeta   = "io.modelcontextprotocol/protocolVersion"
)

// Paths of the HTTP server.
const (
	pathMCP = "/mcp"
	pathSSE = "/sse"
)

// web serves clients over HTTP: both protocol eras at /mcp, and the older
// transport over server-sent events at /sse.
type web struct {
	server *server
	guard  *access.Guard
	log    *slog.Logger

	legacy    *mcp.Server // of clients that initialize a session
	sessions  http.Handler
	stateless http.Handler
	sse       http.Handler
	absentFor time.Duration
	writes    time.Duration // see writeTimeout

	mu      sync.Mutex
	opening int // sessions that are being opened, and SSE sessions
	present map[string]*presence
}

// presence counts the open requests of a session.
type presence struct {
	open   int
	gone   context.Context // over when the client stayed away
	leave  context.CancelFunc
	absent *time.Timer // nil: some are open
}

func newWeb(s *server, offered offered, guard *access.Guard, log *slog.Logger) *web {
	w := &web{server: s, guard: guard, log: log, absentFor: absentFor, writes: writeTimeout,
		present: map[string]*presence{}}
	w.legacy = s.newMCP(offered, func(to *mcp.ServerSession) context.Context { return w.contextOf(to.ID()) })
	w.sessions = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return w.legacy },
		&mcp.StreamableHTTPOptions{Logger: log, EventStore: mcp.NewMemoryEventStore(nil), SessionTimeout: sessionIdle,
			MaxRequestBodyBytes: MaxBody})
	modern := s.newMCP(offered, func(*mcp.ServerSession) context.Context { return s.gone })
	w.stateless = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return modern },
		&mcp.StreamableHTTPOptions{Logger: log, Stateless: true, PropagateRequestCancellation: true,
			MaxRequestBodyBytes: MaxBody})
	w.sse = mcp.NewSSEHandler(func(r *http.Request) *mcp.Server {
		return s.newMCP(offered, func(*mcp.ServerSession) context.Context { return r.Context() })
	}, &mcp.SSEOptions{MaxRequestBodyBytes: MaxBody})
	return w
}

// serve serves until ctx ends, then ends every request.
func (w *web) serve(ctx context.Context, l *net.TCPListener) error {
	out := &http.Server{Handler: w, ReadHeaderTimeout: headerTimeout,
		ErrorLog:    slog.NewLogLogger(w.log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return w.server.gone }}
	stop := context.AfterFunc(ctx, func() { out.Close() })
	defer stop()
	if err := out.Serve(access.Bound(l, MaxConns)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("MCP over HTTP: %w", err)
	}
	return nil
}

// ServeHTTP checks the host and origin, then the token, then the path.
func (w *web) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	out := timely{to, http.NewResponseController(to), w.writes}
	p := w.guard.Place(r)
	if p == nil {
		p = access.Admit(out, r, w.guard.Identify(r), access.RightAsk)
	}
	if p == nil {
		p = w.route(out, r)
	}
	if p == nil {
		return
	}
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(p.Status)
	_ = json.NewEncoder(out).Encode(p) // fails only where the client is gone
}

// timely is a response whose writes fail when the client does not read.
type timely struct {
	http.ResponseWriter
	conn   *http.ResponseController
	within time.Duration
}

// Unwrap is for http.ResponseController.
func (t timely) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t timely) Write(b []byte) (n int, err error) {
	err = t.in(func() error { n, err = t.ResponseWriter.Write(b); return err })
	return n, err
}

// FlushError sends the written bytes.
func (t timely) FlushError() error { return t.in(t.conn.Flush) }

// in writes within the time limit, which does not apply to the time between writes.
func (t timely) in(write func() error) error {
	_ = t.conn.SetWriteDeadline(time.Now().Add(t.within)) // fails only on a closed connection
	if err := write(); err != nil {
		return err
	}
	return t.conn.SetWriteDeadline(time.Time{})
}

func (w *web) route(out http.ResponseWriter, r *http.Request) *problem.Problem {
	switch r.URL.Path {
	case pathSSE:
		if r.Method == http.MethodGet {
			if p := w.reserve(); p != nil {
				return p
			}
			defer w.release()
		} else {
			body, p := readBody(out, r)
			if p != nil {
				return p
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		w.sse.ServeHTTP(out, r)
		return nil
	case pathMCP:
	default:
		return problem.New(http.StatusNotFound, "unknown path", "MCP is served at "+pathMCP+" and "+pathSSE+".")
	}
	body, p := readBody(out, r)
	if p != nil {
		return p
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch session := r.Header.Get(sessionHeader); {
	case isStateless(r, body):
		w.stateless.ServeHTTP(out, r)
	case session != "":
		defer w.enter(session)()
		if r.Method == http.MethodDelete { // it waits for the calls
			w.leave(session)
		}
		w.sessions.ServeHTTP(out, r)
	default:
		if p := w.reserve(); p != nil {
			return p
		}
		defer w.release()
		w.sessions.ServeHTTP(out, r)
	}
	return nil
}

// reserve reserves a slot for a session that begins.
func (w *web) reserve() *problem.Problem {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.opening
	for range w.legacy.Sessions() {
		n++
	}
	if n >= MaxSessions {
		return problem.New(http.StatusServiceUnavailable, fmt.Sprintf("too many sessions: at most %d", MaxSessions),
			"End a session with DELETE, and try again.")
	}
	w.opening++
	return nil
}

func (w *web) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opening--
}

// enter records an open request of a session until left is called. It does nothing for an unknown session.
func (w *web) enter(session string) (left func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.has(session) {
		return func() {}
	}
	a := w.present[session]
	if a == nil {
		gone, leave := context.WithCancel(w.server.gone)
		a = &presence{gone: gone, leave: leave}
		w.present[session] = a
	}
	a.open++
	if a.absent != nil {
		a.absent.Stop()
		a.absent = nil
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		a.open--
		switch {
		case a.open > 0:
		case !w.has(session):
			a.leave()
			delete(w.present, session)
		default:
			a.absent = time.AfterFunc(w.absentFor, func() { w.forget(session) })
		}
	}
}

// has reports whether the server has a session. w.mu must be held.
func (w *web) has(session string) bool {
	for s := range w.legacy.Sessions() {
		if s.ID() == session {
			return true
		}
	}
	return false
}

// forget ends the calls of a session that has no open request.
func (w *web) forget(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.present[session]; a != nil && a.open == 0 {
		a.leave()
		delete(w.present, session)
	}
}

// contextOf returns a context that ends when the client of a session stays away.
func (w *web) contextOf(session string) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.present[session]; a != nil {
		return a.gone
	}
	gone, leave := context.WithCancel(w.server.gone)
	leave()
	return gone
}

// leave ends a session and its calls.
func (w *web) leave(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.present[session]; a != nil {
		a.leave()
	}
}

// readBody reads the whole body within its time limit. The limit does not apply to later data on the connection.
func readBody(out http.ResponseWriter, r *http.Request) ([]byte, *problem.Problem) {
	deadline := http.NewResponseController(out)
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTimeout)) // fails only on a closed connection
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, MaxBody))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return nil, problem.New(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", MaxBody),
			"Send less in one request.")
	}
	if err != nil {
		return nil, problem.New(http.StatusBadRequest, "the body could not be read", "Send it again.")
	}
	_ = deadline.SetReadDeadline(time.Time{})
	return body, nil
}

// isStateless reports whether a request uses the protocol without sessions: its header says so or, without the header,
// its body does.
func isStateless(r *http.Request, body []byte) bool {
	if v := r.Header.Get(versionHeader); v != "" || r.Header.Get(sessionHeader) != "" {
		return v >= stateless
	}
	var said struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &said) != nil {
		return false // refused there
	}
	_, modern := said.Params.Meta[versionMeta]
	return modern
}
