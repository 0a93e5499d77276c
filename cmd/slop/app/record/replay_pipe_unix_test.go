//go:build unix

package record

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/events"
)

func TestAFileThatIsAPipeIsRead(t *testing.T) {
	t.Parallel()
	e, err := events.New(events.Origin{ID: "e-1", Time: time.Now().UTC(), Project: "p1",
		Session: "01K2X8D4T0Q4V7N2C5M3B9R6ZY", Actor: "person-me"}, events.GoalSubmitted{Goal: "goal"})
	require.NoError(t, err)
	line, err := json.Marshal(e)
	require.NoError(t, err)
	for _, verify := range []bool{false, true} {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		_, err = w.Write(line)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		past, err := readPast(t.Context(), &site.Flags{}, fmt.Sprintf("/dev/fd/%d", r.Fd()), verify)
		require.NoError(t, err)
		defer past.close()
		var read []string
		require.NoError(t, past.each(t.Context(), func(e events.Event) { read = append(read, e.ID) }))
		require.Equal(t, []string{"e-1"}, read)
	}
}
