package bus_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events/eventstest"
)

// contextFile is a nats context as the nats CLI reads it.
type contextFile struct {
	Description string
	URL         string
	Token       string
	NKey        string
	Prefix      string `json:"inbox_prefix"`
}

func readContextFile(t *testing.T, path string) (c contextFile) {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(body, &c))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	return c
}

// plain connects as a client that knows only what the context says.
func (c contextFile) plain(t *testing.T, opts ...nats.Option) *nats.Conn {
	t.Helper()
	if c.Token != "" {
		opts = append(opts, nats.Token(c.Token))
	} else {
		own, err := nats.NkeyOptionFromSeed(c.NKey)
		require.NoError(t, err)
		opts = append(opts, own)
	}
	nc, err := nats.Connect(c.URL, opts...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func TestAContextIsAllThatAStockClientNeeds(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	b := setup(t, listening)
	dir := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, b.srv.WriteKeys(dir))
	files, err := bus.WriteContext("mine", dir, "person-ada")
	require.NoError(t, err)
	require.Len(t, files, 1)
	c := readContextFile(t, files[0])
	require.Equal(t, "slop: person ada", c.Description)

	got, err := c.plain(t, nats.CustomInboxPrefix(c.Prefix)).Request("$JS.API.STREAM.INFO.SLOP_EV", nil,
		eventstest.Patience)
	require.NoError(t, err)
	require.Contains(t, string(got.Data), "io.nats.jetstream.api.v1.stream_info_response")

	refused := make(chan error, 8)
	bare := c.plain(t, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	_, err = bare.SubscribeSync(bare.NewInbox())
	require.NoError(t, err)
	require.NoError(t, bare.Flush())
	require.ErrorIs(t, <-refused, nats.ErrPermissionViolation, "without the prefix")

	dial(t, bus.DialConfig{Context: "mine", Role: ada})
	_, err = bus.WriteContext("mine", dir, "reader")
	require.NoError(t, err, "slop may replace its own contexts")
	require.NotEqual(t, c, readContextFile(t, files[0]))
}

func TestAContextForAClusterHasAnNKey(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	require.NoError(t, bus.WriteAccounts(dir, bus.Accounts{URL: "nats://unset", Hosts: []string{"test"},
		Projects: []string{"p1"}, People: []string{"ada"}}))
	opts, err := server.ProcessConfigFile(filepath.Join(dir, "accounts.conf"))
	require.NoError(t, err)
	opts.Host, opts.Port, opts.JetStream, opts.StoreDir, opts.NoSigs, opts.NoLog = "127.0.0.1", server.RANDOM_PORT, true,
		t.TempDir(), true, true
	s, err := server.NewServer(opts)
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(eventstest.Patience))
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	require.NoError(t, bus.WriteAccounts(dir, bus.Accounts{URL: s.ClientURL(), Hosts: []string{"test"},
		Projects: []string{"p1"}, People: []string{"ada"}}))
	dial(t, bus.DialConfig{Creds: filepath.Join(dir, "admin.json"), Role: admin}) // makes the streams

	files, err := bus.WriteContext("far", dir, "person-ada")
	require.NoError(t, err)
	require.Len(t, files, 2)
	c := readContextFile(t, files[1])
	require.Equal(t, files[0], c.NKey)
	require.Empty(t, c.Token)
	_, err = c.plain(t, nats.CustomInboxPrefix(c.Prefix)).Request("$JS.API.STREAM.INFO.SLOP_EV", nil, eventstest.Patience)
	require.NoError(t, err)
	dial(t, bus.DialConfig{Context: "far", Role: ada})
}

func TestContextsThatCannotBeWrittenAreRefused(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	b := setup(t, listening)
	dir := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, b.srv.WriteKeys(dir))
	folder := filepath.Join(home, "nats", "context")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	foreign := filepath.Join(folder, "work.json")
	require.NoError(t, os.WriteFile(foreign, []byte(`{"url":"nats://work","description":"mine"}`), 0o600))
	for _, refused := range []struct {
		name, dir, role string
		want            error
	}{
		{"../out", dir, "reader", bus.ErrConfig}, {"a/b", dir, "reader", bus.ErrConfig}, {"", dir, "reader", bus.ErrConfig},
		{"new", dir, "gateway", bus.ErrRole}, {"new", dir, "person-..", bus.ErrRole}, {"new", dir, "worker", bus.ErrRole},
		{"new", dir, "person-eve", fs.ErrNotExist}, {"new", t.TempDir(), "reader", fs.ErrNotExist},
		{"work", dir, "reader", bus.ErrConfig},
	} {
		_, err := bus.WriteContext(refused.name, refused.dir, refused.role)
		require.ErrorIs(t, err, refused.want, "%+v", refused)
	}
	require.Equal(t, "nats://work", readContextFile(t, foreign).URL)
	deaf := setup(t, func(c *bus.Config) { c.People = []string{"ada"} })
	require.NoError(t, deaf.srv.WriteKeys(dir+"-deaf"))
	_, err := bus.WriteContext("new", dir+"-deaf", "reader")
	require.ErrorIs(t, err, bus.ErrConfig)
	require.ErrorContains(t, err, "--nats-listen")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
