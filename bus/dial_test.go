package bus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

func listening(c *bus.Config) {
	c.Listen, c.People, c.Agents = "127.0.0.1:0", []string{"ada"}, []string{"agent-ci"}
}

// stock starts a NATS server that is not ours.
func stock(t testing.TB) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(eventstest.Patience))
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s.ClientURL()
}

func dial(t testing.TB, cfg bus.DialConfig) *bus.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), eventstest.Patience)
	defer cancel()
	c, err := bus.Dial(ctx, cfg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestStockServerIsALog(t *testing.T) {
	eventstest.TestLog(t, func(tb testing.TB) events.Log {
		return logUnderTest{dial(tb, bus.DialConfig{URL: stock(tb), Role: admin})}
	})
}

func TestStockServerIsUsedLikeOurs(t *testing.T) {
	t.Parallel()
	url := stock(t)
	boss := dial(t, bus.DialConfig{URL: url, Role: admin})
	w := dial(t, bus.DialConfig{URL: url, Role: worker1})
	build := &eventstest.Builder{Project: "p1", Session: "s1"}
	_, err := boss.Append(t.Context(), build.Event(t, events.ActorApproval, events.ToolApproved{Call: "c"}), nil)
	require.NoError(t, err)
	made, err := boss.MakePools(t.Context(), "p1", 1)
	require.NoError(t, err)
	require.Equal(t, []string{"tools-p1", "short-p1", "models-p1"}, made)
	made, err = boss.MakePools(t.Context(), "p1", 1)
	require.NoError(t, err)
	require.Empty(t, made, "what is there stays")
	got := make(chan events.Delivery, 1)
	working(t, t.Context(), w, 1, func(_ context.Context, d events.Delivery) error {
		got <- d
		return nil
	})
	require.Equal(t, "ToolApproved", (<-got).Event.Type)
	_, err = w.CreateClaim(t.Context(), "c", []byte("mine"))
	require.NoError(t, err)
	ref, err := w.Put(t.Context(), []byte("hello"), "")
	require.NoError(t, err)
	body, err := boss.Get(t.Context(), ref.SHA256)
	require.NoError(t, err)
	require.Equal(t, "hello", string(body))
	require.NoError(t, boss.Provision(t.Context(), bus.Provision{}), "what is there and right stays")
}

func TestForeignStreamIsRefusedAndNotChanged(t *testing.T) {
	t.Parallel()
	url := stock(t)
	nc, err := nats.Connect(url)
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "SLOP_EV", Subjects: []string{"slop.ev.>"},
		MaxAge: time.Hour})
	require.NoError(t, err)
	_, err = bus.Dial(t.Context(), bus.DialConfig{URL: url, Role: reader})
	require.ErrorIs(t, err, bus.ErrMismatch)
	var mismatch *bus.MismatchError
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, "SLOP_EV", mismatch.Stream)
	require.Contains(t, mismatch.Differences, "max_age: is 1h0m0s, must be 0s")
	require.Contains(t, mismatch.Differences, "deny_delete: is false, must be true")
	s, err := js.Stream(t.Context(), "SLOP_EV")
	require.NoError(t, err)
	require.Equal(t, time.Hour, s.CachedInfo().Config.MaxAge)
}

func TestOurServerIsReachedFromOutsideWithKeys(t *testing.T) {
	t.Parallel()
	b := setup(t, listening)
	dir := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, b.srv.WriteKeys(dir))
	for file, roles := range map[string][]bus.Role{
		"orchestrator.json": {conductor, approval, {Kind: bus.Models}, {Kind: bus.Timers}},
		"worker.json":       {worker1, {Kind: bus.Worker, Name: bus.WorkerName("test", bus.WorkerSlots)}},
		"gateway.json":      {{Kind: bus.Gateway}, ada, {Kind: bus.Agent, Name: "agent-ci"}},
		"person-ada.json":   {ada}, "reader.json": {reader}, "live.json": {{Kind: bus.Live}},
	} {
		for _, r := range roles {
			dial(t, bus.DialConfig{Creds: filepath.Join(dir, file), Role: r})
		}
	}
	_, err := bus.Dial(b.ctx, bus.DialConfig{Creds: filepath.Join(dir, "worker.json"), Role: approval})
	require.ErrorIs(t, err, bus.ErrRole, "a worker's file holds no token of approval")
	_, err = bus.Dial(b.ctx, bus.DialConfig{Creds: filepath.Join(dir, "worker.json"), Role: bus.Role{Kind: bus.Worker,
		Name: bus.WorkerName("test", bus.WorkerSlots+1)}})
	require.ErrorIs(t, err, bus.ErrRole)

	c := dial(t, bus.DialConfig{Creds: filepath.Join(dir, "worker.json"), Role: worker1})
	_, err = c.Append(b.ctx, b.Event(t, events.ActorApproval, events.ToolApproved{}), nil)
	require.ErrorIs(t, err, events.ErrDenied, "the token decides, whatever the role says")
	_, err = c.Append(b.ctx, b.Event(t, "worker-test-1", events.ToolSettled{Call: "c"}), nil)
	require.NoError(t, err)
}

