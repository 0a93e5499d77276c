package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// oneCall is a session whose only ticket makes one call and then says what it got.
func oneCall(tool, args string) string {
	return `
{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"d\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"d\"}]"}}
{"tier":3,"reply":{"tool_calls":[{"name":"` + tool + `","args":` + args + `}]}}
{"tier":4,"reply":{"text":"hint"}}
{"tier":3,"reply":{"text":"DONE: finished"}}
`
}

// runWorker runs a worker of its own until stop is called.
func (w *world) runWorker(name string) (stop func()) { return w.run(w.worker(name)) }

func (w *world) run(worker *runtime.Worker) (stop func()) { return w.runSlots(worker, 4) }

func (w *world) runSlots(worker *runtime.Worker, slots int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = worker.Run(ctx, slots) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	w.t.Cleanup(stop)
	return stop
}

func (w *world) yesToAll() {
	w.say(events.RuleAdded{Rule: events.Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}})
}

// awaitFile waits until a file of the project has content.
func (w *world) awaitFile(name string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.has(name) }, eventstest.Patience, time.Millisecond)
}

// has tells whether a file of the project has content.
func (w *world) has(name string) bool {
	info, err := os.Stat(filepath.Join(w.dir, name))
	return err == nil && info.Size() > 0
}

func TestAShellWhoseWorkerDiedIsNeverRunAgainWithoutAPersonsWord(t *testing.T) {
	t.Parallel()
	for _, answer := range []struct {
		name, decision, args, result string
		runs                         int
	}{
		{"no", events.No, "", "did not finish", 1},
		{"done", events.Yes, `{"resolution":"done"}`, "says that it is done", 1},
		{"retry", events.Yes, "", "EXIT CODE: 0", 2},
	} {
		t.Run(answer.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			w.yesToAll()
			w.startWithoutWorker(oneCall("run_powershell",
				`{"script":"echo run >> runs.log; if [ $(wc -l < runs.log) = 1 ]; then sleep 30; fi"}`))
			first := w.runWorker("worker-test-1")
			w.say(events.GoalSubmitted{Goal: "g"})
			w.awaitFile("runs.log")
			first()
			w.runWorker("worker-test-2")
			log := w.until(isType("AskRaised"))
			ask, ok := log[len(log)-1].Payload.(events.AskRaised)
			require.True(t, ok)
			require.Equal(t, events.GateInterrupted, ask.Gate, "--yes does not answer it")
			w.say(events.AskAnswered{Ask: ask.Ask, Decision: answer.decision, Args: json.RawMessage(answer.args)})
			w.until(isType("GoalCompleted"))
			runs, err := os.ReadFile(filepath.Join(w.dir, "runs.log"))
			require.NoError(t, err)
			require.Equal(t, answer.runs, strings.Count(string(runs), "run"))
		})
	}
}

// TestAChangeOutsideWhoseWorkerDiedIsNotMadeTwice has a tool that writes without a plan of files.
func TestAChangeOutsideWhoseWorkerDiedIsNotMadeTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.NoError(t, os.Mkdir(filepath.Join(w.dir, ".beads"), 0o755))
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "bd"), []byte(`#!/bin/sh
if [ "$3" = version ]; then echo '{"version":"1.3.0"}'; exit; fi
echo run >>"$BEADS_DIR/../runs.log"
[ "$(wc -l <"$BEADS_DIR/../runs.log")" -gt 1 ] || sleep 30
echo '{"id":"t-1","status":"open","title":"a"}'
`), 0o755))
	start := func(name string) (stop func()) {
		worker := w.worker(name)
		worker.Home.Shell.Inherit = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
		return w.run(worker)
	}
	w.open(nil)
	w.yesToAll()
	w.startWithoutWorker(oneCall("bd_create", `{"title":"a","description":"b"}`))
	first := start("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "g"})
	w.awaitFile("runs.log")
	first()
	start("worker-test-2")
	log := w.until(isType("AskRaised"))
	ask, ok := log[len(log)-1].Payload.(events.AskRaised)
	require.True(t, ok)
	require.Equal(t, events.GateInterrupted, ask.Gate)
	w.say(events.AskAnswered{Ask: ask.Ask, Decision: events.Yes, Args: json.RawMessage(`{"resolution":"done"}`)})
	w.until(isType("GoalCompleted"))
	runs, err := os.ReadFile(filepath.Join(w.dir, "runs.log"))
	require.NoError(t, err)
	require.Equal(t, "run\n", string(runs))
}

