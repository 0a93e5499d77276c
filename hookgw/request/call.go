package request

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// Call is one request on its way through the gateway.
type Call struct {
	// Core is what the request shares with all others.
	Core *Core
	// Response and Request are those of net/http; what Reply and its like send
	// needs no other way out.
	Response http.ResponseWriter
	Request  *http.Request
	// Right is what the request's token gives.
	Right access.Right

	// Vars are the variables of the path, Body is the body as it came and Fields
	// are its members; nil where the route has none.
	Vars   map[string]string
	Body   json.RawMessage
	Fields map[string]json.RawMessage

	// Stamps makes the events of what the request says where they follow from
	// another one; nil: each stands for itself.
	Stamps func(w Writer, session string, p events.Payload) (events.Event, error)

	// Status is that of the answer, 0 before; who answers past Reply sets it.
	Status int
	// Wrote says that something was published; who appends past PublishAsPerson and Publish
	// sets it.
	Wrote bool

	route  *Route          // nil before it is found
	asked  url.Values      // see Query
	held   int             // bytes of the body that are counted
	noted  json.RawMessage // what goes on record of a body that is gone
	handed bool            // the answer comes later, see HandOver
	reason string          // of a refusal
}

// serve checks the request in the order place, path, right, query, type, size, form.
func (c *Call) serve() error {
	harden(c.Response.Header())
	if p := c.Core.guard.Place(c.Request); p != nil {
		return p
	}
	route, vars, p := c.Core.table.find(c.Request.Method, c.Request.URL.EscapedPath())
	if p != nil {
		return p
	}
	c.route, c.Vars, c.Right = route, vars, c.Core.guard.Identify(c.Request)
	if p := access.Admit(c.Response, c.Request, c.Right, route.Right); p != nil {
		return p
	}
	if !route.Always {
		if p := c.Core.Current(c.Request.Context()); p != nil {
			return p
		}
	}
	if p := c.parseQuery(route); p != nil {
		return p
	}
	if p := c.parse(route); p != nil {
		return p
	}
	return route.Handle(c)
}

// parse reads the body, which is a JSON object where the route takes one.
func (c *Call) parse(route *Route) *problem.Problem {
	if p := access.JSONOnly(c.Request); p != nil {
		return p
	}
	if route.Body == nil {
		if c.Request.ContentLength != 0 {
			return problem.New(http.StatusRequestEntityTooLarge, "this path takes no body", "Leave the body out.")
		}
		return nil
	}
	body, p := c.readBody(route.Body(c.Core.Limits))
	if p != nil {
		return p
	}
	fields, ok := Object(body)
	if !ok {
		return problem.New(http.StatusBadRequest, "the body must be a JSON object without repeated names",
			`Send an object, such as {"request_id": "…"}.`)
	}
	c.Body, c.Fields = body, fields
	return nil
}

// Session is the one that ?session= names, else the current one; empty while
// there is none.
func (c *Call) Session() (string, error) {
	name := c.Query().Get("session")
	if name == "" {
		return c.Core.Models.Current(), nil
	}
	if _, ok := c.Core.Models.Session(name); !ok {
		return "", problem.New(http.StatusNotFound, "there is no such session", "GET /api/sessions lists them.")
	}
	return name, nil
}

// SomeSession is like Session for requests that cannot go without one.
func (c *Call) SomeSession() (string, error) {
	name, err := c.Session()
	if err == nil && name == "" {
		c.Response.Header().Set("Retry-After", "1")
		err = problem.New(http.StatusServiceUnavailable, "no session is open yet",
			"Send it again when GET /status answers 200, or start a session with slop run.")
	}
	return name, err
}

// OpenSession is like SomeSession for requests that somebody has to work on.
func (c *Call) OpenSession() (string, error) {
	name, err := c.SomeSession()
	if err != nil {
		return "", err
	}
	if view, ok := c.Core.Models.Session(name); ok && view.Summary().Closed != nil {
		return "", problem.New(http.StatusConflict, "the session is closed",
			"Nobody works on it any more; start another one.")
	}
	return name, nil
}

// Read calls f with the models of a session; where there is none yet, with
// models that have seen nothing. f may not keep them.
func (c *Call) Read(session string, f func(*projections.Set)) error {
	view, ok := c.Core.Models.Session(session)
	if !ok {
		f(projections.NewSet())
		return nil
	}
	return view.Read(c.Request.Context(), f)
}

// Reply sends v as JSON. RawMessage members go out as they are.
func (c *Call) Reply(status int, v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	return c.ReplyJSON(status, body)
}

// ReplyJSON sends a body that encode made and that others may be sending too.
// A client that does not take it within the write timeout is cut off; each
// answer on a connection begins with a limit of its own.
func (c *Call) ReplyJSON(status int, body []byte) error {
	c.Status = status
	h := c.Response.Header()
	h["Content-Type"] = headers.json
	h.Set("Content-Length", strconv.Itoa(len(body)))
	conn := http.NewResponseController(c.Response)
	_ = conn.SetWriteDeadline(time.Now().Add(c.Core.Limits.WriteTimeout))
	c.Response.WriteHeader(status)
	_, err := c.Response.Write(body)
	if err == nil && c.onRecord() {
		err = conn.Flush() // the client need not wait until the request is on record
	}
	if err != nil {
		c.Core.Logger.DebugContext(c.Request.Context(), "client left before its answer", slog.Any("error", err))
	}
	return nil
}

// headers are values of headers that every answer shares.
var headers = struct{ noSniff, noStore, sameOrigin, json []string }{
	[]string{"nosniff"}, []string{"no-store"}, []string{"same-origin"}, []string{"application/json"},
}

// harden sets what stands in the head of every answer.
func harden(h http.Header) {
	h["X-Content-Type-Options"] = headers.noSniff
	h["Cache-Control"] = headers.noStore
	h["Cross-Origin-Resource-Policy"] = headers.sameOrigin
}

// fail sends err as the problem that it is, unless an answer has begun.
func (c *Call) fail(err error) {
	p := problem.Of(err)
	c.reason = p.Message
	if cause := p.Unwrap(); cause != nil {
		c.Core.Logger.WarnContext(c.Request.Context(), "request failed",
			slog.String("path", Clip(c.Core.maskText(c.Request.URL.Path), maxRecordedPath)),
			slog.Int("status", p.Status), slog.String("error", c.Core.maskText(cause.Error())))
	}
	if c.Status != 0 {
		return
	}
	if p.Allow != "" {
		c.Response.Header().Set("Allow", p.Allow)
	}
	if err := c.Reply(p.Status, p); err != nil {
		c.Core.Logger.ErrorContext(c.Request.Context(), "encode an error", slog.Any("error", err))
	}
}
