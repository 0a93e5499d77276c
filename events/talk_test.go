package events_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestWhatIsAttachedHasLimits(t *testing.T) {
	t.Parallel()
	of := func(entries ...events.TurnEntry) error {
		return events.TalkAttached{To: "G", Discussion: "main", Entries: entries}.Check()
	}
	sized := func(size int64) events.TurnEntry { return events.TurnEntry{From: "E", SHA256: "ab", Size: size} }
	require.NoError(t, of(sized(events.MaxTalkBytes)))
	require.ErrorContains(t, of(sized(events.MaxTalkBytes), sized(1)),
		"the discussion is 524289 bytes long, at most 524288")
	require.ErrorContains(t, of(sized(1<<62), sized(1<<62)), "the discussion is")
	require.NoError(t, of(events.TurnEntry{View: events.ViewImage, SHA256: "ab", Size: 1 << 62}), "an image is not text")
	require.NoError(t, of(events.TurnEntry{Text: strings.Repeat("x", events.MaxTurnInline)}))
	require.ErrorContains(t, of(events.TurnEntry{Text: strings.Repeat("x", events.MaxTurnInline+1)}), "at most 131072")
	require.NoError(t, of(make([]events.TurnEntry, events.MaxTurnEntries)...))
	require.ErrorContains(t, of(make([]events.TurnEntry, events.MaxTurnEntries+1)...), "at most 1024")
	require.ErrorContains(t, of(), "the discussion is empty")
	require.ErrorContains(t, events.TalkAttached{Discussion: "main"}.Check(), "it names no discussion")
}

func TestTheTrackOfAGoalHasATitleOfLimitedLength(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Mend it", events.GoalTrack("G", "\n Mend it\nnow").Title)
	require.Equal(t, strings.Repeat("x", 79), events.GoalTrack("G", strings.Repeat("x", 79)+"é").Title)
}
