package conversation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conversation"
)

// TestWhatStaysOfACountedPromptHasItsShareOfTheCount holds whatever the provider
// makes of a byte: taking off a quarter of the bytes instead, a provider that
// counts few tokens would be left with fewer than none, and one that counts many
// would lose more than it takes.
func TestWhatStaysOfACountedPromptHasItsShareOfTheCount(t *testing.T) {
	t.Parallel()
	const bytes = 400_000
	for _, counted := range []int64{bytes / 8, bytes / 4, bytes} {
		th := &conversation.Thread{}
		th.Show("a", named("user", "a", bytes/2))
		th.Show("b", named("user", "b", bytes/2))
		th.Heard(&conversation.Offers{}, asked, nil, "01X", events.ModelReplied{Usage: events.Usage{Input: counted}})
		require.Equal(t, counted, size(th))
		cut := fitted(t, th, counted*8/10)
		require.Len(t, cut.Views, 1, "one view is more than has to go")
		left := bytes/2 + conversation.ResultHead + int64(len(th.Parts()[1].Suffix))
		require.Equal(t, counted*left/bytes, cut.After)
	}
}
