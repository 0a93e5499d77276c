package hookclient

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Defaults of Options, the same as in Manual Slop.
const (
	DefaultBaseURL    = "http://127.0.0.1:8999"
	DefaultMaxRetries = 5
	DefaultRetryDelay = 200 * time.Millisecond
)

// MaxAnswer limits the answer of one request, in bytes.
const MaxAnswer = 256 << 20

// headTimeout is how long the head of an answer may take, unless the gateway is asked to wait.
const headTimeout = 30 * time.Second

// ErrOptions means that Options are unusable.
var ErrOptions = errors.New("hook client options")

// Options are the address of the gateway and the credentials. The zero value uses the address of Manual Slop without
// a token.
type Options struct {
	// BaseURL is the gateway's address; empty: DefaultBaseURL.
	BaseURL string
	// Token is sent as a bearer token; empty: none, or that of TokenFile.
	Token string
	// TokenFile is a file that holds the token, such as .slop/tokens/human.token.
	TokenFile string
	// Session is the session to use; empty: the gateway's current one.
	Session string
	// Reader names the queue that GetEvents drains; empty: the shared one.
	Reader string
	// MaxRetries is how often a failed request is repeated; zero: DefaultMaxRetries, negative: never.
	MaxRetries int
	// RetryDelay is the wait before the first repetition, doubled for each next
	// one; zero: DefaultRetryDelay.
	RetryDelay time.Duration
	// Transport carries the requests; nil: a new one without a proxy.
	Transport http.RoundTripper
}

// Client is a client of one gateway.
type Client struct {
	base    *url.URL
	token   string
	session string
	reader  string
	retries int
	delay   time.Duration
	http    *http.Client
}

// New validates o and reads the token; it sends nothing. It returns ErrOptions, or the error of reading the token.
func New(o Options) (*Client, error) {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" ||
		base.Fragment != "" {
		return nil, fmt.Errorf("%w: base URL %q; give one such as %s", ErrOptions, o.BaseURL, DefaultBaseURL)
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	if o.Token, err = token(o); err != nil {
		return nil, err
	}
	switch {
	case o.MaxRetries == 0:
		o.MaxRetries = DefaultMaxRetries
	case o.MaxRetries < 0:
		o.MaxRetries = 0
	}
	if o.RetryDelay <= 0 {
		o.RetryDelay = DefaultRetryDelay
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second}
	}
	return &Client{base: base, token: o.Token, session: o.Session, reader: o.Reader, retries: o.MaxRetries,
		delay: o.RetryDelay, http: &http.Client{
			Transport:     o.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}, nil
}

// token returns the given token, or the one in the file.
func token(o Options) (string, error) {
	if o.TokenFile == "" || o.Token != "" {
		return o.Token, nil
	}
	raw, err := os.ReadFile(o.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	text := strings.TrimSpace(string(raw))
	if text == "" || strings.ContainsAny(text, " \r\n\t") {
		return "", fmt.Errorf("%w: %s contains no token", ErrOptions, o.TokenFile)
	}
	return text, nil
}

// In returns a client for another session.
func (c *Client) In(session string) *Client {
	other := *c
	other.session = session
	return &other
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
