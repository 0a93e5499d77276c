package hookgw_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/projections/live"
)

const (
	project = "p1"
	session = "s1"
	person  = "ada"
)

// fixture is a gateway that serves one session of a log in memory.
type fixture struct {
	t      testing.TB
	log    events.Log
	as     func(actor string) events.Log // the connection of an actor
	models *live.Live
	gw     *hookgw.Gateway
	client *http.Client
	tokens string
	stop   func()
	logged *lockedBuffer
	checks checks
}

// open starts a gateway with the given changes to its configuration, in a
// session that was just opened.
func open(t testing.TB, change ...func(*core.Config)) *fixture {
	t.Helper()
	f := openEmpty(t, change...)
	f.put("operator", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo"})
	return f
}

// openEmpty is open on a log without a session.
func openEmpty(t testing.TB, change ...func(*core.Config)) *fixture {
	t.Helper()
	log := eventstest.NewMemory()
	models := openModels(t, log, 1000)
	f := &fixture{t: t, log: log, as: func(string) events.Log { return log }, tokens: filepath.Join(t.TempDir(), "tokens"),
		logged: &lockedBuffer{}}
	cfg := core.Config{
		Listen: "127.0.0.1:0", Tokens: f.tokens, Project: project, Person: person,
		Log:       log,
		PersonLog: func(string) events.Log { return log },
		AgentLog:  func(string) events.Log { return log },
		Models:    models,
		Logger:    slog.New(slog.NewTextHandler(f.logged, nil)),
		Limits:    patientLimits(),
	}
	for _, c := range change {
		c(&cfg)
	}
	f.models = models
	if own, ok := cfg.Models.(*live.Live); ok {
		f.models = own
	}
	gw, err := hookgw.New(t.Context(), cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- gw.Serve(ctx) }()
	<-gw.Ready()
	f.gw, f.client = gw, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100, DialContext: dialNarrow}}
	f.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the gateway ended badly: %v", err)
		}
	})
	t.Cleanup(func() {
		f.client.CloseIdleConnections()
		f.stop()
	})
	return f
}

// patientLimits never give up on a machine that is only slow: a test of a wait
// sets its own.
func patientLimits() request.Limits {
	const wait = eventstest.Patience
	return request.Limits{HeaderTimeout: wait, BodyTimeout: wait, WriteTimeout: wait, AskGrace: wait, SettleWait: wait,
		CatchUp: wait, Shutdown: wait}
}

// put appends a fact of an actor to the session and waits until it is in the models.
func (f *fixture) put(actor string, p events.Payload) events.Event {
	f.t.Helper()
	e, err := events.New(events.Origin{
		ID: ulid.Make().String(), Time: time.Now(), Project: project, Session: session, Actor: actor,
	}, p)
	require.NoError(f.t, err)
	e.Seq, err = f.as(actor).Append(f.t.Context(), e, nil)
	require.NoError(f.t, err)
	require.NoError(f.t, f.models.WaitFor(f.t.Context(), e.Seq))
	return e
}

func (f *fixture) token(r access.Right) string {
	f.t.Helper()
	if r == access.RightNone {
		return ""
	}
	raw, err := os.ReadFile(filepath.Join(f.tokens, access.TokenFile(r)))
	require.NoError(f.t, err)
	return strings.TrimSpace(string(raw))
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) object(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal(a.body, &out), string(a.body))
	return out
}

// request builds a request that nothing is wrong with.
func (f *fixture) request(method, path string, right access.Right, body string) *http.Request {
	f.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(f.t.Context(), method, f.gw.URL()+path, r)
	require.NoError(f.t, err)
	if right != access.RightNone {
		req.Header.Set("Authorization", "Bearer "+f.token(right))
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

func (f *fixture) send(req *http.Request) answer {
	f.t.Helper()
	a, err := f.trySend(req)
	require.NoError(f.t, err)
	return a
}

func (f *fixture) trySend(req *http.Request) (answer, error) {
	resp, err := f.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	a := answer{resp.StatusCode, resp.Header, body}
	if err == nil {
		err = f.keepsContract(req, a)
	}
	return a, err
}

func (f *fixture) get(path string, right access.Right) answer {
	f.t.Helper()
	return f.send(f.request(http.MethodGet, path, right, ""))
}

func (f *fixture) post(path string, right access.Right, body string) answer {
	f.t.Helper()
	return f.send(f.request(http.MethodPost, path, right, body))
}

// background sends a request and hands over its answer when it comes.
func (f *fixture) background(req *http.Request) <-chan answer {
	out := make(chan answer, 1)
	go func() {
		a, err := f.trySend(req)
		if err != nil {
			a.body = []byte(err.Error())
		}
		out <- a
	}()
	return out
}

// recorded lists the facts of a type that are on the log.
func recorded[P events.Payload](f *fixture) []P {
	f.t.Helper()
	var want P
	var out []P
	for _, e := range eventstest.All(f.t, f.log, events.Filter{Project: project, Type: want.EventType().Name}) {
		if p, ok := e.Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

// lockedBuffer is a writer that several goroutines share.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends p.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is everything written so far.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// expect waits for a fact on the log, and until it is in the models.
func (f *fixture) expect(typ string, accept func(events.Event) bool) events.Event {
	f.t.Helper()
	e := eventstest.ExpectWhere(f.t, f.log, events.Filter{Project: project, Type: typ}, typ, accept)
	require.NoError(f.t, f.models.WaitFor(f.t.Context(), e.Seq))
	return e
}

// dialNarrow connects with a small receive buffer, so that a client that does
// not read is noticed soon.
func dialNarrow(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if tcp, ok := conn.(*net.TCPConn); ok {
		return conn, errors.Join(err, tcp.SetReadBuffer(16<<10))
	}
	return conn, err
}

// settableClock is a clock that a test moves.
type settableClock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the time that was set.
func (c *settableClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *settableClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// openModels keeps read models of the log until the test ends. A reader that is
// more than backlog events behind is slow.
func openModels(t testing.TB, log events.Log, backlog int) *live.Live {
	t.Helper()
	models, err := live.Open(context.WithoutCancel(t.Context()), log, project, live.Options{Backlog: backlog})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, models.Close()) })
	return models
}
