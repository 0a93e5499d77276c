package runtime_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// attemptCall is an approved script of an attempt at T-1.
func attemptCall(attempt int, script string) events.ToolApproved {
	call := approvedCall("run_powershell", `{"script":"`+script+`"}`)
	call.Ticket, call.Attempt = "T-1", attempt
	return call
}

// TestCallOfAKilledTicketDoesNotRunInAWorkerThatStartsLater has a worker that
// hears nothing live: it reads the kill from the log.
func TestCallOfAKilledTicketDoesNotRunInAWorkerThatStartsLater(t *testing.T) {
	t.Parallel()
	killed := events.TicketKilled{Ticket: "T-1", Attempt: 1, By: person}
	for name, c := range map[string]struct {
		order   []events.Payload
		outcome string
	}{
		"approved before the kill": {[]events.Payload{attemptCall(1, "echo run > ran.txt"), killed}, events.ToolKilled},
		"approved behind the kill": {[]events.Payload{killed, attemptCall(1, "echo run > ran.txt")}, events.ToolKilled},
		"of the next attempt":      {[]events.Payload{killed, attemptCall(2, "echo run > ran.txt")}, events.ToolDone},
		"another ticket was killed last": {[]events.Payload{killed, events.TicketKilled{Ticket: "T-2", Attempt: 9},
			attemptCall(1, "echo run > ran.txt")}, events.ToolKilled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			for _, p := range c.order {
				if _, ok := p.(events.ToolApproved); ok {
					w.decided(events.ActorApproval, p)
				} else {
					w.decided(events.ActorConductor, p)
				}
			}
			w.runWorker("worker-test-1")
			got := w.settled("run_powershell")
			require.Equal(t, c.outcome, got.Outcome, got.Text)
			require.Equal(t, c.outcome == events.ToolDone, w.has("ran.txt"))
		})
	}
}

// TestAMissedKillIsMadeUpForFromTheLog runs a script in a worker that hears of
// no kill live.
func TestAMissedKillIsMadeUpForFromTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.runWorker("worker-test-1")
	w.decided(events.ActorApproval, attemptCall(1, "echo on > on.txt; sleep 60; echo late > late.txt"))
	w.awaitFile("on.txt")
	w.decided(events.ActorConductor, events.TicketKilled{Ticket: "T-1", Attempt: 1, By: person})
	require.Equal(t, events.ToolKilled, w.settled("run_powershell").Outcome)
	require.False(t, w.has("late.txt"))
}

// atWork says that every worker is at work.
type atWork struct{}

func (atWork) Holds(_ context.Context, _, worker, _ string, _ uint64) (bool, error) {
	return worker == "worker-test-1", nil
}

func (atWork) Gone(_ context.Context, _, worker, _ string) (bool, error) {
	return worker != "worker-test-1", nil
}

// TestASilentWorkerThatIsAtWorkIsNotInterrupted hands a call to a second worker
// while the first one runs it: a busy machine was silent for longer than the lease.
func TestASilentWorkerThatIsAtWorkIsNotInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.runWorker("worker-test-1")
	call := w.decided(events.ActorApproval, attemptCall(1, "echo on >> on.txt; until [ -e go ]; do sleep 0.05; done"))
	w.awaitFile("on.txt")
	second := w.worker("worker-test-2")
	second.Peers, second.Queue = atWork{}, handed{call, 2}
	var later *events.NotBeforeError
	require.ErrorAs(t, second.Run(t.Context(), 1), &later)
	w.write("go", "now")
	require.Equal(t, events.ToolDone, w.settled("run_powershell").Outcome)
}
