package runtime_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/runtime"
	"manualslop/tools/sandbox"
)

// ending calls end behind an event of a type, before its writer goes on.
type ending struct {
	runtime.OwnLog
	typ string
	end func()
}

func (l ending) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	seq, err := l.OwnLog.Append(ctx, e, x)
	if e.Type == l.typ {
		l.end()
	}
	return seq, err
}

// endingClaims call end behind the claim of a call.
type endingClaims struct {
	runtime.Claims
	end func()
}

func (c endingClaims) CreateClaim(ctx context.Context, key string, value []byte) (uint64, error) {
	rev, err := c.Claims.CreateClaim(ctx, key, value)
	c.end()
	return rev, err
}

// TestCallWhoseEndComesWhileItWaitsToBeginDoesNotBegin ends a call's session or
// ticket between the first look at it and its beginning, where a full disk or a
// lost bus may hold it up.
func TestCallWhoseEndComesWhileItWaitsToBeginDoesNotBegin(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		actor   string
		with    events.Payload
		outcome string
	}{
		"closed": {person, events.SessionClosed{Reason: "by hand"}, events.ToolFailed},
		"killed": {events.ActorConductor, events.TicketKilled{Ticket: "T-1", Attempt: 1, By: person}, events.ToolKilled},
	} {
		for tool, args := range map[string]string{
			"run_powershell": `{"script":"printf x > a.txt"}`,
			"edit_file":      `{"path":"a.txt","old_string":"hello","new_string":"bye"}`,
		} {
			t.Run(name+" "+tool, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, map[string]string{"a.txt": "hello\n"})
				w.open(nil)
				ends := func() {
					if end.actor == person {
						w.say(end.with)
					} else {
						w.decided(end.actor, end.with)
					}
				}
				worker := w.noticing("worker-test-1", t.TempDir())
				if tool == "edit_file" {
					worker.Claims = endingClaims{worker.Claims, ends}
				} else {
					worker.Log = ending{worker.Log, "ToolStarted", ends}
				}
				call := approvedCall(tool, args)
				call.Ticket, call.Attempt = "T-1", 1
				worker.Queue = handed{w.decided(events.ActorApproval, call), 1}
				require.NoError(t, worker.Run(t.Context(), 1))
				got := w.settled(tool)
				require.Equal(t, end.outcome, got.Outcome, got.Text)
				require.Contains(t, got.Text, "before the call began")
				require.False(t, got.Unseen)
				w.holds("a.txt", "hello\n")
			})
		}
	}
}

// holds requires the content of a file of the project.
func (w *world) holds(name, want string) {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(w.dir, name))
	require.NoError(w.t, err)
	require.Equal(w.t, want, string(content))
}

// impatient is a worker that waits for the locks of others for a moment only.
func (w *world) impatient(name string) *runtime.Worker {
	worker := w.worker(name)
	own, err := sandbox.Open(sandbox.Config{Primary: w.dir, Patience: time.Millisecond})
	require.NoError(w.t, err)
	worker.Home.Workspace = own
	return worker
}

// stoppedWriter holds the lock on the files of the project, as a process does
// that is stopped between its claim and its write.
func (w *world) stoppedWriter() (release func()) {
	other, err := sandbox.Open(sandbox.Config{Primary: w.dir})
	require.NoError(w.t, err)
	guard, err := other.Lock(w.t.Context(), "a.txt")
	require.NoError(w.t, err)
	return guard.Release
}

func TestWriteOfAStoppedWorkerIsNotSettledWhileItHoldsItsFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]string{"it dies": "hello\n", "it goes on": "hello world\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			w.open(nil)
			release := w.stoppedWriter()
			call := w.decided(events.ActorApproval, approvedCall("edit_file",
				`{"path":"a.txt","old_string":"hello","new_string":"hello world"}`))
			w.claimFor(&call, call.Payload.(events.ToolApproved), "hello\n", "hello world\n")
			worker := w.impatient("worker-test-2")
			worker.Queue = handed{call, 2}
			var later *events.NotBeforeError
			require.ErrorAs(t, worker.Run(t.Context(), 1), &later)
			require.Contains(t, later.Reason, "locked")
			require.Zero(t, w.outcomesOf("c1"))
			w.write("a.txt", c)
			release()
			worker.Queue = handed{call, 3}
			require.NoError(t, worker.Run(t.Context(), 1))
			require.Equal(t, events.ToolDone, w.settled("edit_file").Outcome)
			w.holds("a.txt", "hello world\n")
		})
	}
}

func TestWriteOfAStoppedWorkerInAClosedSessionIsNotCalledUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	defer w.stoppedWriter()()
	call := w.decided(events.ActorApproval, approvedCall("edit_file",
		`{"path":"a.txt","old_string":"hello","new_string":"hello world"}`))
	w.claimFor(&call, call.Payload.(events.ToolApproved), "hello\n", "hello world\n")
	w.say(events.SessionClosed{Reason: "by hand"})
	worker := w.impatient("worker-test-2")
	worker.Queue = handed{call, 1}
	require.NoError(t, worker.Run(t.Context(), 1))
	got := w.settled("edit_file")
	require.Equal(t, events.ToolKilled, got.Outcome)
	require.True(t, got.Unseen, "its worker may still write")
}

// TestWorkerWithoutTheToolKeepsToTheClaim has a call that another worker claimed.
func TestWorkerWithoutTheToolKeepsToTheClaim(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claim map[string]any // nil: nobody claimed it
		want  string         // empty: it is put off
	}{
		"nobody began it": {nil, events.ToolFailed},
		"it ended": {map[string]any{"ended": "done", "outcome": events.ToolSettled{
			Call: "c1", Tool: "mcp__x__send", Outcome: events.ToolDone, Text: "sent", Generation: 1}}, events.ToolDone},
		"it began": {map[string]any{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			call := w.decided(events.ActorApproval, approvedCall("mcp__x__send", `{}`))
			worker := w.worker("worker-test-2")
			if c.claim != nil {
				c.claim["worker"], c.claim["process"], c.claim["generation"], c.claim["approved"] = "worker-test-1", "rgone", 1,
					call.Seq
				value, err := json.Marshal(c.claim)
				require.NoError(t, err)
				_, err = worker.Claims.CreateClaim(t.Context(), session+".c1", value)
				require.NoError(t, err)
			}
			worker.Queue = handed{call, 1}
			err := worker.Run(t.Context(), 1)
			if c.want != "" {
				require.NoError(t, err)
				require.Equal(t, c.want, w.settled("mcp__x__send").Outcome)
				return
			}
			var later *events.NotBeforeError
			require.ErrorAs(t, err, &later)
			require.Zero(t, w.outcomesOf("c1"))
		})
	}
}

// TestWorkersOfOneNameAreToldApartByTheirProcess runs a call in one of two
// processes of one name, as two data folders on one host have.
func TestWorkersOfOneNameAreToldApartByTheirProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	first := w.worker("worker-test-1")
	first.Process = "e1"
	w.run(first)
	call := w.decided(events.ActorApproval, attemptCall(1, "echo on >> on.txt; until [ -e go ]; do sleep 0.05; done"))
	w.awaitFile("on.txt")
	second := w.worker("worker-test-1")
	second.Process, second.Peers, second.Queue = "e2", atWork{}, handed{call, 2}
	var later *events.NotBeforeError
	require.ErrorAs(t, second.Run(t.Context(), 1), &later)
	w.write("go", "now")
	require.Equal(t, events.ToolDone, w.settled("run_powershell").Outcome)
	w.holds("on.txt", "on\n")
}
