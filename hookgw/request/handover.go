package request

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"manualslop/hookgw/access"
)

// Late is a request that is answered after its handler has returned, over a hijacked connection that is closed with
// the answer. While it waits it needs only that connection and a goroutine with a small stack, without the server's
// buffers, the body and the handler's stack; with thousands of waiting requests those are most of the memory.
type Late struct {
	Call
	// Conn is the connection; what the client sends after its request can be read from it.
	Conn net.Conn
}

// HandOver takes the request from its handler, which then returns. Call End to finish it.
func (c *Call) HandOver() (*Late, error) {
	noted := c.Core.RecordedBody(c.Body)
	c.Core.Sockets.Add(1)
	conn, _, err := http.NewResponseController(c.Response).Hijack()
	if err != nil {
		c.Core.Sockets.Done()
		return nil, err
	}
	c.handed = true
	r := &http.Request{Method: c.Request.Method, URL: c.Request.URL}
	l := &Late{Conn: conn, Call: Call{
		Core: c.Core, Response: &lateWriter{conn: conn}, Request: r.WithContext(context.WithoutCancel(c.Request.Context())),
		Right: c.Right, route: c.route, noted: noted, held: c.held,
	}}
	c.held = 0
	return l, nil
}

// End sends err, unless it is nil, records the request and closes the connection.
func (l *Late) End(err error) {
	defer l.Core.Sockets.Done()
	defer l.Conn.Close()
	defer l.ReleaseBody()
	if err != nil {
		l.fail(err)
	}
	l.Core.finish(&l.Call)
	access.LetRead(l.Conn)
}

// lateWriter writes one answer to a hijacked connection. A single call of Write after WriteHeader writes the answer.
type lateWriter struct {
	conn   net.Conn
	header http.Header
	status int
}

// Header returns the headers of the answer.
func (l *lateWriter) Header() http.Header {
	if l.header == nil {
		l.header = http.Header{}
		harden(l.header)
	}
	return l.header
}

// WriteHeader sets the status; nothing is sent yet.
func (l *lateWriter) WriteHeader(status int) { l.status = status }

// Write sends the head and the whole body.
func (l *lateWriter) Write(body []byte) (int, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", l.status, http.StatusText(l.status))
	h := l.Header()
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	h.Set("Connection", "close")
	if err := h.Write(&out); err != nil {
		return 0, err
	}
	out.WriteString("\r\n")
	out.Write(body)
	if _, err := l.conn.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(body), nil
}

// Flush does nothing: Write has sent everything.
func (l *lateWriter) Flush() {}

// SetWriteDeadline limits how long the client may take to read the answer.
func (l *lateWriter) SetWriteDeadline(by time.Time) error { return l.conn.SetWriteDeadline(by) }
