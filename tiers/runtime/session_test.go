package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/runtime"
)

// writes is a script in which one ticket changes a file and runs a command that fails once.
const writes = `
{"tier":1,"reply":{"text":"Here is the plan: [{\"id\":\"TR-1\",\"description\":\"greet\"}] Good luck."}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"greet the world\",\"target_file\":\"a.txt\"}]"}}
{"tier":3,"ticket":"T-1","reply":{"tool_calls":[{"name":"read_file","args":{"path":"a.txt"}},{"name":"run_powershell","args":{"script":"echo broken >&2; exit 3"}}]}}
{"tier":4,"reply":{"text":"the script exits with 3"}}
{"tier":3,"ticket":"T-1","contains":"QA ANALYSIS","reply":{"tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"hello","new_string":"hello world","replace_all":false}}]}}
{"tier":3,"ticket":"T-1","contains":"[SYSTEM: FILES UPDATED]","reply":{"text":"DONE: greeted"}}
`

func TestAGoalBecomesFinishedWorkAndEveryChangeHadItsYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.start(writes)
	goal := w.say(events.GoalSubmitted{Goal: "greet"})
	answered := map[string]bool{}
	log := w.until(func(e *events.Event) bool {
		if p, ok := e.Payload.(events.AskRaised); ok && !answered[p.Ask] {
			answered[p.Ask] = true
			w.say(events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
		}
		p, ok := e.Payload.(events.GoalCompleted)
		return ok && p.Goal == goal
	})
	got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "hello world\n", string(got))
	require.Len(t, answered, 2, "the shell and the edit asked, the read did not")
	approvedBy := map[string]string{}
	for _, e := range log {
		if p, ok := e.Payload.(events.ToolApproved); ok {
			approvedBy[p.Tool] = p.By
		}
	}
	require.Equal(t, map[string]string{"read_file": "rule", "run_powershell": person, "edit_file": person}, approvedBy)
}

// TestACallThatDidNotBeginIsNotRunAfterItsSession whoever said yes to it, before
// the end or behind it, because the decider had not heard of it.
func TestACallThatDidNotBeginIsNotRunAfterItsSession(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ tool, args string }{
		{"run_powershell", `{"script":"printf x > made.txt"}`},
		{"edit_file", `{"path":"a.txt","old_string":"a","new_string":"b"}`},
		{"read_file", `{"path":"a.txt"}`},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "a"})
			w.open(nil)
			tool := c.tool
			if i > 0 {
				w.decided(events.ActorApproval, approvedCall(tool, c.args))
			}
			w.say(events.SessionClosed{Reason: "closed by hand"})
			if i == 0 {
				w.decided(events.ActorApproval, approvedCall(tool, c.args))
			}
			w.runWorker("worker-test-1")
			got := w.settled(tool)
			require.Equal(t, events.ToolFailed, got.Outcome, got.Text)
			require.Contains(t, got.Text, "session was closed")
			require.False(t, w.has("made.txt"))
		})
	}
}

// late is a log in which no session is seen to be closed, as for a worker that
// looked a moment before and then stood still.
type late struct{ runtime.OwnLog }

func (l late) LastEvent(ctx context.Context, f events.Filter) (events.Event, bool, error) {
	if f.Type == (events.SessionClosed{}).EventType().Name {
		return events.Event{}, false, nil
	}
	return l.OwnLog.LastEvent(ctx, f)
}

func TestAWorkerThatWasSlowDoesNotBeginACallThatIsAnsweredAsTooLate(t *testing.T) {
	t.Parallel()
	for tool, args := range map[string]string{
		"run_powershell": `{"script":"printf x > made.txt"}`,
		"edit_file":      `{"path":"a.txt","old_string":"a","new_string":"b"}`,
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "a"})
			w.open(nil)
			call := w.decided(events.ActorApproval, approvedCall(tool, args))
			w.say(events.SessionClosed{Reason: "closed by hand"})
			w.runWorker("worker-test-1")
			require.Contains(t, w.settled(tool).Text, "session was closed")
			slow := w.worker("worker-test-2")
			slow.Log, slow.Queue = late{slow.Log}, handed{call, 2}
			require.NoError(t, slow.Run(t.Context(), 1))
			require.False(t, w.has("made.txt"))
			got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "a", string(got))
		})
	}
}

// approvedCall is the yes to a call.
func approvedCall(tool, args string) events.ToolApproved {
	digest, err := events.CanonicalDigest([]byte(args))
	if err != nil {
		panic(err)
	}
	return events.ToolApproved{Call: "c1", Tool: tool, Args: []byte(args), ArgsSHA256: digest, Generation: 1}
}
