package conversation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conversation"
)

// TestNothingIsShortenedThatWouldNotBeShorter holds for the words that tell of a
// cut, which have a length of their own.
func TestNothingIsShortenedThatWouldNotBeShorter(t *testing.T) {
	t.Parallel()
	const least = conversation.ResultHead + 256
	for size, cuts := range map[int64]bool{256: false, 257: true, least: true, least + 1: true} {
		th := &conversation.Thread{}
		th.Show("a", named("user", "a", size))
		require.True(t, th.Refused(asked, tooLong))
		cut, err := th.Fit(to(1<<20), nil)
		require.Equal(t, cuts, err == nil, "a view of %d bytes", size)
		if cuts {
			require.Less(t, cut.After, cut.Before)
		}
	}
	for size, head := range map[int64]int{least: 0, least + 1: conversation.ResultHead} {
		th := &conversation.Thread{}
		th.Open(events.Part{Role: "user", Text: "go"})
		round(th, 1, size)
		require.True(t, th.Refused(asked, tooLong))
		cut, err := th.Fit(to(1<<20), nil)
		require.Equal(t, head > 0, err == nil, "a result of %d bytes", size)
		if cut != nil {
			require.Equal(t, head, cut.Shortened[0].Head)
		}
	}
}

func TestATextIsMeasuredInTheCharactersInWhichItIsCut(t *testing.T) {
	t.Parallel()
	const most = conversation.ResultHead + 256
	for characters, head := range map[int]int{most: 0, most + 1: conversation.ResultHead} {
		th := &conversation.Thread{}
		th.Show("what it says", events.Part{Role: "user", Text: strings.Repeat("世", characters)})
		require.Equal(t, head, fitted(t, th, size(th)-50).Views[0].Head, "of %d characters", characters)
	}
}
