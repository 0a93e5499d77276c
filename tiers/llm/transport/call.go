package transport

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"manualslop/tiers/llm"
)

// Options configure an attempt.
type Options struct {
	// Stream requires a successful answer to be an event stream.
	Stream bool
	// Silence is how long the answer may stay silent. 0 means [FirstContent] until a stream has
	// delivered content (see [Call.Watch]), and the constant [Silence] otherwise.
	Silence time.Duration
	// Body is sent instead of the SDK's body, unless nil.
	Body []byte
	// List names a header whose configured value is appended to the request's own. Other
	// configured headers replace the request's.
	List string
}

// Call is the transport of one attempt. It is an [http.RoundTripper].
type Call struct {
	base    http.RoundTripper
	headers map[string]string
	secrets *strings.Replacer
	options Options

	content atomic.Bool // the stream has brought content

	mu     sync.Mutex
	answer *answer // the newest answer
	first  error   // the first error
}

// Begin returns the transport for one attempt at e.
func Begin(e llm.Endpoint, o Options) *Call {
	c := &Call{base: http.DefaultTransport, headers: e.Headers, secrets: hiding(e), options: o}
	if e.Client != nil && e.Client.Transport != nil {
		c.base = e.Client.Transport
	}
	return c
}

// Watch wraps yield to detect the first content of a reply. From then on the answer may stay
// silent only for [Silence].
func (c *Call) Watch(yield func(llm.Chunk, error) bool) func(llm.Chunk, error) bool {
	return func(chunk llm.Chunk, err error) bool {
		switch chunk.(type) {
		case llm.TextDelta, llm.CallBegin:
			if !c.content.Swap(true) {
				c.hear()
			}
		}
		return yield(chunk, err)
	}
}

// hear restarts the silence timer.
func (c *Call) hear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer != nil {
		c.answer.heard()
	}
}

// silence returns how long the answer may currently stay silent.
func (c *Call) silence() time.Duration {
	if c.options.Silence == 0 && c.options.Stream && !c.content.Load() {
		return FirstContent
	}
	return cmp.Or(c.options.Silence, Silence)
}

// Client returns the HTTP client for the SDK.
func (c *Call) Client() *http.Client {
	return &http.Client{Transport: c, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// RoundTrip sends the request and returns the response only if it is of the kind that was
// requested.
func (c *Call) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	a := &answer{call: c, ctx: ctx, cancel: cancel}
	a.quiet = time.AfterFunc(c.silence(), func() {
		cancel(fmt.Errorf("%w for %s", errSilent, c.silence()))
	})
	a.end = time.AfterFunc(Longest, func() { cancel(fmt.Errorf("%w within %s", errEndless, Longest)) })
	c.mu.Lock()
	c.answer = a
	c.mu.Unlock()
	resp, err := c.base.RoundTrip(c.outgoing(ctx, req))
	if err == nil {
		a.heard()
		a.raw = resp.Body
		err = a.accept(resp)
	}
	if err != nil {
		err = a.fail(err)
		_ = a.Close()
		return nil, err
	}
	resp.Body = a
	return resp, nil
}

// outgoing returns the request to send.
func (c *Call) outgoing(ctx context.Context, req *http.Request) *http.Request {
	out := req.Clone(ctx)
	for name, value := range c.headers {
		if own := out.Header.Get(name); own != "" && strings.EqualFold(name, c.options.List) {
			value = own + "," + value
		}
		out.Header.Set(name, value)
	}
	out.Header.Set("Accept-Encoding", "identity") // compression would delay streamed data
	if c.options.Body == nil {
		return out
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.options.Body)), nil }
	out.Body, _ = out.GetBody()
	out.ContentLength = int64(len(c.options.Body))
	out.Header.Set("Content-Type", "application/json")
	return out
}

// accept checks a response and prepares its body for reading.
func (a *answer) accept(resp *http.Response) error {
	if n := headerBytes(resp.Header); n > MaxHeader {
		return fmt.Errorf("the answer's header has %d bytes, more than the limit of %d", n, MaxHeader)
	}
	if err := a.unpack(resp); err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return a.status(resp)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case !a.call.options.Stream:
		a.from = &bounded{from: a.from, left: MaxAnswer, most: MaxAnswer}
	case kind != "text/event-stream":
		return a.noStream(resp)
	default:
		a.from = &eventLines{from: &bounded{from: a.from, left: MaxStream, most: MaxStream}, atStart: true}
	}
	return nil
}

// noStream returns the error for a successful response that is not an event stream.
func (a *answer) noStream(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(a.from, MaxFailure)) // report whatever could be read
	body = []byte(a.call.secrets.Replace(string(body)))
	return fmt.Errorf("the answer must be an event stream, got %q: %s", resp.Header.Get("Content-Type"), beginning(body))
}

func headerBytes(h http.Header) int {
	n := 0
	for name, values := range h {
		for _, v := range values {
			n += len(name) + len(v) + len(": \r\n")
		}
	}
	return n
}

// note keeps the first error.
func (c *Call) note(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		c.first = err
	}
	return err
}
