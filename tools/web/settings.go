package web

import (
	"fmt"
	"net"
	"net/url"
	"time"

	"manualslop/events/policy"
)

// DefaultSearchURL is DuckDuckGo's page for browsers without scripts.
const DefaultSearchURL = "https://html.duckduckgo.com/html/"

// Settings configures a client.
type Settings struct {
	// AllowHosts lists NAME, *.NAME or an address, each with an optional :PORT. An entry without a port applies
	// to ports 80 and 443. A name allows the loopback and private addresses that it resolves to; any other
	// special address must be listed as an address.
	AllowHosts []string
	// SearchURL is the form to which Search sends its query; empty means DefaultSearchURL.
	SearchURL string
	// Secrets are values that must not be part of any request. They are not logged.
	Secrets []string
	// Timeout limits one fetch; zero means DefaultTimeout.
	Timeout time.Duration
	// Resolver resolves names; nil means the system's resolver.
	Resolver *net.Resolver
}

// Client fetches pages. It is safe for concurrent use. A nil Client rejects everything.
type Client struct {
	allow    []policy.Host
	table    []special
	secrets  []string
	search   *url.URL
	timeout  time.Duration
	resolver *net.Resolver
}

// New returns a client. The error names the first invalid setting.
func New(s Settings) (*Client, error) {
	c := &Client{table: registry(), timeout: s.Timeout, resolver: s.Resolver}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	for _, text := range s.AllowHosts {
		h, ok := parseHost(text)
		if !ok {
			return nil, fmt.Errorf("web: %q must be NAME, *.NAME or an address, with an optional :PORT", text)
		}
		c.allow = append(c.allow, h)
	}
	for _, secret := range s.Secrets {
		if secret != "" {
			c.secrets = append(c.secrets, fold(secret))
		}
	}
	if s.SearchURL == "" {
		s.SearchURL = DefaultSearchURL
	}
	search, err := url.Parse(s.SearchURL)
	if err != nil || search.Host == "" || search.Scheme != "http" && search.Scheme != "https" {
		return nil, fmt.Errorf("web: the search address must be http or https, got %q", s.SearchURL)
	}
	c.search = search
	return c, nil
}

// Problem is a failure that a model can understand. Its one-line text says what to do next.
type Problem struct {
	Text string
	// Own means that no part of the text came from a server.
	Own bool
}

// Error returns the text.
func (p *Problem) Error() string { return p.Text }

func problem(format string, args ...any) error {
	return &Problem{Text: fmt.Sprintf(format, args...)}
}

// ownProblem returns a Problem in which no server had a part.
func ownProblem(format string, args ...any) error {
	return &Problem{Text: fmt.Sprintf(format, args...), Own: true}
}
