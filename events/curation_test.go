package events_test

import (
	"strconv"
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
