package runtime_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestAScriptIsKilledAtTheApprovedTimeLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(func(s *events.Settings) { s.ToolTimeoutMS = 200 })
	w.yesToAll()
	w.start(oneCall("run_powershell", `{"script":"sleep 30"}`))
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.until(isType("ToolSettled"))
	p, ok := log[len(log)-1].Payload.(events.ToolSettled)
	require.True(t, ok)
	require.Equal(t, events.ToolFailed, p.Outcome)
	require.Contains(t, p.Text, "timed out after")
	require.Less(t, p.DurationMS, int64(20_000))
}

func TestAScriptIsKilledAtTheTimeLimitThatItsCallNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(func(s *events.Settings) { s.ToolTimeoutMS = 60_000; s.MaxToolTimeoutMS = 90_000 })
	w.yesToAll()
	w.start(oneCall("run_powershell", `{"script":"sleep 300","timeout_s":1}`))
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.until(isType("ToolSettled"))
	p, ok := log[len(log)-1].Payload.(events.ToolSettled)
	require.True(t, ok)
	require.Contains(t, p.Text, "timed out after 1s")
}

// TestAKilledTicketEndsItsScriptAndBeginsNoOther has a round ask for two scripts,
// of a worker that runs one at a time.
func TestAKilledTicketEndsItsScriptAndBeginsNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.yesToAll()
	w.startWithoutWorker(strings.Replace(oneCall("run_powershell", `{"script":"echo up > up.txt; sleep 30"}`), `}]}}`,
		`},{"name":"run_powershell","args":{"script":"echo late > late.txt"}}]}}`, 1))
	w.runHearing("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "g"})
	w.awaitFile("up.txt")
	w.untilCount(isType("ToolApproved"), 2)
	w.say(events.KillRequested{Ticket: "T-1"})
	for _, e := range w.untilCount(isType("ToolSettled"), 2) {
		if p, ok := e.Payload.(events.ToolSettled); ok {
			require.Equal(t, events.ToolKilled, p.Outcome)
		}
	}
	require.NoFileExists(t, filepath.Join(w.dir, "late.txt"))
	w.until(isType("GoalFailed"))
}

func TestTheWholeOutputOfAScriptIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.yesToAll()
	w.start(oneCall("run_powershell", `{"script":"seq 1 100000; echo little >&2"}`))
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.until(isType("ToolSettled"))
	p, ok := log[len(log)-1].Payload.(events.ToolSettled)
	require.True(t, ok)
	var twin struct {
		Artifacts []struct {
			Name string
			events.BlobRef
		}
	}
	require.NoError(t, json.Unmarshal(p.Data, &twin))
	require.Len(t, twin.Artifacts, 1, "the answer has all of the other stream")
	require.Equal(t, "stdout", twin.Artifacts[0].Name)
	require.EqualValues(t, 588895, twin.Artifacts[0].Size)
	body, err := w.person.Get(t.Context(), twin.Artifacts[0].SHA256)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(body), "1\n2\n"))
	require.True(t, strings.HasSuffix(string(body), "\n99999\n100000\n"))
}
