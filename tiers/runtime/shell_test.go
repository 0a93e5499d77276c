package runtime_test

import (
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

func TestKillingATicketEndsItsRunningScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.yesToAll()
	w.startWithoutWorker(oneCall("run_powershell", `{"script":"echo up > up.txt; sleep 30"}`))
	w.runHearing("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "g"})
	w.awaitFile("up.txt")
	w.say(events.KillRequested{Ticket: "T-1"})
	log := w.until(isType("ToolSettled"))
	p, ok := log[len(log)-1].Payload.(events.ToolSettled)
	require.True(t, ok)
	require.Equal(t, events.ToolKilled, p.Outcome)
	w.until(isType("GoalFailed"))
}
