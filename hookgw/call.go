package hookgw

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"manualslop/hookgw/access"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// call is one request on its way through the gateway.
type call struct {
	gw  *Gateway
	w   http.ResponseWriter
	r   *http.Request
	who access.Right

	route  *Route                     // nil before it is found
	vars   map[string]string          // of the path
	body   json.RawMessage            // as it came
	fields map[string]json.RawMessage // its members
	task   *guiRun                    // at work, of POST /api/gui; nil for other requests

	asked url.Values // see query

	held   int             // bytes of the body that are counted
	noted  json.RawMessage // what goes on record of a body that is gone
	handed bool            // the answer comes later, see handOver

	status int    // of the answer, 0 before
	wrote  bool   // something was published
	reason string // of a refusal
}

// serve checks the request in the order place, path, right, query, type, size, form.
func (c *call) serve() error {
	harden(c.w.Header())
	if p := c.gw.guard.Place(c.r); p != nil {
		return p
	}
	route, vars, p := c.gw.table.find(c.r.Method, c.r.URL.EscapedPath())
	if p != nil {
		return p
	}
	c.route, c.vars, c.who = route, vars, c.gw.guard.Identify(c.r)
	if p := access.Admit(c.w, c.r, c.who, route.Right); p != nil {
		return p
	}
	if !route.always {
		if p := c.gw.current(c.r.Context()); p != nil {
			return p
		}
	}
	if p := c.parseQuery(route); p != nil {
		return p
	}
	if p := c.parse(route); p != nil {
		return p
	}
	return route.handle(c)
}

// parse reads the body, which is a JSON object where the route takes one.
func (c *call) parse(route *Route) *problem.Problem {
	if p := access.JSONOnly(c.r); p != nil {
		return p
	}
	if route.body == nil {
		if c.r.ContentLength != 0 {
			return problem.Refuse(http.StatusRequestEntityTooLarge, "this path takes no body", "Leave the body out.")
		}
		return nil
	}
	body, p := c.readBody(route.body(c.gw.cfg.Limits))
	if p != nil {
		return p
	}
	fields, ok := object(body)
	if !ok {
		return problem.Refuse(http.StatusBadRequest, "the body is not a JSON object in which each name stands once", `Send an object, such as {"request_id": "…"}.`)
	}
	c.body, c.fields = body, fields
	return nil
}

// session is the one that ?session= names, else the current one; empty while
// there is none.
func (c *call) session() (string, error) {
	name := c.query().Get("session")
	if name == "" {
		return c.gw.cfg.Models.Current(), nil
	}
	if _, ok := c.gw.cfg.Models.Session(name); !ok {
		return "", problem.Refuse(http.StatusNotFound, "there is no such session", "GET /api/sessions lists them.")
	}
	return name, nil
}

// someSession is like session for requests that cannot go without one.
func (c *call) someSession() (string, error) {
	name, err := c.session()
	if err == nil && name == "" {
		err = problem.Refuse(http.StatusConflict, "no session is open", "Start one with slop run, or wait until the engine has.")
	}
	return name, err
}

// openSession is like someSession for requests that somebody has to work on.
func (c *call) openSession() (string, error) {
	name, err := c.someSession()
	if err != nil {
		return "", err
	}
	if view, ok := c.gw.cfg.Models.Session(name); ok && view.Summary().Closed != nil {
		return "", problem.Refuse(http.StatusConflict, "the session is closed", "Nobody works on it any more; start another one.")
	}
	return name, nil
}

// read calls f with the models of a session; where there is none yet, with
// models that have seen nothing. f may not keep them.
func (c *call) read(session string, f func(*projections.Set)) error {
	view, ok := c.gw.cfg.Models.Session(session)
	if !ok {
		f(projections.NewSet())
		return nil
	}
	return view.Read(c.r.Context(), f)
}

// reply sends v as JSON. RawMessage members go out as they are.
func (c *call) reply(status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	return c.replyJSON(status, body)
}

// replyJSON sends a body that encode made and that others may be sending too.
// A client that does not take it within the write timeout is cut off; each
// answer on a connection begins with a limit of its own.
func (c *call) replyJSON(status int, body []byte) error {
	c.status = status
	h := c.w.Header()
	h["Content-Type"] = headers.json
	h.Set("Content-Length", strconv.Itoa(len(body)))
	conn := http.NewResponseController(c.w)
	_ = conn.SetWriteDeadline(time.Now().Add(c.gw.cfg.Limits.WriteTimeout))
	c.w.WriteHeader(status)
	_, err := c.w.Write(body)
	if err == nil && c.onRecord() {
		err = conn.Flush() // the client need not wait until the request is on record
	}
	if err != nil {
		c.gw.cfg.Logger.DebugContext(c.r.Context(), "client left before its answer", slog.Any("error", err))
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
func (c *call) fail(err error) {
	p := problem.Of(err)
	c.reason = p.Message
	if cause := p.Unwrap(); cause != nil {
		c.gw.cfg.Logger.WarnContext(c.r.Context(), "request failed", slog.String("path", clip(c.gw.maskText(c.r.URL.Path), maxRecordedPath)),
			slog.Int("status", p.Status), slog.String("error", c.gw.maskText(cause.Error())))
	}
	if c.status != 0 {
		return
	}
	if p.Allow != "" {
		c.w.Header().Set("Allow", p.Allow)
	}
	if err := c.reply(p.Status, p); err != nil {
		c.gw.cfg.Logger.ErrorContext(c.r.Context(), "encode an error", slog.Any("error", err))
	}
}
