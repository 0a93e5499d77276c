package work

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestTheNewestFailedShellCallIsPatchedWhereNoneIsNamed(t *testing.T) {
	t.Parallel()
	settled := func(call, outcome, interpreter string) events.Event {
		return events.Event{Payload: events.ToolSettled{Call: call, Outcome: outcome, Interpreter: interpreter}}
	}
	past := []events.Event{settled("a", events.ToolFailed, "bash"), settled("b", events.ToolFailed, "bash"),
		settled("c", events.ToolDone, "bash"), settled("d", events.ToolFailed, "")}
	call, err := failedCall(past, "")
	require.NoError(t, err)
	require.Equal(t, "b", call)
	call, err = failedCall(past, "a")
	require.NoError(t, err)
	require.Equal(t, "a", call)
	for _, none := range []string{"c", "d", "x"} {
		_, err = failedCall(past, none)
		require.ErrorContains(t, err, "the newest failed calls: b, a")
	}
	_, err = failedCall(past[2:], "")
	require.ErrorContains(t, err, "nothing to fix")
}
