package runtime_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/llmtest"
)

// TestALeadReadsTheFilesItAsksFor has tier 2 ask for two files, of which one is not
// there, on every wire.
func TestALeadReadsTheFilesItAsksFor(t *testing.T) {
	t.Parallel()
	for _, on := range theWires() {
		t.Run(on.model, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"notes/a.txt": "the marmot sleeps"})
			var mu sync.Mutex
			var shown []string
			w.serveOn(t, on, func(v llmtest.View) llmtest.Turn {
				who := whoAsks(v)
				switch {
				case who.tier == 1:
					return planned(1)
				case who.tier == 2 && who.round == 1:
					return says(`{"show": ["notes/a.txt", "../outside.txt"]}`)
				case who.tier == 2:
					mu.Lock()
					defer mu.Unlock()
					shown = append(shown, v.Messages[len(v.Messages)-1].Text)
					return planned(2, "T-1")
				}
				return says("DONE: nothing to change")
			})
			w.openOn(on)
			w.start("")
			w.say(events.GoalSubmitted{Goal: "Look."})
			log := w.untilGoalEnds(t)
			require.IsType(t, events.GoalCompleted{}, log[len(log)-1].Payload)
			mu.Lock()
			defer mu.Unlock()
			require.Len(t, shown, 1)
			require.Contains(t, shown[0], "the marmot sleeps")
			require.Contains(t, shown[0], "# ../outside.txt\n\nIt cannot be shown: ")
			require.Contains(t, shown[0], "Write the plan now, or ask for files again (at most 2 times).")
		})
	}
}
