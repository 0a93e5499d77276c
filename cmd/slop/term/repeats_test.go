package term

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRetriesAreLoggedOnceInTenSeconds(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	log := slog.New(slog.NewTextHandler(&repeats{out: &out, clock: func() time.Time { return now }}, nil))
	for range 100 {
		log.Warn("append failed; retrying", "error", "no bus")
		now = now.Add(repeatPause / 100)
	}
	log.Warn("append failed; retrying", "error", "another one")
	log.Warn("append failed; retrying", "error", "no bus")
	log.Warn("append failed; retrying", "error", "no bus")

	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	require.True(t, strings.HasSuffix(lines[0], `error="no bus"`), lines[0])
	require.True(t, strings.HasSuffix(lines[1], `error="another one"`), lines[1])
	require.True(t, strings.HasSuffix(lines[2], `error="no bus" held_back=99`), lines[2])
}

func TestRememberedLinesAreBounded(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Unix(0, 0)
	r := &repeats{out: &out, clock: func() time.Time { return now }}
	for i := range maxRepeats + 1 {
		_, err := fmt.Fprintf(r, "time=0 line %d\n", i)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(r.said), maxRepeats)
	require.Equal(t, maxRepeats+1, strings.Count(out.String(), "\n"), "no line is lost")
}
