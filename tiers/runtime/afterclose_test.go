package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/runtime"
)

// runsLong says something, changes a file and would go on for long.
const runsLong = `{"script":"echo said; printf run >> runs.log; sleep 30; printf late > late.txt"}`

// TestClosingASessionStopsItsRunningScript and keeps what it said and changed,
// so that it can be undone.
func TestClosingASessionStopsItsRunningScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.yesToAll()
	w.startWithoutWorker(oneCall("run_powershell", runsLong))
	worker := w.noticing("worker-test-1", t.TempDir())
	w.run(worker)
	w.say(events.GoalSubmitted{Goal: "g"})
	w.awaitFile("runs.log")
	w.say(events.SessionClosed{Reason: "closed by hand"})
	worker.Rest(t.Context(), session)
	_, settled, err := w.person.LastEvent(t.Context(), events.Filter{Project: project, Session: session,
		Actor: "worker-test-1", Type: "ToolSettled"})
	require.NoError(t, err)
	require.True(t, settled, "an engine that ends now lost nothing")
	got := w.settled("run_powershell")
	require.Equal(t, events.ToolKilled, got.Outcome)
	require.Contains(t, got.Text, "session was closed")
	require.Less(t, got.DurationMS, int64(20_000))
	require.Contains(t, string(got.Data), `"stdout":"said\n"`)
	require.Contains(t, string(got.Data), `"artifacts"`, "whole, however long it is")
	info, err := os.Stat(filepath.Join(w.dir, "runs.log"))
	require.NoError(t, err)
	require.Equal(t, []events.FileState{{Path: "runs.log", SHA256: events.Digest([]byte("run")), Size: 3, Written: true,
		Mode: uint32(info.Mode())}}, got.Files)
	_, err = replay.Verify(w.until(isType("ToolSettled")), machines()...)
	require.NoError(t, err)
	done, refused := w.undo(events.UndoRequested{Call: got.Call})
	require.Empty(t, refused)
	require.Equal(t, events.ToolDone, done.Outcome, done.Text)
	require.False(t, w.has("runs.log"))
}

// died is a store of claims whose worker dies when it would record an outcome.
type died struct {
	runtime.Claims
	dies context.CancelFunc
}

func (d died) UpdateClaim(context.Context, string, []byte, uint64) (uint64, error) {
	d.dies()
	return 0, events.ErrClosed
}

// diedLater is a log whose worker dies when it would say an outcome that its claim holds.
type diedLater struct {
	runtime.OwnLog
	dies context.CancelFunc
}

func (d diedLater) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	if e.Type != (events.ToolSettled{}).EventType().Name {
		return d.OwnLog.Append(ctx, e, x)
	}
	d.dies()
	return 0, events.ErrClosed
}

// TestAWorkerThatDiesAfterTheCloseLeavesACallThatIsNotRunAgain wherever it dies.
func TestAWorkerThatDiesAfterTheCloseLeavesACallThatIsNotRunAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dies func(*runtime.Worker, context.CancelFunc)
		data string
	}{
		"before its claim says the outcome": {func(w *runtime.Worker, dies context.CancelFunc) {
			w.Claims = died{w.Claims,
				dies}
		}, ""},
		"behind it": {func(w *runtime.Worker, dies context.CancelFunc) { w.Log = diedLater{w.Log, dies} }, "said"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			call := w.decided(events.ActorApproval, approvedCall("run_powershell", runsLong))
			ctx, cancel := context.WithCancel(t.Context())
			first := w.worker("worker-test-1")
			c.dies(first, cancel)
			first.Queue = handed{call, 1}
			over := make(chan error, 1)
			go func() { over <- first.Run(ctx, 1) }()
			w.awaitFile("runs.log")
			w.say(events.SessionClosed{Reason: "closed by hand"})
			require.Error(t, <-over)
			w.runWorker("worker-test-2")
			got := w.settled("run_powershell")
			require.Equal(t, events.ToolKilled, got.Outcome)
			require.Contains(t, got.Text, "session was closed")
			require.Contains(t, string(got.Data), c.data)
			require.True(t, got.Unseen, "nobody looked what it changed")
			ran, err := os.ReadFile(filepath.Join(w.dir, "runs.log"))
			require.NoError(t, err)
			require.Equal(t, "run", string(ran))
		})
	}
}

// TestAWriteThatAClosedSessionLeftInTheMiddleIsNotTakenUpAgain has claims of a worker that died.
func TestAWriteThatAClosedSessionLeftInTheMiddleIsNotTakenUpAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, now, outcome string
		unseen             bool
	}{
		{"untouched", "hello\n", events.ToolKilled, false},
		{"in place", "hello world\n", events.ToolDone, false},
		{"a third content", "somebody else\n", events.ToolKilled, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": c.now})
			w.open(nil)
			call := w.decided(events.ActorApproval, approvedCall("edit_file",
				`{"path":"a.txt","old_string":"hello","new_string":"hello world"}`))
			w.claimFor(&call, call.Payload.(events.ToolApproved), "hello\n", "hello world\n")
			w.say(events.SessionClosed{Reason: "closed by hand"})
			w.runWorker("worker-test-1")
			got := w.settled("edit_file")
			require.Equal(t, c.outcome, got.Outcome, got.Text)
			require.Equal(t, c.unseen, got.Unseen)
			content, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, c.now, string(content))
		})
	}
}

// closing is a store of claims in which the session is closed when an undo is
// claimed, which goes on once the script beside it is stopped.
type closing struct {
	runtime.Claims
	close func()
}

func (c closing) CreateClaim(ctx context.Context, key string, value []byte) (uint64, error) {
	if strings.Contains(key, "undo") {
		c.close()
	}
	return c.Claims.CreateClaim(ctx, key, value)
}

func TestAnUndoIsNotCutOffByTheEndOfItsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "new"})
	w.open(nil)
	worker := w.noticing("worker-test-1", t.TempDir())
	worker.Claims = closing{worker.Claims, func() {
		w.say(events.SessionClosed{Reason: "closed by hand"})
		w.settled("run_powershell")
	}}
	old, err := w.person.Put(t.Context(), []byte("old"), "text/plain")
	require.NoError(t, err)
	w.run(worker)
	w.decided(events.ActorApproval, approvedCall("run_powershell", runsLong))
	w.awaitFile("runs.log")
	undo := approvedCall(events.RestoreTool, `{"files":[{"path":"a.txt","before":"`+events.Digest([]byte("new"))+
		`","after":"`+old.SHA256+`"}]}`)
	undo.Call = "undo-1"
	w.decided(events.ActorApproval, undo)
	got := w.settled(events.RestoreTool)
	require.Equal(t, events.ToolDone, got.Outcome, got.Text)
	content, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
}

// TestCloseOfANewerVersionDoesNotHideTheOneBeforeIt closes a session twice.
func TestCloseOfANewerVersionDoesNotHideTheOneBeforeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.say(events.SessionClosed{Reason: "by hand"})
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session, Actor: person},
		events.SessionClosed{Reason: "again"})
	require.NoError(t, err)
	e.V = 99
	_, err = w.person.Append(t.Context(), e, nil)
	require.NoError(t, err)
	w.handTo("worker-test-1", w.decided(events.ActorApproval, approvedCall("run_powershell",
		`{"script":"echo run > ran.txt"}`)))
	require.Equal(t, events.ToolFailed, w.settled("run_powershell").Outcome)
	require.False(t, w.has("ran.txt"))
}
