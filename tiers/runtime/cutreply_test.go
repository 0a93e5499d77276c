package runtime_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/llm/llmtest"
)

// TestAReplyThatWasCutIsAskedForAgainWithALargerLimit has tier 1 think and a
// ticket say more than the first limit allows.
func TestAReplyThatWasCutIsAskedForAgainWithALargerLimit(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "a"})
			const tooMuch = 4*tiers.FirstReply + 4
			var mu sync.Mutex
			limits := map[int][]int{}
			w.serveOn(t, on, func(v llmtest.View) llmtest.Turn {
				mu.Lock()
				defer mu.Unlock()
				who := whoAsks(v)
				limits[who.tier] = append(limits[who.tier], v.Limit)
				switch who.tier {
				case 1:
					turn := planned(1)
					turn.Thinking = strings.Repeat("a", tooMuch)
					return turn
				case 2:
					return planned(2, "T-1")
				}
				return llmtest.Turn{Text: "DONE: " + strings.Repeat("b", tooMuch)}
			})
			w.openOn(on)
			w.start("")
			w.say(events.GoalSubmitted{Goal: "Look."})
			log := w.untilGoalEnds(t)
			require.IsType(t, events.GoalCompleted{}, log[len(log)-1].Payload)
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, map[int][]int{1: {tiers.FirstReply, 2 * tiers.FirstReply}, 2: {tiers.FirstReply},
				3: {tiers.FirstReply, 2 * tiers.FirstReply}}, limits)
		})
	}
}
