package runtime_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

func TestCallWhoseClaimWasLostGoesToAPersonAndDoesNotRun(t *testing.T) {
	t.Parallel()
	for tool, c := range map[string]struct{ effect, args string }{
		"run_powershell": {"executes", `{"script":"echo run >> runs.log"}`},
		"edit_file":      {"writes", `{"path":"a.txt","old_string":"hello","new_string":"bye"}`},
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			args := json.RawMessage(c.args)
			digest, err := events.CanonicalDigest(args)
			require.NoError(t, err)
			e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
				Actor: events.ActorApproval, N: 1},
				events.ToolApproved{Call: "c", Tool: tool, Args: args, ArgsSHA256: digest, Effect: c.effect, Generation: 1,
					TimeoutMS: 20_000})
			require.NoError(t, err)
			worker := w.worker("worker-test-1")
			lost, err := json.Marshal(bus.LostClaim{Worker: bus.LostWorker, Generation: 1, Lost: true})
			require.NoError(t, err)
			_, err = worker.Claims.CreateClaim(t.Context(), session+".c", lost)
			require.NoError(t, err)
			worker.Queue = handed{e, 1}
			require.NoError(t, worker.Run(t.Context(), 1))
			require.False(t, w.has("runs.log"))
			got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "hello\n", string(got))
			last, found, err := w.connect(bus.Role{Kind: bus.Reader}).LastEvent(t.Context(), events.Filter{Project: project,
				Actor: "worker-test-1"})
			require.NoError(t, err)
			require.True(t, found)
			events.Catalogue().Decode(&last)
			require.Equal(t, events.ToolInterrupted, last.Payload.(events.ToolSettled).Outcome)
		})
	}
}
