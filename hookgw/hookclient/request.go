package hookclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// maxRetryDelay is the longest wait between two attempts.
const maxRetryDelay = 5 * time.Second

// request is one request before it is sent.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
	once         bool          // it must not be done twice
	patience     time.Duration // for the head of the answer; 0: as long as ctx lasts
}

// MakeRequest sends any request and returns the body of its answer. data is encoded as JSON; nil sends no body. All
// other methods use it.
func (c *Client) MakeRequest(ctx context.Context, method, endpoint string, data any) (json.RawMessage, error) {
	at, err := url.Parse(endpoint)
	if err != nil || at.Host != "" || len(at.Path) == 0 || at.Path[0] != '/' {
		return nil, fmt.Errorf("%w: endpoint must be a path such as /status, got %q", ErrOptions, endpoint)
	}
	r := request{method: method, path: at.EscapedPath(), query: at.Query(), once: method != http.MethodGet,
		patience: headTimeout}
	if data != nil {
		if r.body, err = json.Marshal(data); err != nil {
			return nil, fmt.Errorf("encode the body: %w", err)
		}
	}
	return c.send(ctx, r)
}

// Call sends one request without repeating it, reads its answer into out and returns the answer's status. A nil body
// sends none.
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, body, out any) (int, error) {
	r := request{method: method, path: path, query: query, once: true, patience: headTimeout}
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, fmt.Errorf("encode the body: %w", err)
		}
		r.body = raw
	}
	res, done, err := c.open(ctx, r)
	if err != nil {
		return 0, err
	}
	defer done()
	raw, err := readBounded(res.Body)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return res.StatusCode, decode(raw, out)
}

// get reads the answer of a GET into out.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	raw, err := c.send(ctx, request{method: http.MethodGet, path: path, query: query, patience: headTimeout})
	if err != nil {
		return err
	}
	return decode(raw, out)
}

// read returns the answer of a GET.
func read[T any](ctx context.Context, c *Client, path string, query url.Values) (T, error) {
	var out T
	err := c.get(ctx, path, query, &out)
	return out, err
}

// post sends body and reads the answer into out, which may be nil. A body with a
// request_id may be sent again.
func (c *Client) post(ctx context.Context, path string, body, out any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode the body: %w", err)
	}
	answer, err := c.send(ctx, request{method: http.MethodPost, path: path, body: raw, once: true, patience: headTimeout})
	if err != nil || out == nil {
		return err
	}
	return decode(answer, out)
}

func decode(raw []byte, out any) error {
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// send sends r until it is answered, and returns the answer's body.
func (c *Client) send(ctx context.Context, r request) (json.RawMessage, error) {
	for attempt := 0; ; attempt++ {
		raw, err := c.try(ctx, r)
		if err == nil || attempt >= c.retries || ctx.Err() != nil || !r.repeatable(err) {
			return raw, err
		}
		if err := sleep(ctx, c.wait(attempt)); err != nil {
			return nil, err
		}
	}
}

// wait returns the pause after a number of failures, which doubles each time.
func (c *Client) wait(attempt int) time.Duration {
	return min(c.delay<<min(attempt, 16), maxRetryDelay)
}

// repeatable reports whether a request that failed with err may be sent again.
func (r request) repeatable(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status == http.StatusServiceUnavailable && !r.once
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" { // it never reached the gateway
		return true
	}
	return errors.Is(err, ErrUnreachable) && !r.once
}

// try sends r once.
func (c *Client) try(ctx context.Context, r request) (json.RawMessage, error) {
	res, done, err := c.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer done()
	raw, err := readBounded(res.Body)
	if err != nil && !errors.Is(err, ErrTooLong) {
		err = fmt.Errorf("%s %s: %w: %w", r.method, r.path, ErrUnreachable, err)
	}
	return raw, err
}

// open sends r once and returns a successful answer with its body unread. done releases it.
func (c *Client) open(ctx context.Context, r request) (answer *http.Response, done func(), err error) {
	req, cancel, err := c.build(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	head := time.AfterFunc(orForever(r.patience), cancel)
	res, err := c.http.Do(req)
	timely := head.Stop()
	if err != nil {
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case !timely:
			return nil, nil, fmt.Errorf("%s %s at %s: %w: no answer within %s", r.method, r.path, c.base.Host, ErrUnreachable,
				r.patience)
		}
		return nil, nil, fmt.Errorf("%s %s at %s: %w: %w", r.method, r.path, c.base.Host, ErrUnreachable, errors.Unwrap(err))
	}
	done = func() { res.Body.Close(); cancel() }
	if res.StatusCode >= http.StatusMultipleChoices {
		defer done()
		return nil, nil, refusal(res)
	}
	return res, done, nil
}

func (c *Client) build(ctx context.Context, r request) (*http.Request, context.CancelFunc, error) {
	to := c.base.Scheme + "://" + c.base.Host + c.base.Path + r.path
	if q := c.queryOf(r); q != "" {
		to += "?" + q
	}
	ctx, cancel := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(ctx, r.method, to, bytes.NewReader(r.body))
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req, cancel, nil
}

// queryOf returns the query, including the client's session if it has one.
func (c *Client) queryOf(r request) string {
	if c.session == "" || r.query.Has("session") {
		return r.query.Encode()
	}
	query := url.Values{"session": {c.session}}
	for name, values := range r.query {
		query[name] = values
	}
	return query.Encode()
}

func orForever(d time.Duration) time.Duration {
	if d <= 0 {
		return 1<<63 - 1
	}
	return d
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func readBounded(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxAnswer+1))
	if err == nil && len(raw) > MaxAnswer {
		return nil, ErrTooLong
	}
	return raw, err
}

// seconds formats a limit for a query.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
