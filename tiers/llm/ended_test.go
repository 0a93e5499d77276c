package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// TestWhatCameOfAReplyThatEndedEarlyIsCounted has a vendor that counts the prompt
// at the beginning and the reply at its end, which never comes.
func TestWhatCameOfAReplyThatEndedEarlyIsCounted(t *testing.T) {
	t.Parallel()
	stream := func(chunks ...llm.Chunk) func(func(llm.Chunk, error) bool) {
		return func(yield func(llm.Chunk, error) bool) {
			for _, c := range chunks {
				if !yield(c, nil) {
					return
				}
			}
			yield(nil, llm.Incomplete("it broke off"))
		}
	}
	counted := llm.Usage(events.Usage{Input: 900, CacheRead: 50, Output: 1})
	reply, err := llm.Collect(stream(counted, llm.TextDelta(strings.Repeat("abcd", 100)), llm.CallBegin{Name: "edit"},
		llm.CallArgs{Text: strings.Repeat("abcd", 49)}), nil)
	require.Error(t, err)
	require.Equal(t, events.Usage{Input: 900, CacheRead: 50, Output: 150, Estimated: true}, reply.Usage)

	reply, err = llm.Collect(stream(llm.Usage(events.Usage{Input: 900, Output: 200}), llm.TextDelta("abcd")), nil)
	require.Error(t, err)
	require.Equal(t, events.Usage{Input: 900, Output: 200}, reply.Usage, "the vendor counted more")
}
