package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"time"

	"manualslop/hookgw"
)

// Bounds of what a client takes from the gateway, and how long it waits for
// the head of an answer.
const (
	maxAPIAnswer = 256 << 20
	apiTimeout   = 30 * time.Second
)

// apiClient speaks to the gateway of a running engine.
type apiClient struct {
	base  *url.URL
	token string // empty where the gateway wants none
	http  *http.Client
}

// newAPIClient speaks with the rights of one token. The address must be on this
// machine, so that a planted run.json cannot send the token elsewhere.
func newAPIClient(info engineInfo, right hookgw.Right) (*apiClient, error) {
	base, err := url.Parse(info.Hooks)
	if err != nil || base.Scheme != "http" || !isLoopback(base.Hostname()) {
		return nil, failed(exitFailed, "the engine's address %q is not on this machine", info.Hooks)
	}
	token := ""
	if info.Tokens != "" {
		token, err = readToken(info.Tokens, string(right))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, failed(exitFailed, "%w", err)
		}
	}
	transport := &http.Transport{Proxy: nil, ResponseHeaderTimeout: apiTimeout}
	return &apiClient{base: base, token: token, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// apiError is how the gateway refuses.
type apiError struct {
	Status    int        `json:"-"`
	Message   string     `json:"error"`
	Hint      string     `json:"hint"`
	SettledBy string     `json:"settled_by"`
	SettledAt *time.Time `json:"settled_at"`
	Outcome   string     `json:"outcome"`
}

// Error is the message and what to do about it.
func (e *apiError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the gateway answered with status %d", e.Status)
	}
	if e.Hint == "" {
		return visible(e.Message)
	}
	return visible(e.Message) + ". " + visible(e.Hint)
}

// get reads a JSON answer into out.
func (c *apiClient) get(ctx context.Context, path string, query url.Values, out any) error {
	_, err := c.call(ctx, http.MethodGet, path, query, nil, out)
	return err
}

// post sends body as JSON, reads the answer into out, and returns its status.
func (c *apiClient) post(ctx context.Context, path string, query url.Values, body, out any) (int, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return 0, fmt.Errorf("encode a request: %w", err)
	}
	return c.call(ctx, http.MethodPost, path, query, raw, out)
}

func (c *apiClient) call(ctx context.Context, method, path string, query url.Values, body []byte, out any) (int, error) {
	res, err := c.open(ctx, method, path, query, body, nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	raw, err := readBounded(res.Body)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return 0, fmt.Errorf("%s %s: the answer is no JSON: %w", method, path, err)
	}
	return res.StatusCode, nil
}

// open sends a request and returns an answer that is no refusal, its body unread.
func (c *apiClient) open(ctx context.Context, method, path string, query url.Values, body []byte, header http.Header) (*http.Response, error) {
	to := *c.base
	to.Path, to.RawQuery = path, query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if header != nil {
		req.Header = header
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the engine at %s does not answer: %w", c.base.Host, err)
	}
	if res.StatusCode < http.StatusMultipleChoices {
		return res, nil
	}
	defer res.Body.Close()
	refused := &apiError{}
	raw, err := readBounded(res.Body)
	if err == nil && json.Unmarshal(raw, refused) != nil {
		refused = &apiError{}
	}
	refused.Status = res.StatusCode
	return nil, refused
}

// errLongAnswer says that the gateway sent more than a client takes.
var errLongAnswer = errors.New("the answer is too long")

func readBounded(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxAPIAnswer+1))
	if err == nil && len(raw) > maxAPIAnswer {
		err = errLongAnswer
	}
	return raw, err
}
