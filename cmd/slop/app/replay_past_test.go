package app

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestEventsOfAPastSessionAreReadAgain from the store and from the file that
// slop export writes, each as it was.
func TestEventsOfAPastSessionAreReadAgain(t *testing.T) { //nolint:paralleltest // it sets the environment
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	m := newCrew(t, reading(t, 3), nil)
	m.reach(t, "read")
	require.NoError(t, m.close())
	g := &globals{in: bytes.NewReader(nil), out: &bytes.Buffer{}, err: &bytes.Buffer{}, quiet: true, projectDir: m.project, dataDir: m.data}
	p, err := g.place()
	require.NoError(t, err)
	require.NoError(t, g.adopt(p, true))
	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, g.export(t.Context(), m.voice.session, file))
	for _, word := range []string{m.voice.session, file} {
		past, err := g.readPast(t.Context(), word, true)
		require.NoError(t, err, word)
		var all []events.Event
		require.NoError(t, past.each(t.Context(), func(e events.Event) { all = append(all, e) }))
		require.Greater(t, len(all), 10)
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
