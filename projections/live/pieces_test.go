package live_test

import (
	"crypto/rand"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections"
	"manualslop/projections/live"
)

// longClosed is a bus with a closed session whose read models take two messages
// of a stored snapshot, what they are, and the events of the session.
func longClosed(t *testing.T) (server *bus.Server, gateway *bus.Conn, want map[string]string, length int64) {
	t.Helper()
	server = bustest.Open(t)
	person := bustest.Connect(t, server, bus.Role{Kind: bus.Person, Name: "ada"})
	gateway = bustest.Connect(t, server, bus.Role{Kind: bus.Gateway})
	l := open(t, gateway, live.Options{Snapshots: gateway})
	var last uint64
	b := &eventstest.Builder{Project: project, Session: "S1"}
	say := func(p events.Payload) {
		seq, err := person.Append(patient(t), b.Event(t, "ada", p), nil)
		require.NoError(t, err)
		last = seq
		length++
	}
	say(events.SessionOpened{Folder: "20260102_030405"})
	for range 30 {
		noise := make([]byte, 48<<10)
		_, err := rand.Read(noise)
		require.NoError(t, err)
		say(events.GoalSubmitted{Goal: hex.EncodeToString(noise)})
	}
	say(events.SessionClosed{Reason: "done"})
	require.NoError(t, l.WaitFor(patient(t), last))
	require.Eventually(t, func() bool {
		var snap projections.Snapshot
		return gateway.Snapshot(t.Context(), snapshotKey, &snap) == nil && snap.Seq == last
	}, eventstest.Patience, time.Millisecond)
	return server, gateway, digest(t, l, "S1"), length
}

const snapshotKey = "folds." + project + ".S1"

func TestALongClosedSessionIsShownFromItsSnapshot(t *testing.T) {
	t.Parallel()
	_, gateway, want, _ := longClosed(t)
	log := &counting{Log: gateway}
	l := open(t, log, live.Options{Snapshots: gateway})
	start := log.read.Load()
	require.Equal(t, want, digest(t, l, "S1"))
	require.LessOrEqual(t, log.read.Load()-start, int64(1), "the event that the snapshot names")
}

// TestAHarmedSnapshotInPiecesIsFoldedAnew and gives the same read models.
func TestAHarmedSnapshotInPiecesIsFoldedAnew(t *testing.T) {
	t.Parallel()
	put := func(key string, body []byte) func(*testing.T, *bus.Server, *bus.Conn) {
		return func(t *testing.T, server *bus.Server, _ *bus.Conn) {
			t.Helper()
			bustest.Overwrite(t, server, key, body)
		}
	}
	for name, harm := range map[string]func(*testing.T, *bus.Server, *bus.Conn){
		"a piece is missing":  put(snapshotKey+".piece-1", nil),
		"a piece is damaged":  put(snapshotKey+".piece-0", []byte("x")),
		"the head is missing": put(snapshotKey, nil),
		"another version": func(t *testing.T, _ *bus.Server, gateway *bus.Conn) {
			var snap projections.Snapshot
			require.NoError(t, gateway.Snapshot(patient(t), snapshotKey, &snap))
			snap.Models[0].Version++
			require.NoError(t, gateway.PutSnapshot(patient(t), snapshotKey, &snap))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, gateway, want, length := longClosed(t)
			harm(t, server, gateway)
			log := &counting{Log: gateway}
			l := open(t, log, live.Options{Snapshots: gateway})
			start := log.read.Load()
			require.Equal(t, want, digest(t, l, "S1"))
			require.GreaterOrEqual(t, log.read.Load()-start, length)
		})
	}
}
