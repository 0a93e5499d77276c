package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/replay"
	"manualslop/tiers"
	"manualslop/tiers/runtime"
)

// errand is a session that makes one request of a kind, and what must be so in
// the end.
type errand struct {
	name   string
	target string // type of the request that goes wrong
	models bool   // models carry it out, else a worker
	timers bool   // timers carry it out
	tool   string
	args   string
	git    bool // tickets work in worktrees
	inject bool // a person has a file injected
	asks   bool // a person answers, else rules do
	want   func(t *testing.T, w *world, log []events.Event)
}

// mostSteps bounds the steps of one errand.
const mostSteps = 40

func errands() []errand {
	edit := `{"path":"a.txt","old_string":"one","new_string":"two"}`
	script := `{"script":"echo run >> \"$OUTSIDE\""}`
	return []errand{
		{name: "read", target: "ToolApproved", tool: "read_file", args: `{"path":"a.txt"}`},
		{name: "write", target: "ToolApproved", tool: "edit_file", args: edit, want: edited},
		{name: "script", target: "ToolApproved", tool: "run_powershell", args: script, want: ranOnce},
		{name: "preview", target: "PreviewRequested", tool: "edit_file", args: edit, asks: true, want: edited},
		{name: "view", target: "ContextRequested", tool: "read_file", args: `{"path":"a.txt"}`},
		{name: "refresh", target: "RefreshRequested", tool: "edit_file", args: edit, want: edited},
		{name: "injection", target: "ContextInjectionRequested", tool: "read_file", args: `{"path":"a.txt"}`, inject: true},
		{name: "model call", target: "ModelRequested", tool: "read_file", args: `{"path":"a.txt"}`, models: true},
		{name: "timer", timers: true, tool: "read_file", args: `{"path":"a.txt"}`, want: expired},
		{name: "workspace", target: "WorkspaceRequested", tool: "edit_file", args: edit, git: true, want: merged},
		{name: "merge", target: "MergeRequested", tool: "edit_file", args: edit, git: true, want: merged},
	}
}

func ranOnce(t *testing.T, w *world, _ []events.Event) {
	runs := strings.Count(w.content("../outside.log"), "run")
	require.Equal(t, 1, runs, "the person looked, and had it run again only where it had not")
}

// edited checks that the file is what the outcome that counts says: a call
// whose claim could not be made has failed and changed nothing.
func edited(t *testing.T, w *world, log []events.Event) {
	for _, e := range log {
		if p, ok := e.Payload.(events.ToolSettled); ok && p.Outcome != events.ToolInterrupted {
			require.Equal(t, map[bool]string{true: "two\n", false: "one\n"}[p.Outcome == events.ToolDone], w.content("a.txt"),
				p.Text)
			return
		}
	}
	require.Equal(t, "two\n", w.content("a.txt"), "a person looked and said that it is done")
}

func expired(t *testing.T, _ *world, log []events.Event) {
	for _, e := range log {
		if p, ok := e.Payload.(events.AskSettled); ok {
			require.Equal(t, events.Expired, p.Outcome)
			return
		}
	}
	t.Fatal("the question is open")
}

func merged(t *testing.T, w *world, _ []events.Event) {
	require.Equal(t, "two", w.inGit("show", "slop/"+session+":a.txt"))
}

// content is that of a file of the project; empty where there is none.
func (w *world) content(name string) string {
	body, err := os.ReadFile(filepath.Join(w.dir, name))
	if !os.IsNotExist(err) {
		require.NoError(w.t, err)
	}
	return string(body)
}

// TestAFaultAtAnyStepOfAnyRequestLeavesOneOutcomeAndOneEffect lets every step
// of every kind of request go wrong in each way, with the times of leases and
// deliveries that are shipped.
func TestAFaultAtAnyStepOfAnyRequestLeavesOneOutcomeAndOneEffect(t *testing.T) {
	t.Parallel()
	for _, e := range errands() {
		for _, how := range e.faults() {
			t.Run(e.name+" "+how, func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath("git"); err != nil && e.git {
					t.Skip("git is not installed")
				}
				for at := 0; at < mostSteps; at += stride(how) {
					fault := &steps{target: e.target, at: at, how: how}
					if !e.meets(t, fault) {
						require.NotZero(t, at, "the errand has no step")
						return
					}
					if how == refusedOften {
						return
					}
				}
				t.Fatalf("over %d steps", mostSteps)
			})
		}
	}
}

