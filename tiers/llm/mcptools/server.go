package mcptools

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Noted is the result that a program gets for every call.
const Noted = "Noted. The result comes with the next prompt; end your turn."

// MaxBody limits the body of one request in bytes: a call's arguments and what surrounds them.
const MaxBody = 4 << 20

// headerTimeout limits how long a connection may take to send the head of a request.
const headerTimeout = 10 * time.Second

// Call is a call that arrived.
type Call struct {
	Tool string          // name of the tool in the request
	Args json.RawMessage // canonical JSON
}

// Server offers the tools of one request to one run of a program.
type Server struct {
	url, token string
	functions  map[string]string // tool by function, without the program's prefix
	http       *http.Server
	protocol   *mcp.Server

	mu     sync.Mutex
	client mcp.Implementation
	listed bool
	calls  []Call
}

// Serve starts a server for these tools, whose functions Function names. Close stops it.
func Serve(tools []llm.Tool) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the program: %w", err)
	}
	s := &Server{url: "http://" + listener.Addr().String() + path, token: rand.Text(), functions: map[string]string{}}
	if s.protocol, err = s.offering(tools); err != nil {
		_ = listener.Close()
		return nil, err
	}
	sessions := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.protocol },
		&mcp.StreamableHTTPOptions{JSONResponse: true, MaxRequestBodyBytes: MaxBody})
	s.http = &http.Server{Handler: s.guarded(sessions, listener.Addr().String()), ReadHeaderTimeout: headerTimeout,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	go func() { _ = s.http.Serve(listener) }() // always returns an error, at Close
	return s, nil
}

// path is where the server answers.
const path = "/mcp"

// URL returns the server's address.
func (s *Server) URL() string { return s.url }

// Headers returns the headers that every request needs.
func (s *Server) Headers() map[string]string {
	return map[string]string{"Authorization": "Bearer " + s.token}
}

// Close stops the server with all its connections and sessions. Programs end without closing their session.
func (s *Server) Close() {
	_ = s.http.Close() // fails only on a listener that is closed
	for session := range s.protocol.Sessions() {
		_ = session.Close() // reports why its connection ended
	}
}

// Client returns the name and version that the program gave, and whether it asked for the tools.
func (s *Server) Client() (name, version string, listed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Name, s.client.Version, s.listed
}

// Calls returns the calls that arrived, in their order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Tool returns the tool of a function; ok is false if there is none.
func (s *Server) Tool(function string) (tool string, ok bool) {
	tool, ok = s.functions[function]
	return tool, ok
}

// offering returns the protocol's server with the tools.
func (s *Server) offering(tools []llm.Tool) (*mcp.Server, error) {
	out := mcp.NewServer(&mcp.Implementation{Name: "slop", Version: "1"}, nil)
	out.AddReceivingMiddleware(s.watch)
	for _, tool := range tools {
		function := Function(tool.Name)
		s.functions[function] = tool.Name
		err := Add(out, mcp.Tool{Name: function, Description: tool.Description}, tool.Schema,
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return s.call(tool.Name, r.Params.Arguments)
			})
		if err != nil {
			return nil, fmt.Errorf("offer %s to the program: %w", tool.Name, err)
		}
	}
	return out, nil
}

// call keeps a call.
func (s *Server) call(tool string, args json.RawMessage) (*mcp.CallToolResult, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	canonical, err := events.Canonical(args)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == llm.MaxCalls {
		return nil, fmt.Errorf("more than %d calls in one turn", llm.MaxCalls)
	}
	s.calls = append(s.calls, Call{Tool: tool, Args: canonical})
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: Noted}}}, nil
}

// watch keeps what the client says of itself and whether it asked for the tools.
func (s *Server) watch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		s.mu.Lock()
		switch p := r.GetParams().(type) {
		case *mcp.InitializeParams:
			if p != nil && p.ClientInfo != nil {
				s.client = *p.ClientInfo
			}
		case *mcp.ListToolsParams:
			s.listed = true
		}
		s.mu.Unlock()
		return next(ctx, method, r)
	}
}

// guarded lets only the program's own requests through.
func (s *Server) guarded(next http.Handler, host string) http.Handler {
	want := []byte("Bearer " + s.token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch given := []byte(r.Header.Get("Authorization")); {
		case r.Host != host || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "":
			http.Error(w, "only the program that slop started may call this server", http.StatusForbidden)
		case subtle.ConstantTimeCompare(given, want) != 1:
			http.Error(w, "the token is missing or wrong", http.StatusForbidden)
		case r.URL.Path != path:
			http.NotFound(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Add adds a tool with this schema to a server. It returns an error if the protocol does not allow the schema; the
// server's own AddTool would panic.
func Add(to *mcp.Server, tool mcp.Tool, schema json.RawMessage, handle mcp.ToolHandler) (err error) {
	if tool.InputSchema, err = Object(schema); err != nil {
		return err
	}
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("schema: %v", why)
		}
	}()
	to.AddTool(&tool, handle)
	return nil
}

// Object returns a schema of the type object, which the protocol requires. It adds the type if it is
// missing.
func Object(schema json.RawMessage) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(schema) > 0 {
		if err := json.Unmarshal(schema, &members); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
	switch given := string(members["type"]); {
	case members == nil:
		return nil, errors.New("schema: must be an object, got null")
	case given == `"object"`:
		return schema, nil
	case given == "":
		members["type"] = json.RawMessage(`"object"`)
		return json.Marshal(members)
	default:
		return nil, fmt.Errorf("schema: type must be \"object\", got %.80s", given)
	}
}

// maxFunction limits the bytes of a function's name without its prefix: vendors accept 64 with
// it.
const maxFunction = 48

// hashed is the number of digest characters in the name of a function that stands for a longer one.
const hashed = 8

// Function returns the name under which a tool is offered: its own, or its beginning and a digest if
// the name is too long for a function.
func Function(tool string) string {
	if len(tool) <= maxFunction {
		return tool
	}
	return tool[:maxFunction-hashed-1] + "_" + events.Digest([]byte(tool))[:hashed]
}
