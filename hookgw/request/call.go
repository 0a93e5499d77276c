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

// Call is one request while the gateway handles it.
type Call struct {
	// Core is what the request shares with all others.
	Core *Core
	// Response and Request are those of net/http; Reply and similar methods write nothing else.
	Response http.ResponseWriter
	Request  *http.Request
	// Right is the right that the request's token grants.
	Right access.Right

	// Vars are the variables of the path, Body is the body as received and Fields are its members; nil if the route
	// takes none.
	Vars   map[string]string
	Body   json.RawMessage
	Fields map[string]json.RawMessage

	// Stamps creates the request's events when they follow from another event; nil: they are independent.
	Stamps func(w Writer, session string, p events.Payload) (events.Event, error)

	// Status is the status of the answer, 0 until it is sent. Code that answers without Reply sets it.
	Status int
	// Wrote means that something was published. Code that appends without PublishAsPerson or Publish sets it.
	Wrote bool

	route  *Route          // nil before it is found
	asked  url.Values      // see Query
	held   int             // bytes reserved for the body
	noted  json.RawMessage // what is recorded of a body that was released
	handed bool            // the answer is sent later, see HandOver
	reason string          // why it was refused
}

// serve checks the request in this order: place, path, right, query, type, size, form.
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

// parse reads the body, which must be a JSON object if the route takes one.
func (c *Call) parse(route *Route) *problem.Problem {
	if p := access.JSONOnly(c.Request); p != nil {
		return p
	}
	if route.Body == nil {
		if c.Request.ContentLength != 0 {
			return problem.New(http.StatusRequestEntityTooLarge, "this path does not accept a body", "Leave the body out.")
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

// LetIn reports whether the credential that admitted the request still grants the right of its route: a browser's
// sign-in may end.
func (c *Call) LetIn() bool {
	return c.Core.guard.Identify(c.Request).Covers(c.route.Right)
}

// Session returns the session in ?session=, or else the current one. It returns "" if there is none.
func (c *Call) Session() (string, error) {
	name := c.Query().Get("session")
	if name == "" {
		return c.Core.Models.Current(), nil
	}
	if _, ok := c.Core.Models.Session(name); !ok {
		return "", problem.New(http.StatusNotFound, "no such session", "GET /api/sessions lists them.")
	}
	return name, nil
}

// SomeSession is like Session for requests that need a session.
func (c *Call) SomeSession() (string, error) {
	name, err := c.Session()
	if err == nil && name == "" {
		c.Response.Header().Set("Retry-After", "1")
		err = problem.New(http.StatusServiceUnavailable, "no session is open yet",
			"Retry when GET /status answers 200, or start a session with slop run.")
	}
	return name, err
}

// OpenSession is like SomeSession for requests that need an open session.
func (c *Call) OpenSession() (string, error) {
	name, err := c.SomeSession()
	if err != nil {
		return "", err
	}
	if view, ok := c.Core.Models.Session(name); ok && view.Summary().Closed != nil {
		return "", problem.New(http.StatusConflict, "the session is closed",
			"It does no more work; start another one.")
	}
	return name, nil
}

// Read calls f with the models of a session, or with empty models if there is no session yet. f must not keep them.
func (c *Call) Read(session string, f func(*projections.Set)) error {
	view, ok := c.Core.Models.Session(session)
	if !ok {
		f(projections.NewSet())
		return nil
	}
	return view.Read(c.Request.Context(), f)
}

// Reply sends v as JSON. RawMessage members are sent as they are.
func (c *Call) Reply(status int, v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	return c.ReplyJSON(status, body)
}

// ReplyJSON sends an encoded body, which other requests may share. A client that does not read it within the write
// timeout is cut off; each answer on a connection has its own timeout.
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
		err = conn.Flush() // the client need not wait until the request is recorded
	}
	if err != nil {
		c.Core.Logger.DebugContext(c.Request.Context(), "client disconnected before it got an answer", slog.Any("error", err))
	}
	return nil
}

// headers are header values that every answer shares.
var headers = struct{ noSniff, noStore, sameOrigin, json []string }{
	[]string{"nosniff"}, []string{"no-store"}, []string{"same-origin"}, []string{"application/json"},
}

// harden sets the headers of every answer.
func harden(h http.Header) {
	h["X-Content-Type-Options"] = headers.noSniff
	h["Cache-Control"] = headers.noStore
	h["Cross-Origin-Resource-Policy"] = headers.sameOrigin
}

// fail sends err as a problem, unless the answer has already begun.
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