// faults are those that the errand meets. In full runs that is each; else what
// takes the same way as another errand meets fewer.
func (e errand) faults() []string {
	full := os.Getenv("SLOP_LOAD") == "full"
	switch {
	case e.timers:
		return []string{refused, unheard, diesFirst, diesAfter}
	case full:
		return []string{refused, unheard, diesFirst, diesAfter, refusedOften, poolGone, poolBack}
	}
	switch e.name {
	case "script", "write", "merge", "model call":
		return []string{refused, unheard, diesFirst, diesAfter, refusedOften, poolGone, poolBack}
	case "read", "view":
		return []string{refused, diesFirst, diesAfter, refusedOften}
	}
	return []string{diesAfter, refusedOften}
}

// stride is how many steps on the next fault is.
func stride(how string) int {
	if (how == poolGone || how == poolBack) && os.Getenv("SLOP_LOAD") != "full" {
		return 4
	}
	return 1
}

// mistreat deletes the pools, or puts them back, and waits until they are there.
func (w *world) mistreat(ctx context.Context, how string) {
	for _, kind := range []string{events.PoolTools, events.PoolShort, events.PoolModels} {
		if how == poolBack {
			require.NoError(w.t, w.reconciler.Pools.Rewind(ctx, kind, 1))
			continue
		}
		bustest.DropPool(w.t, w.server, events.PoolName(kind, project))
	}
	for there := false; !there && ctx.Err() == nil; {
		there = w.reconciler.Reconcile(ctx) == nil
		for _, kind := range []string{events.PoolTools, events.PoolShort, events.PoolModels} {
			_, err := w.reconciler.Pools.At(ctx, kind)
			there = there && err == nil
		}
	}
}

