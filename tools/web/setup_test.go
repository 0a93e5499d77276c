package web_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"manualslop/tools/web"
)

// site is a local server that counts its requests.
type site struct {
	url  string
	port string
	hits atomic.Int64
}

func serve(t *testing.T, handle http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	s.url, s.port = server.URL, u.Port()
	return s
}

// page serves one body under one type.
func page(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

func client(t *testing.T, change func(*web.Settings)) *web.Client {
	t.Helper()
	var s web.Settings
	if change != nil {
		change(&s)
	}
	c, err := web.New(s)
	require.NoError(t, err)
	return c
}

// open is a client that may reach the site.
func open(t *testing.T, s *site) *web.Client {
	t.Helper()
	return client(t, func(set *web.Settings) { set.AllowHosts = []string{"127.0.0.1:" + s.port} })
}

func fetch(t *testing.T, c *web.Client, address string) *web.Page {
	t.Helper()
	got, err := c.Fetch(t.Context(), address, web.FormatMarkdown)
	require.NoError(t, err)
	return got
}

func refused(t *testing.T, c *web.Client, address, why string) {
	t.Helper()
	_, err := c.Fetch(t.Context(), address, web.FormatMarkdown)
	var problem *web.Problem
	require.ErrorAs(t, err, &problem, address)
	require.Contains(t, problem.Text, why, address)
	require.NotContains(t, problem.Text, "\n")
}

// names is a name server: each question for a name takes the next of its answers, and the last
// one stays.
type names struct {
	mu      sync.Mutex
	answers map[string][][]string
}

// resolver starts the server and gives a resolver that asks it only.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			size, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, ok := n.reply(buffer[:size]); ok {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (n *names) reply(question []byte) ([]byte, bool) {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil, false
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	for _, text := range n.next(strings.ToLower(strings.TrimSuffix(q.Name.String(), ".")), q.Type) {
		addr := netip.MustParseAddr(text)
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
		switch {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	packed, err := m.Pack()
	return packed, err == nil
}

func (n *names) next(name string, kind dnsmessage.Type) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	left := n.answers[name]
	if len(left) == 0 {
		return nil
	}
	if kind == dnsmessage.TypeA && len(left) > 1 {
		n.answers[name] = left[1:]
	}
	return left[0]
}
