package events_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestTheSumOfAManifestIsItsDigestHoweverItContinues(t *testing.T) {
	t.Parallel()
	part := func(text string) events.Part { return events.Part{Role: "user", Text: text} }
	refresh := events.Part{Role: "user", Kind: events.PartRefresh, Text: "new"}
	big := events.Part{Role: "user", Size: 1 << 60}
	sum, last := events.ManifestSum{}, []events.Part(nil)
	for i, next := range [][]events.Part{
		nil, {}, {refresh}, {part("a")}, {part("a"), part("b")}, {part("a"), part("b"), refresh}, {part("a"), part("b"),
			part("c"), refresh},
		{part("a"), part("x")}, {part("a"), part("x"), big}, {part("a"), part("x"), big, part("d")}, {part("a"), part("x")},
		{part("y")},
	} {
		keep := 0
		for keep < min(len(last), len(next)) && last[keep] == next[keep] {
			keep++
		}
		want, err := events.ManifestDigest(next)
		require.NoError(t, err)
		got, then, err := sum.Of(next, keep)
		require.NoError(t, err)
		require.Equal(t, want, got, i)
		again, _, err := sum.Of(next, keep)
		require.NoError(t, err)
		require.Equal(t, want, again, "the state before stays as it was")
		sum, last = then, next
	}
}