// claimFor puts a predecessor's claim on a write, as it stands after a kill.
func (w *world) claimFor(e *events.Event, p events.ToolApproved, before, after string) {
	value, err := json.Marshal(map[string]any{"worker": "worker-test-9", "generation": p.Generation,
		"changes": []map[string]any{{"path": "a.txt", "before": events.Digest([]byte(before)),
			"after": events.Digest([]byte(after))}}})
	require.NoError(w.t, err)
	conn := w.connect(bus.Role{Kind: bus.Worker, Name: "worker-test-9"})
	_, err = conn.CreateClaim(context.Background(), e.Session+"."+p.Call, value)
	require.NoError(w.t, err)
}

func TestAWriteWhoseWorkerDiedIsSettledByWhatTheFileSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, now, want, outcome string }{
		{"untouched: it is made again", "hello\n", "hello world\n", events.ToolDone},
		{"in place: it is done", "hello world\n", "hello world\n", events.ToolDone},
		{"a third content: a person decides", "somebody else\n", "somebody else\n", events.ToolInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			w.open(nil)
			w.yesToAll()
			w.startWithoutWorker(oneCall("edit_file", `{"path":"a.txt","old_string":"hello","new_string":"hello world"}`))
			views := w.worker("worker-test-8")
			views.Queue = viewsOnly{w.connect(bus.Role{Kind: bus.Worker, Name: "worker-test-8"})}
			stopViews := w.run(views)
			w.say(events.GoalSubmitted{Goal: "g"})
			log := w.until(isType("ToolApproved"))
			stopViews()
			e := log[len(log)-1]
			p, ok := e.Payload.(events.ToolApproved)
			require.True(t, ok)
			w.claimFor(&e, p, "hello\n", "hello world\n")
			require.NoError(t, os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte(c.now), 0o644))
			w.runWorker("worker-test-1")
			log = w.until(isType("ToolSettled"))
			settled, ok := log[len(log)-1].Payload.(events.ToolSettled)
			require.True(t, ok)
			require.Equal(t, c.outcome, settled.Outcome)
			got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

// viewsOnly is a queue whose taker gives every tool call back.
type viewsOnly struct{ runtime.Queue }

func (q viewsOnly) Work(ctx context.Context, pool string, slots int, handle func(context.Context,
	events.Delivery) error) error {
	return q.Queue.Work(ctx, pool, slots, func(ctx context.Context, d events.Delivery) error {
		if d.Event.Type == "ToolApproved" {
			return errors.New("not for this worker")
		}
		return handle(ctx, d)
	})
}

func TestAWorkerRunsOnlyTheApprovedBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.runWorker("worker-test-1")
	forged := events.ToolApproved{Call: "c1", Tool: "edit_file",
		Args:       json.RawMessage(`{"path":"a.txt","old_string":"hello","new_string":"owned"}`),
		ArgsSHA256: events.Digest([]byte("other bytes")), Effect: "writes", Generation: 1, By: person, TimeoutMS: 1000}
	w.say(forged) // not from approval: the queue does not even hand it out
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
		Actor: events.ActorApproval, N: 1}, forged)
	require.NoError(t, err)
	approval := w.connect(bus.Role{Kind: bus.Decider, Name: events.ActorApproval})
	_, err = approval.Append(context.Background(), e, nil)
	require.NoError(t, err)
	log := w.until(isType("ToolSettled"))
	settled, ok := log[len(log)-1].Payload.(events.ToolSettled)
	require.True(t, ok)
	require.Equal(t, events.ToolFailed, settled.Outcome)
	got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(got))
}

func TestAWriteThatIsNotWhatThePersonSawChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	w.open(nil)
	w.start(oneCall("set_file_slice", `{"path":"a.txt","start_line":2,"end_line":2,"new_content":"TWO\n"}`))
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.until(isType("AskRaised"))
	ask, ok := log[len(log)-1].Payload.(events.AskRaised)
	require.True(t, ok)
	require.Contains(t, ask.Diff, "+TWO")
	w.write("a.txt", "zero\nkeep\none\ntwo\nthree\n")
	w.say(events.AskAnswered{Ask: ask.Ask, Decision: events.Yes})
	log = w.until(isType("ToolSettled"))
	settled, ok := log[len(log)-1].Payload.(events.ToolSettled)
	require.True(t, ok)
	require.Equal(t, events.ToolFailed, settled.Outcome)
	require.Contains(t, settled.Text, "changed after ada was shown the diff")
	got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "zero\nkeep\none\ntwo\nthree\n", string(got))
	w.until(isType("GoalCompleted"))
}
