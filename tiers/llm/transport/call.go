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

// Options say what an attempt expects.
type Options struct {
	// Stream demands that a success is an event stream.
	Stream bool
	// Silence is how long the answer may bring no byte; 0: [FirstContent] until a
	// stream has brought content (see [Call.Watch]), [Silence] otherwise.
	Silence time.Duration
	// Body is sent in place of what the SDK made; nil: the SDK's.
	Body []byte
	// List names a header whose configured value comes after the request's own;
	// others replace it.
	List string
}

// Call is the transport of one attempt. It is an [http.RoundTripper].
type Call struct {
	base    http.RoundTripper
	headers map[string]string
	secrets *strings.Replacer
	options Options

	content atomic.Bool // the stream has brought some

	mu     sync.Mutex
	answer *answer // the newest one
	first  error   // what went wrong first
}

// Begin makes the transport of one attempt at e.
func Begin(e llm.Endpoint, o Options) *Call {
	c := &Call{base: http.DefaultTransport, headers: e.Headers, secrets: hiding(e), options: o}
	if e.Client != nil && e.Client.Transport != nil {
		c.base = e.Client.Transport
	}
	return c
}

// Watch is yield that notices the first content of a reply. From then on the answer
// may bring nothing for [Silence] only.
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

// hear puts silence off.
func (c *Call) hear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer != nil {
		c.answer.heard()
	}
}

// silence returns how long the answer may bring nothing now.
func (c *Call) silence() time.Duration {
	if c.options.Silence == 0 && c.options.Stream && !c.content.Load() {
		return FirstContent
	}
	return cmp.Or(c.options.Silence, Silence)
}

// Client returns what an SDK is given.
func (c *Call) Client() *http.Client {
	return &http.Client{Transport: c, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// RoundTrip sends the request and hands out an answer only if it is the one
// that was asked for.
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

// outgoing returns the request as it is sent.
func (c *Call) outgoing(ctx context.Context, req *http.Request) *http.Request {
	out := req.Clone(ctx)
	for name, value := range c.headers {
		if own := out.Header.Get(name); own != "" && strings.EqualFold(name, c.options.List) {
			value = own + "," + value
		}
		out.Header.Set(name, value)
	}
	out.Header.Set("Accept-Encoding", "identity") // a compressor holds back what was streamed
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

// accept checks an answer and prepares the reading of its body.
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

// noStream returns the error of a success that is something else than asked
// for.
func (a *answer) noStream(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(a.from, MaxFailure)) // what came is what there is to say
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

// note keeps the first thing that went wrong.
func (c *Call) note(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		c.first = err
	}
	return err
}