func TestKeysAreForThisUserOnlyAndStayValid(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "keys")
	var first map[string][]byte
	for range 2 {
		cfg := bus.Config{Dir: data, Durability: bus.Relaxed, Host: "test", MaxBytes: 1 << 30}
		listening(&cfg)
		s, err := bus.Open(t.Context(), cfg)
		require.NoError(t, err)
		if first != nil {
			dial(t, bus.DialConfig{URL: s.URL(), Creds: filepath.Join(dir, "reader.json"), Role: reader}).Close()
		}
		require.NoError(t, s.WriteKeys(dir))
		tokens := keyTokens(t, dir)
		if first == nil {
			first = tokens
		}
		require.Equal(t, first, tokens)
		require.NoError(t, s.Close())
	}
	kept, err := os.ReadFile(filepath.Join(data, "bus-tokens.json"))
	require.NoError(t, err)
	for _, list := range first {
		var tokens map[string]string
		require.NoError(t, json.Unmarshal(list, &tokens))
		for _, token := range tokens {
			require.GreaterOrEqual(t, len(token), 32)
			require.NotContains(t, string(kept), token, "the server keeps digests only")
		}
	}
}

// keyTokens reads the tokens of each file and checks who may read it.
func keyTokens(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	out := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), e.Name())
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		var file struct {
			URL    string          `json:"url"`
			Tokens json.RawMessage `json:"tokens"`
		}
		require.NoError(t, json.Unmarshal(body, &file))
		require.NotEmpty(t, file.URL)
		out[e.Name()] = file.Tokens
	}
	require.Len(t, out, 7)
	return out
}

func TestRemovedKeysAreValidNoMore(t *testing.T) {
	t.Parallel()
	b := setup(t, listening)
	dir := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, b.srv.WriteKeys(dir))
	stolen := filepath.Join(t.TempDir(), "stolen.json")
	body, err := os.ReadFile(filepath.Join(dir, "worker.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(stolen, body, 0o600))
	dial(t, bus.DialConfig{Creds: stolen, Role: worker1})
	require.NoError(t, os.Remove(filepath.Join(dir, "worker.json")))
	require.NoError(t, b.srv.WriteKeys(filepath.Join(t.TempDir(), "other")))
	dial(t, bus.DialConfig{Creds: stolen, Role: worker1}).Close()
	require.NoError(t, b.srv.WriteKeys(dir))
	_, err = bus.Dial(b.ctx, bus.DialConfig{Creds: stolen, Role: worker1})
	require.ErrorIs(t, err, nats.ErrAuthorization)
	dial(t, bus.DialConfig{Creds: filepath.Join(dir, "worker.json"), Role: worker1})
}

func TestNatsContextsAreRead(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	dir := filepath.Join(home, "nats", "context")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test.json"), fmt.Appendf(nil, `{"url":%q,"description":"x"}`,
		stock(t)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.json"), []byte(`{}`), 0o600))
	dial(t, bus.DialConfig{Context: "test", Role: admin})
	for name, want := range map[string]error{"missing": os.ErrNotExist, "empty": bus.ErrConfig, "../test": bus.ErrConfig} {
		_, err := bus.Dial(t.Context(), bus.DialConfig{Context: name, Role: admin})
		require.ErrorIs(t, err, want, name)
	}
	_, err := bus.Dial(t.Context(), bus.DialConfig{Role: admin})
	require.ErrorIs(t, err, bus.ErrConfig, "no server is given")
}

// reopen starts a server on the same folder and port.
func reopen(t *testing.T, dir, listen string) *bus.Server {
	t.Helper()
	s, err := bus.Open(t.Context(), bus.Config{Dir: dir, Project: bustest.Project, Listen: listen, Host: "test",
		Durability: bus.Relaxed, MaxBytes: 1 << 30})
	require.NoError(t, err)
	return s
}

func TestConnectionOutlivesTheServersRestart(t *testing.T) {
	t.Parallel()
	data, keys := t.TempDir(), filepath.Join(t.TempDir(), "keys")
	address := bustest.Address(t)
	s := reopen(t, data, address)
	require.NoError(t, s.WriteKeys(keys))
	ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
	defer cancel()
	log := dial(t, bus.DialConfig{Creds: filepath.Join(keys, "orchestrator.json"), Role: approval})
	w := dial(t, bus.DialConfig{Creds: filepath.Join(keys, "worker.json"), Role: worker1})
	build := &eventstest.Builder{Project: "p1", Session: "s1"}
	_, feed, err := log.Watch(ctx, events.Filter{}, 1)
	require.NoError(t, err)
	seen := make(chan events.Event)
	go func() {
		for e, err := range feed {
			if err == nil {
				seen <- e
			}
		}
	}()
	done := make(chan string, 8)
	working(t, ctx, w, 1, func(_ context.Context, d events.Delivery) error {
		done <- d.Event.ID
		return nil
	})
	for round := range uint64(3) {
		e := build.Event(t, events.ActorApproval, events.ToolApproved{Call: "c"})
		type outcome struct {
			seq uint64
			err error
		}
		answer := make(chan outcome, 1)
		if round > 0 {
			require.NoError(t, s.Close())
		}
		go func() {
			seq, err := log.Append(ctx, e, nil)
			answer <- outcome{seq, err}
		}()
		if round > 0 {
			s = reopen(t, data, address)
		}
		require.Equal(t, outcome{round + 1, nil}, <-answer, "an append waits for the server")
		require.Equal(t, e.ID, (<-seen).ID, "a feed goes on where it was")
		require.Equal(t, e.ID, <-done, "and so does work")
	}
	require.NoError(t, s.Close())
	short, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	_, err = log.Append(short, build.Event(t, events.ActorApproval, events.ToolApproved{}), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "no longer than its context")
}
