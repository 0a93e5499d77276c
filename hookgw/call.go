package hookgw

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"manualslop/projections"
)

// call is one request on its way through the gateway.
type call struct {
	gw  *Gateway
	w   http.ResponseWriter
	r   *http.Request
	who Right

	vars   map[string]string          // of the path
	body   json.RawMessage            // as it came
	fields map[string]json.RawMessage // its members

	status int    // of the answer, 0 before
	wrote  bool   // something was published
	reason string // of a refusal
}

// serve checks the request in the order place, path, right, type, size, form.
func (c *call) serve() error {
	h := c.w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if p := c.gw.guard.place(c.r); p != nil {
		return p
	}
	route, vars, p := c.gw.table.find(c.r.Method, c.r.URL.EscapedPath())
	if p != nil {
		return p
	}
	c.vars, c.who = vars, c.gw.guard.identify(c.r)
	if p := admit(c.w, c.who, route.Right); p != nil {
		return p
	}
	if p := c.parse(route); p != nil {
		return p
	}
	return route.handle(c)
}

// parse reads the body, which is a JSON object where the route takes one.
func (c *call) parse(route *Route) *problem {
	if p := jsonOnly(c.r); p != nil {
		return p
	}
	if route.body == nil {
		if c.r.ContentLength != 0 {
			return refuse(http.StatusRequestEntityTooLarge, "this path takes no body", "Leave the body out.")
		}
		return nil
	}
	body, p := c.gw.readBody(c.w, c.r, route.body(c.gw.cfg.Limits))
	if p != nil {
		return p
	}
	fields, ok := object(body)
	if !ok {
		return refuse(http.StatusBadRequest, "the body is not a JSON object", `Send an object, such as {"request_id": "…"}.`)
	}
	c.body, c.fields = body, fields
	return nil
}

// session is the one that ?session= names, else the current one; empty while
// there is none.
func (c *call) session() (string, error) {
	name := c.r.URL.Query().Get("session")
	if name == "" {
		return c.gw.cfg.Models.Current(), nil
	}
	if _, ok := c.gw.cfg.Models.Session(name); !ok {
		return "", refuse(http.StatusNotFound, "there is no such session", "GET /api/sessions lists them.")
	}
	return name, nil
}

// someSession is like session for requests that cannot go without one.
func (c *call) someSession() (string, error) {
	name, err := c.session()
	if err == nil && name == "" {
		err = refuse(http.StatusConflict, "no session is open", "Start one with slop run, or wait until the engine has.")
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
		return "", refuse(http.StatusConflict, "the session is closed", "Nobody works on it any more; start another one.")
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
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	c.status = status
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	conn := http.NewResponseController(c.w)
	_ = conn.SetWriteDeadline(time.Now().Add(c.gw.cfg.Limits.WriteTimeout))
	c.w.WriteHeader(status)
	_, err := c.w.Write(buf.Bytes())
	if err == nil {
		err = conn.Flush() // the client need not wait until the request is on record
	}
	_ = conn.SetWriteDeadline(time.Time{})
	if err != nil {
		c.gw.cfg.Logger.DebugContext(c.r.Context(), "client left before its answer", slog.Any("error", err))
	}
	return nil
}

// fail sends err as the problem that it is, unless an answer has begun.
func (c *call) fail(err error) {
	p := problemOf(err)
	c.reason = p.Message
	if p.cause != nil {
		c.gw.cfg.Logger.WarnContext(c.r.Context(), "request failed", slog.String("path", clip(c.r.URL.Path, maxRecordedPath)),
			slog.Int("status", p.status), slog.Any("error", p.cause))
	}
	if c.status != 0 {
		return
	}
	if p.allow != "" {
		c.w.Header().Set("Allow", p.allow)
	}
	if err := c.reply(p.status, p); err != nil {
		c.gw.cfg.Logger.ErrorContext(c.r.Context(), "encode an error", slog.Any("error", err))
	}
}
