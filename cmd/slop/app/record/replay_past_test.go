package record

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// TestEventsOfAPastSessionAreReadAgain from the store and from the file that
// slop export writes, each as it was.
func TestEventsOfAPastSessionAreReadAgain(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	g := &site.Flags{Terminal: term.Terminal{Quiet: true}, ProjectDir: t.TempDir()}
	p, err := g.Place()
	require.NoError(t, err)
	require.NoError(t, p.Claim())
	const session = "01K2X8D4T0Q4V7N2C5M3B9R6ZY"
	var written []events.Event
	for n := range 12 {
		var said events.Payload = events.GoalSubmitted{Goal: "goal " + strconv.Itoa(n)}
		if n == 0 {
			said = events.SessionOpened{Folder: "20260102_030405"}
		}
		e, err := events.New(events.Origin{ID: "e-" + strconv.Itoa(n), Time: time.Now().UTC(), Project: p.Name,
			Session: session, Actor: p.Person}, said)
		require.NoError(t, err)
		written = append(written, e)
	}
	server, err := bus.Open(t.Context(), bus.Config{Dir: p.Data, Project: p.Name, Durability: bus.Relaxed})
	require.NoError(t, err)
	bustest.Fill(t, server, p.Name, written)
	require.NoError(t, server.Close())

	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, exportSession(t.Context(), g, session, file))
	for _, word := range []string{session, file} {
		past, err := readPast(t.Context(), g, word, true)
		require.NoError(t, err, word)
		var all []events.Event
		require.NoError(t, past.each(t.Context(), func(e events.Event) { all = append(all, e) }))
		require.Len(t, all, len(written))
		for _, want := range all {
			got, err := past.again(want.Seq)
			require.NoError(t, err)
			require.Equal(t, want, *got)
		}
		_, err = past.again(all[len(all)-1].Seq + 1000)
		require.Error(t, err)
		past.close()
	}
}
