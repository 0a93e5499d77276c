package hookgw_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

func TestItListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.test:0", "[::ffff:127.0.0.1]:0",
		"127.0.0.2:0", "*:0", "127.1:0"} {
		cfg := config(t)
		cfg.Listen = addr
		require.ErrorIs(t, start(t, cfg), access.ErrNotLoopback, addr)
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		cfg := config(t)
		cfg.Listen = addr
		gw, err := hookgw.New(t.Context(), cfg)
		require.NoError(t, err, addr)
		require.True(t, strings.HasPrefix(gw.URL(), "http://127.0.0.1:"), gw.URL())
		require.NoError(t, gw.Close())
	}
}

func TestAnAddressWithoutAUsablePortIsAMistakeOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1"} {
		cfg := config(t)
		cfg.Listen = addr
		require.ErrorIs(t, start(t, cfg), core.ErrConfig, addr)
	}
}

func TestAPortInUseIsNamedWithTheWayToChooseAnother(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	cfg := config(t)
	cfg.Listen = taken.Addr().String()
	err = start(t, cfg)
	require.ErrorIs(t, err, access.ErrAddressInUse)
	require.ErrorContains(t, err, cfg.Listen)
	require.ErrorContains(t, err, "--listen")
}

func TestUnusableConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*core.Config){
		"an unknown way to tell who asks": func(c *core.Config) { c.Auth = "maybe" },
		"no folder of tokens":             func(c *core.Config) { c.Tokens = "" },
		"no project":                      func(c *core.Config) { c.Project = "" },
		"a role as person":                func(c *core.Config) { c.Person = events.ActorApproval },
		"a worker as person":              func(c *core.Config) { c.Person = "worker-1" },
		"a label that is no token":        func(c *core.Config) { c.AgentLabel = "a.b" },
		"no log":                          func(c *core.Config) { c.Log = nil },
		"no models":                       func(c *core.Config) { c.Models = nil },
		"a negative ask timeout":          func(c *core.Config) { c.AskTimeout = -1 },
		"a negative limit":                func(c *core.Config) { c.Limits.Body = -1 },
		"a negative time":                 func(c *core.Config) { c.Limits.IdleTimeout = -1 },
	} {
		cfg := config(t)
		spoil(&cfg)
		require.ErrorIs(t, start(t, cfg), core.ErrConfig, name)
	}
}

func TestItStopsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	f := open(t)
	require.Equal(t, http.StatusOK, f.get("/status", access.RightNone).status)
	f.stop()
	_, err := f.trySend(f.request(http.MethodGet, "/status", access.RightNone, ""))
	require.Error(t, err)
}

func TestItStopsThoughAnAskWaitsAndTellsItToComeBack(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	waiting := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, `{"request_id":"r1"}`))
	f.awaitAsk("r1")
	stopped := make(chan struct{})
	go func() { defer close(stopped); f.stop() }()
	a := <-waiting
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Contains(t, a.object(t)["hint"], "r1")
	ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
	defer cancel()
	select {
	case <-stopped:
	case <-ctx.Done():
		t.Fatal("it does not stop")
	}
	require.Empty(t, recorded[events.AskSettled](f), "the ask stays open")
}
