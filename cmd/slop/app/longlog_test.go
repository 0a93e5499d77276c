package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/sessionlog"
)

// longLog is a project whose log has many closed sessions.
type longLog struct {
	place
	events  int
	folders []string // of their logs
}

// newLongLog has an engine work in one session and close it, and copies the
// session.
func newLongLog(t *testing.T, sessions, rounds int) *longLog {
	t.Helper()
	m := newCrew(t, reading(t, rounds), func(c *Config) {
		three := c.Tiers["3"]
		three.MaxRounds = 1000
		c.Tiers["3"] = three
	})
	m.reach(t, "read")
	seq, _, err := m.voice.say(m.ctx, events.SessionClosed{Reason: "done"})
	require.NoError(t, err)
	require.NoError(t, m.live.WaitFor(m.ctx, seq))
	all := eventstest.All(t, m.log, events.Filter{Session: m.voice.session})
	require.NoError(t, m.close())
	l := &longLog{place: m.place}
	server := l.open(t)
	defer func() { require.NoError(t, server.Close()) }()
	for n := range sessions {
		l.copy(t, server, all, fmt.Sprintf("01LONG%020d", n))
	}
	return l
}

func (l *longLog) open(t *testing.T) *bus.Server {
	t.Helper()
	server, err := bus.Open(t.Context(), bus.Config{Dir: l.data, Durability: bus.Relaxed})
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
	bustest.Fill(t, server, l.name, copies)
	l.folders, l.events = append(l.folders, folder), l.events+len(copies)
}

// life starts an engine with every role, waits until what it does behind its
// start is done, and stops it. It returns how many bytes came over its
// connections, and what it knows of the sessions.
func (l *longLog) life(t *testing.T) (received uint64, known string) {
	t.Helper()
	registry := filepath.Join(l.project, sessionlog.RegistryFile)
	require.NoError(t, os.RemoveAll(registry))
	began, used := time.Now(), processorTime()
	g := &globals{in: bytes.NewReader(nil), out: &bytes.Buffer{}, err: &bytes.Buffer{}, quiet: true}
	e, err := g.newEngine(t.Context(), l.place, "", nil)
	require.NoError(t, err)
	require.NoError(t, g.serveWith(t.Context(), e, runOptions{listen: "127.0.0.1:0"}))
	t.Logf("ready beside %d closed sessions of %d events after %v, %v of processor time", len(l.folders), l.events,
		time.Since(began).Round(time.Millisecond), (processorTime() - used).Round(time.Millisecond))
	require.Eventually(t, func() bool { return l.complete(registry) }, eventstest.Patience, 5*time.Millisecond, "session logs and their registry")
	rows, err := os.ReadFile(registry)
	require.NoError(t, err)
	sessions, err := json.Marshal(e.live.Sessions())
	require.NoError(t, err)
	require.NoError(t, e.close())
	for _, c := range e.bus.conns {
		received += c.Received()
	}
	return received, string(sessions) + string(rows)
}

// complete tells whether the log of every closed session is, and the registry is there.
func (l *longLog) complete(registry string) bool {
	for _, name := range l.folders {
		if _, err := os.Lstat(filepath.Join(l.project, sessionlog.Base, name, ".complete")); err != nil {
			return false
		}
	}
	_, err := os.Lstat(registry)
	return err == nil
}

// settle starts engines until a start reads no less than the one before: one that
// is stopped before it has settled what it owes goes on at its next start.
func (l *longLog) settle(t *testing.T) (received uint64, known string) {
	t.Helper()
	for before := uint64(1 << 62); ; before = received {
		if received, known = l.life(t); received > before/10*9 {
			return min(received, before), known
		}
	}
}

// TestAStartReadsAsMuchOfALongLogAsOfAShortOne starts every role, gateway,
// session logs and search beside ten times as many closed sessions, and without
// snapshots. The figures in docs/performance.md are those of SLOP_LOAD=full.
func TestAStartReadsAsMuchOfALongLogAsOfAShortOne(t *testing.T) { //nolint:paralleltest // it sets the environment
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	counts, rounds := []int{8, 80}, 4
	if os.Getenv("SLOP_LOAD") == "full" {
		counts, rounds = []int{50, 500}, 36
	}
	var read []uint64
	for _, sessions := range counts {
		l := newLongLog(t, sessions, rounds)
		n, known := l.settle(t)
		read = append(read, n)
		server := l.open(t)
		require.NotZero(t, bustest.ForgetSnapshots(t, server))
		require.NoError(t, server.Close())
		whole, again := l.life(t)
		require.Equal(t, known, again)
		require.Greater(t, whole, n)
	}
	t.Logf("%d bytes come to an engine beside %d closed sessions, %d beside %d", read[0], counts[0], read[1], counts[1])
	require.Less(t, read[1], read[0]+read[0]/4)
}
