package runtime_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// atTheEnd has a session worked on until the snapshot stands at its newest event,
// the tenth, and returns the id of that.
func (o *office) atTheEnd() string {
	o.t.Helper()
	say1(o.t, o.log, "S1", events.SessionOpened{})
	o.start()
	for range 4 {
		o.works("S1")
	}
	last := say1(o.t, o.log, "S1", events.ToolsOffered{})
	require.Eventually(o.t, func() bool {
		o.shelf.mu.Lock()
		defer o.shelf.mu.Unlock()
		return bytes.Contains(o.shelf.kept["states."+project+".S1.conductor"], []byte(last))
	}, eventstest.Patience, time.Millisecond)
	o.stop()
	return last
}

// TestASnapshotOfAnotherLogAtTheNewestEventIsDiscarded has the snapshots of a log
// that was as long, as a power cut leaves them.
func TestASnapshotOfAnotherLogAtTheNewestEventIsDiscarded(t *testing.T) {
	t.Parallel()
	one, other := newOffice(t), newOffice(t)
	require.NotEqual(t, other.atTheEnd(), one.atTheEnd())
	one.shelf.kept = other.shelf.kept
	var said bytes.Buffer
	one.logger = slog.New(slog.NewTextHandler(&said, nil))
	one.log.count()
	one.start()
	read := 0
	require.Eventually(t, func() bool { // its opening and its newest event
		read += one.log.count()
		return read >= 2
	}, eventstest.Patience, time.Millisecond)
	one.works("S1")
	one.stop()
	require.Contains(t, said.String(), "snapshots discarded")
	one.requireOnce("S1")
}
