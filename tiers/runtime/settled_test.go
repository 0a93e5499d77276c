package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// handTo has a worker of that name take one delivery as a first one, as a pool
// does that lost its acknowledgements.
func (w *world) handTo(name string, e events.Event) {
	w.t.Helper()
	worker := w.worker(name)
	worker.Queue = handed{e, 1}
	require.NoError(w.t, worker.Run(w.t.Context(), 1))
}

// outcomesOf counts the outcomes of a call on the log.
func (w *world) outcomesOf(call string) (n int) {
	w.t.Helper()
	registry := events.Catalogue()
	for e, err := range w.person.Read(w.t.Context(), events.Filter{Project: project, Session: session}, 1, 0) {
		require.NoError(w.t, err)
		registry.Decode(&e)
		switch p := e.Payload.(type) {
		case events.ToolSettled:
			if p.Call == call {
				n++
			}
		case events.ToolParked:
			if p.Call == call {
				n++
			}
		}
	}
	return n
}

func (w *world) claimKeys() []string {
	w.t.Helper()
	keys, err := w.connect(bus.Role{Kind: bus.Worker, Name: "worker-test-9"}).ClaimKeys(w.t.Context())
	require.NoError(w.t, err)
	return keys
}

// shellArgs are the arguments of a script.
func shellArgs(script string) string {
	b, err := json.Marshal(map[string]string{"script": script})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestSettledCallIsNotRunAgainAfterItsClaimIsPurged(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "runs.log")
	script := "echo run >> " + outside
	edit := `{"path":"a.txt","old_string":"hello","new_string":"bye"}`
	nothing := func(*world) {}
	closed := func(w *world) { w.say(events.SessionClosed{Reason: "closed by hand"}) }
	other := func(w *world) { w.another("run_powershell", shellArgs("true")) }
	fresh := func(w *world) { w.write("a.txt", "hello\n") }
	for name, c := range map[string]struct {
		tool, args string
		behind     func(w *world)
	}{
		"a script":                     {"run_powershell", shellArgs(script), nothing},
		"a script before another one":  {"run_powershell", shellArgs(script), other},
		"a script of a closed session": {"run_powershell", shellArgs(script), closed},
		"an edit":                      {"edit_file", edit, nothing},
		"an edit that finds its place": {"edit_file", edit, fresh},
		"an edit of a closed session":  {"edit_file", edit, closed},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(outside, nil, 0o600))
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			w.open(nil)
			call := w.decided(events.ActorApproval, approvedCall(c.tool, c.args))
			w.handTo("worker-test-1", call)
			require.Equal(t, 1, w.outcomesOf("c1"))
			require.Empty(t, w.claimKeys(), "the claim is purged when the outcome is on the log")
			c.behind(w)
			ran, err := os.ReadFile(outside)
			require.NoError(t, err)
			content, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)

			w.handTo("worker-test-1", call)
			w.handTo("worker-test-2", call)

			again, err := os.ReadFile(outside)
			require.NoError(t, err)
			require.Equal(t, string(ran), string(again))
			now, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, string(content), string(now))
			require.Equal(t, 1, w.outcomesOf("c1"))
			require.Empty(t, w.claimKeys())
		})
	}
}

// another has a worker carry out one more call of a tool.
func (w *world) another(tool, args string) {
	p := approvedCall(tool, args)
	p.Call = "c2"
	w.handTo("worker-test-1", w.decided(events.ActorApproval, p))
}

func TestCallsWithLongOutcomesDoNotFillTheClaims(t *testing.T) {
	t.Parallel()
	const calls = 12 // seven outcomes of 40 kB fill the 256 KiB of claims
	w := newWorldOn(t, bustest.Open(t, func(c *bus.Config) { c.MaxBytes = bus.MinBudget }), nil)
	w.open(nil)
	w.runWorker("worker-test-1")
	for i := range calls {
		p := approvedCall("run_powershell", shellArgs("od -An -tx1 -N 6000 /dev/urandom"))
		p.Call = fmt.Sprintf("c%d", i)
		w.decided(events.ActorApproval, p)
	}
	log := w.untilCount(isType("ToolSettled"), calls)
	settled, ok := log[len(log)-1].Payload.(events.ToolSettled)
	require.True(t, ok)
	require.Equal(t, events.ToolDone, settled.Outcome)
	require.Eventually(t, func() bool { return len(w.claimKeys()) == 0 }, eventstest.Patience, time.Millisecond)
}