// meets runs the errand with a fault; false if it has no such step.
func (e errand) meets(t *testing.T, fault *steps) bool {
	w := newWorld(t, nil)
	w.dir = filepath.Join(w.dir, "project")
	w.write("a.txt", "one\n")
	if e.git {
		w.inGit("init", "-q", "-b", "main")
		w.inGit("add", "-A")
		w.inGit("commit", "-qm", "begin")
	}
	w.open(func(s *events.Settings) {
		if e.git {
			s.Isolation = events.IsolationWorktree
		}
	})
	if !e.asks {
		w.yesToAll()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go w.personLooks(ctx)
	stop := e.crew(w, fault)
	defer stop()
	if e.timers {
		w.say(events.AskPosted{RequestID: "r-1", Data: json.RawMessage(`{}`), TimeoutMS: 30})
	}
	if e.inject {
		w.say(events.ContextInjectionRequested{Path: "a.txt", View: "full"})
	}
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.untilNothingIsOpen(fault)
	what, reached := fault.what()
	if !reached {
		return false
	}
	t.Logf("step %d %s: %s", fault.at, fault.how, what)
	requireWhole(t, log)
	if e.want != nil {
		e.want(t, w, log)
	}
	_, err := replay.Verify(log, replay.Deciders()...)
	require.NoError(t, err, "step %d %s: %s", fault.at, fault.how, what)
	return true
}

// crew starts every decider, models and a worker, of which the one that the
// errand is about goes wrong. Where it dies another one comes.
func (e errand) crew(w *world, fault *steps) (stop func()) {
	lines := `
{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"d\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"d\",\"target_file\":\"a.txt\"}]"}}
{"tier":3,"reply":{"tool_calls":[{"name":"` + e.tool + `","args":` + strings.ReplaceAll(e.args, `\"$OUTSIDE\"`, filepath.Join(filepath.Dir(w.dir), "outside.log")) + `}]}}
` + strings.Repeat(`{"tier":3,"reply":{"text":"DONE: finished"}}`+"\n", 3) + `{"tier":4,"reply":{"text":"hint"}}`
	root := w.t.TempDir()
	first := w.withWorkspaces("worker-test-1", root)
	second := make(chan struct{})
	var conn *bus.Conn
	fault.die = func() { conn.Close(); close(second) }
	fault.pool = func() { w.mistreat(w.t.Context(), fault.how) }
	switch {
	case e.models:
		conn = w.connect(bus.Role{Kind: bus.Models})
		w.onModels = func(m *runtime.Models) {
			m.Queue, m.Log = steppedQueue{conn, fault}, steppedLog{conn, fault}
		}
	case e.timers:
		conn = w.connect(bus.Role{Kind: bus.Timers})
		w.onTimers = func(t *runtime.Timers) { t.Log = steppedLog{conn, fault} }
	default:
		conn = w.connect(bus.Role{Kind: bus.Worker, Name: "worker-test-1"})
		first.Queue, first.Claims = conn, conn
		fault.onSteps(first, conn)
	}
	stopCrew := w.startWithoutWorker(lines)
	w.onModels, w.onTimers = nil, nil
	stopWorker := w.run(first)
	done := make(chan struct{})
	go func() {
		select {
		case <-second:
			if e.models || e.timers {
				w.startWithoutWorker(lines)
			} else {
				w.run(w.withWorkspaces("worker-test-2", root))
			}
		case <-done:
		}
	}()
	return func() { close(done); stopWorker(); stopCrew() }
}

// personLooks answers every ask: a tool may run, and of an interrupted call the
// person looks whether it has left its mark.
func (w *world) personLooks(ctx context.Context) {
	_, feed, err := w.person.Watch(ctx, events.Filter{Project: project, Session: session, Type: "AskRaised"}, 1)
	if err != nil {
		return
	}
	registry := events.Catalogue()
	for e, err := range feed {
		if err != nil {
			return
		}
		registry.Decode(&e)
		p, ok := e.Payload.(events.AskRaised)
		if !ok || p.Gate == events.GateHTTP {
			continue // it is left to its timer
		}
		answer := events.AskAnswered{Ask: p.Ask, Decision: events.Yes}
		if p.Gate == events.GateInterrupted {
			answer.Args = json.RawMessage(`{"resolution":"retry"}`)
			if strings.Contains(w.content("../outside.log"), "run") || strings.Contains(w.content("a.txt"), "two") {
				answer.Args = json.RawMessage(`{"resolution":"done"}`)
			}
		}
		w.say(answer)
	}
}

// untilNothingIsOpen waits until the goal is reached and every request has its
// outcome, and returns the session.
func (w *world) untilNothingIsOpen(fault *steps) []events.Event {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), eventstest.Patience)
	defer cancel()
	_, feed, err := w.person.Watch(ctx, events.Filter{Project: project, Session: session}, 1)
	require.NoError(w.t, err)
	registry := events.Catalogue()
	var log []events.Event
	open, over := map[string]string{}, false
	if fault.target == "" {
		open["ask r-1"] = "the question to come"
	}
	for e, err := range feed {
		if err != nil {
			break
		}
		registry.Decode(&e)
		log = append(log, e)
		asks, answers := askedFor(e)
		if asks != "" {
			open[asks] = fmt.Sprintf("%d %s", e.Seq, e.Type)
		}
		delete(open, answers)
		over = over || e.Type == "GoalCompleted" || e.Type == "GoalFailed"
		if over && len(open) == 0 {
			return log
		}
	}
	what, _ := fault.what()
	for _, e := range log {
		w.t.Logf("%d %s %s %.200s", e.Seq, e.Actor, e.Type, e.Data)
	}
	w.t.Fatalf("step %d %s: %s: without outcome: %v", fault.at, fault.how, what, open)
	return nil
}

// askedFor are the keys of what an event asks an effect for, and of what it answers.
func askedFor(e events.Event) (asks, answers string) {
	if p, ok := e.Payload.(events.AskRaised); ok {
		return "ask " + p.Ask, "" // also one that waits for a person alone
	}
	if r := tiers.Asked(&e); r != nil {
		asks = fmt.Sprint(r.Key, generation(r.Generation))
	}
	if key, n := tiers.Answered(&e); key != "" {
		answers = fmt.Sprint(key, generation(n))
	}
	return asks, answers
}

// generation is how a key tells approvals of one call apart.
func generation(n int) string {
	if n == 0 || n > 1000 {
		return ""
	}
	return fmt.Sprint(" ", n)
}
