package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestAScriptThatEndedBeforeTheStopIsSettled stops a worker after its script came
// to its end and before the outcome was recorded.
func TestAScriptThatEndedBeforeTheStopIsSettled(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{"echo run >> runs.log; echo ENDED": events.ToolDone,
		"echo run >> runs.log; echo ENDED; exit 3": events.ToolFailed} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			w.yesToAll()
			w.startWithoutWorker(oneCall("run_powershell", `{"script":"`+script+`"}`))
			first := w.worker("worker-test-1")
			ctx, cancel := context.WithCancel(context.Background())
			first.Mask = func(text []byte) []byte { // the first thing that happens to what a script wrote
				if w.has("runs.log") {
					cancel()
				}
				return text
			}
			var wg sync.WaitGroup
			wg.Go(func() { _ = first.Run(ctx, 4) })
			w.say(events.GoalSubmitted{Goal: "g"})
			wg.Wait()
			log := w.until(isType("ToolSettled"))
			p := log[len(log)-1].Payload.(events.ToolSettled)
			require.Equal(t, want, p.Outcome)
			require.Contains(t, p.Text, "ENDED")
			w.runWorker("worker-test-2")
			for _, e := range w.until(isType("GoalCompleted")) {
				require.NotEqual(t, "AskRaised", e.Type)
			}
			runs, err := os.ReadFile(filepath.Join(w.dir, "runs.log"))
			require.NoError(t, err)
			require.Equal(t, "run\n", string(runs))
		})
	}
}
