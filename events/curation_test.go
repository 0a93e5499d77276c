package events_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestSlicesAreAddedUpToTheirBounds(t *testing.T) {
	t.Parallel()
	slice := func(start int) events.TrackedFile {
		return events.TrackedFile{Path: "./a.go", CustomSlices: []events.FileSlice{{StartLine: start, EndLine: start}}}
	}
	var files []events.TrackedFile
	add := func(f events.TrackedFile) (reason string) {
		var with []events.TrackedFile
		if with, reason = events.WithSlices(files, f); reason == "" {
			files = with
		}
		return reason
	}
	for i := range events.MaxFileSlices {
		require.Empty(t, add(slice(i+1)))
	}
	require.Empty(t, add(slice(1)), "it takes the place of the same lines")
	require.Contains(t, add(slice(events.MaxFileSlices+1)), "16 slices already")
	for i := range events.MaxPatterns - 1 {
		require.Empty(t, add(events.TrackedFile{Path: strconv.Itoa(i)}))
	}
	require.Contains(t, add(events.TrackedFile{Path: "one more"}), "256 files already")
	require.Len(t, files, events.MaxPatterns)
}

func TestATurnHasBounds(t *testing.T) {
	t.Parallel()
	turn := events.TurnRequested{Discussion: "main", Text: "x"}
	require.NoError(t, turn.Check())
	with := func(change func(*events.TurnRequested)) error {
		p := turn
		change(&p)
		return p.Check()
	}
	var large events.LimitError
	for n, fits := range map[int]bool{events.MaxTurnEntries: true, events.MaxTurnEntries + 1: false} {
		err := with(func(p *events.TurnRequested) { p.Entries = make([]events.TurnEntry, n) })
		require.Equal(t, fits, err == nil)
		require.Equal(t, !fits, errors.As(err, &large))
	}
	for n, fits := range map[int]bool{events.MaxTurnInline: true, events.MaxTurnInline + 1: false} {
		err := with(func(p *events.TurnRequested) { p.Entries = []events.TurnEntry{{Text: strings.Repeat("x", n)}} })
		require.Equal(t, fits, err == nil)
		require.Equal(t, !fits, errors.As(err, &large))
	}
	compact := func(words string, entries int) error {
		return with(func(p *events.TurnRequested) {
			p.Compact, p.Text, p.Entries = true, words, make([]events.TurnEntry, entries)
		})
	}
	require.NoError(t, compact("", 1))
	require.NoError(t, compact(strings.Repeat("x", events.MaxCompactWords), events.MaxTurnEntries))
	require.ErrorAs(t, compact(strings.Repeat("x", events.MaxCompactWords+1), 1), &large)
	require.ErrorAs(t, compact("", events.MaxTurnEntries+1), &large)
	require.ErrorContains(t, compact("", 0), "nothing that a summary could replace")
	require.NoError(t, with(func(p *events.TurnRequested) { p.Tier = 4 }))
	require.ErrorContains(t, with(func(p *events.TurnRequested) { p.Tier = 5 }), "tiers 1 to 4")
	require.ErrorContains(t, with(func(p *events.TurnRequested) { p.Discussion = "" }), "no discussion")
}
