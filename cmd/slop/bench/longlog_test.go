package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/sessionlog"
)

// longLog is a project whose log has many closed sessions.
type longLog struct {
	site.Place
	events  int
	folders []string // of their logs
}

// newLongLog has an engine work in one session and close it, and copies the
// session.
func newLongLog(t *testing.T, sessions, rounds int) *longLog {
	t.Helper()
	m := newWorkers(t, reading(t, rounds), func(c *config.Config) {
		three := c.Tiers["3"]
		three.MaxRounds = 1000
		c.Tiers["3"] = three
	})
	m.reach(t, "read")
	seq, _, err := m.writer.Publish(m.Ctx, events.SessionClosed{Reason: "done"})
	require.NoError(t, err)
	require.NoError(t, m.Live.WaitFor(m.Ctx, seq))
	all := eventstest.All(t, m.log, events.Filter{Session: m.writer.Session})
	require.NoError(t, m.Close())
	l := &longLog{Place: m.Place}
	server := l.open(t)
	defer func() { require.NoError(t, server.Close()) }()
	for n := range sessions {
		l.copy(t, server, all, fmt.Sprintf("01LONG%020d", n))
	}
	return l
}

func (l *longLog) open(t *testing.T) *bus.Server {
	t.Helper()
	server, err := bus.Open(t.Context(), bus.Config{Dir: l.Data, Durability: bus.Relaxed})
	require.NoError(t, err)
	return server
}

// copy puts a copy of a session on record.
func (l *longLog) copy(t *testing.T, server *bus.Server, all []events.Event, session string) {
	t.Helper()
	var copies []events.Event
	folder := "20260101_000000_" + session
	for _, e := range all {
		if opened, ok := e.Payload.(events.SessionOpened); ok {
			e.Data = bytes.ReplaceAll(e.Data, []byte(opened.Folder), []byte(folder))
		}
		e.Session = session
		copies = append(copies, e)
	}
	bustest.Fill(t, server, l.Name, copies)
	l.folders, l.events = append(l.folders, folder), l.events+len(copies)
}

// life starts an engine with every role, waits until what it does behind its
// start is done, and stops it. It returns how many bytes came over its
// connections, and what it knows of the sessions.
func (l *longLog) life(t *testing.T) (received uint64, known string) {
	t.Helper()
	registry := filepath.Join(l.Project, sessionlog.RegistryFile)
	require.NoError(t, os.RemoveAll(registry))
	began, used := time.Now(), engine.ProcessorTime()
	g := &site.Flags{Terminal: term.Terminal{In: bytes.NewReader(nil), Out: &bytes.Buffer{}, Err: &bytes.Buffer{},
		Quiet: true}}
	e, err := engine.New(t.Context(), g, l.Place, "", nil)
	require.NoError(t, err)
	_, err = e.Serve(t.Context(), "127.0.0.1:0", false)
	require.NoError(t, err)
	t.Logf("ready beside %d closed sessions of %d events after %v, %v of processor time", len(l.folders), l.events,
		time.Since(began).Round(time.Millisecond), (engine.ProcessorTime() - used).Round(time.Millisecond))
	require.Eventually(t, func() bool { return l.complete(registry) }, eventstest.Patience, 5*time.Millisecond,
		"session logs and their registry")
	rows, err := os.ReadFile(registry)
	require.NoError(t, err)
	sessions, err := json.Marshal(e.Live.Sessions())
	require.NoError(t, err)
	require.NoError(t, e.Close())
	for _, c := range e.Bus.Conns {
		received += c.Received()
	}
	return received, string(sessions) + string(rows)
}

// complete tells whether the log of every closed session is, and the registry is there.
func (l *longLog) complete(registry string) bool {
	for _, name := range l.folders {
		if _, err := os.Lstat(filepath.Join(l.Project, sessionlog.Base, name, ".complete")); err != nil {
			return false
		}
	}
	_, err := os.Lstat(registry)
	return err == nil
}

// settled starts engines until one reads at most so much, six at the most: one that is stopped before it has stored
// what it folded leaves that to its next start. It returns what the one that read least read.
func (l *longLog) settled(t *testing.T, atMost uint64) (received uint64, known string) {
	t.Helper()
	received = math.MaxUint64
	for range 6 {
		var n uint64
		n, known = l.life(t)
		if received = min(received, n); received <= atMost {
			break
		}
	}
	return received, known
}

// TestAStartReadsAsMuchOfALongLogAsOfAShortOne starts every role, gateway,
// session logs and search beside ten times as many closed sessions, and without
// snapshots. The figures in docs/performance.md are those of SLOP_LOAD=full.
func TestAStartReadsAsMuchOfALongLogAsOfAShortOne(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	short, long, rounds := 8, 80, 4
	if os.Getenv("SLOP_LOAD") == "full" {
		short, long, rounds = 50, 500, 36
	}
	read := func(sessions int, atMost uint64) uint64 {
		l := newLongLog(t, sessions, rounds)
		n, known := l.settled(t, atMost)
		server := l.open(t)
		require.NotZero(t, bustest.ForgetSnapshots(t, server))
		require.NoError(t, server.Close())
		whole, again := l.life(t)
		require.Equal(t, known, again)
		require.Greater(t, whole, n)
		return n
	}
	beside := read(short, 0)
	limit := beside + beside/4
	n := read(long, limit)
	t.Logf("%d bytes come to an engine beside %d closed sessions, %d beside %d", beside, short, n, long)
	require.LessOrEqual(t, n, limit)
}