// TestLongOutcomeSurvivesItsWorker has a worker that dies between the act and the log.
func TestLongOutcomeSurvivesItsWorker(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "runs.log")
	w := newWorld(t, nil)
	w.open(nil)
	long := shellArgs("echo run >> " + outside + "; head -c 40000 /dev/zero | tr '\\0' x")
	call := w.decided(events.ActorApproval, approvedCall("run_powershell", long))
	ctx, cancel := context.WithCancel(t.Context())
	first := w.worker("worker-test-1")
	first.Log, first.Queue = diedLater{first.Log, cancel}, handed{call, 1}
	require.Error(t, first.Run(ctx, 1))
	w.handTo("worker-test-2", call)
	got := w.settled("run_powershell")
	require.Equal(t, events.ToolDone, got.Outcome)
	require.Greater(t, strings.Count(got.Text, "x"), 10_000)
	ran, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "run\n", string(ran))
	require.Empty(t, w.claimKeys())
}

// forgetful is a store of claims whose worker dies before it purges one.
type forgetful struct{ runtime.Claims }

func (forgetful) PurgeClaim(context.Context, string, uint64) error { return context.Canceled }

func TestLeftOverClaimsOfSettledCallsArePurged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	worker := w.worker("worker-test-1")
	worker.Claims = forgetful{worker.Claims}
	worker.Queue = handed{w.decided(events.ActorApproval, approvedCall("run_powershell", shellArgs("true"))), 1}
	require.NoError(t, worker.Run(t.Context(), 1))
	require.Equal(t, []string{session + ".c1"}, w.claimKeys())
	open := approvedCall("run_powershell", shellArgs("true"))
	open.Call = "c2"
	e := w.decided(events.ActorApproval, open)
	w.claimFor(&e, open, "a", "b")
	w.runWorker("worker-test-2") // it finds the call c2 interrupted, because a claim is there
	w.untilCount(isType("ToolSettled"), 2)
	require.Eventually(t, func() bool { return len(w.claimKeys()) == 0 }, eventstest.Patience, time.Millisecond)
	require.Equal(t, 1, w.outcomesOf("c1"))
	require.Equal(t, 1, w.outcomesOf("c2"))
}

// TestLeftOverCountsOfAttemptsArePurged has counts of which one cannot be read.
func TestLeftOverCountsOfAttemptsArePurged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello"})
	w.open(nil)
	call := w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`))
	worker := w.worker("worker-test-1")
	_, err := worker.Claims.CreateClaim(t.Context(), "S0.attempts.unreadable", []byte("{"))
	require.NoError(t, err)
	kept := worker.Claims
	worker.Claims, worker.Queue = forgetful{kept}, handed{call, 2}
	require.NoError(t, worker.Run(t.Context(), 1))
	require.Equal(t, 1, w.outcomesOf("c1"))
	require.Len(t, w.claimKeys(), 2)
	worker.Claims, worker.Queue = kept, w.connect(bus.Role{Kind: bus.Worker, Name: "worker-test-1"})
	w.run(worker)
	require.Eventually(t, func() bool { return len(w.claimKeys()) == 1 }, eventstest.Patience, time.Millisecond)
}

func TestCountOfAttemptsGoesWithAnOutcomeThatWasFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello"})
	w.open(nil)
	call := w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`))
	w.handTo("worker-test-1", call)
	worker := w.worker("worker-test-1")
	_, err := worker.Claims.CreateClaim(t.Context(), session+".attempts."+call.ID, []byte(`{"attempts":1}`))
	require.NoError(t, err)
	worker.Queue = handed{call, 2}
	require.NoError(t, worker.Run(t.Context(), 1))
	require.Empty(t, w.claimKeys())
	require.Equal(t, 1, w.outcomesOf("c1"))
}
