package hookgw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/basis"
	"manualslop/tiers/runtime"
)

// deciding runs real deciders on the fixture's log until the test ends.
func (f *fixture) deciding(start map[string]func() *tiers.Machine) {
	f.t.Helper()
	crew := &runtime.Orchestrator{Project: project, Logger: slog.New(slog.DiscardHandler)}
	for actor, machine := range start {
		crew.Roles = append(crew.Roles, runtime.Role{Start: machine, Log: f.as(actor)})
	}
	reader := &runtime.Reader{Log: f.log, Registry: events.Catalogue(), Project: project,
		Logger: slog.New(slog.DiscardHandler)}
	reader.Subscribe(crew)
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.t.Context()))
	done := make(chan error, 1)
	go func() { done <- reader.Run(ctx) }()
	f.t.Cleanup(func() {
		cancel()
		require.NoError(f.t, <-done)
		crew.Wait()
	})
}

func realApproval() map[string]func() *tiers.Machine {
	return map[string]func() *tiers.Machine{events.ActorApproval: func() *tiers.Machine {
		return approval.Decider().Start()
	}}
}

// openGates starts a session in which the real approval decider waits at all
// three gates at once, twice at each. It gives the asks of each gate, oldest first.
func openGates(t *testing.T) (*fixture, map[string][]string) {
	t.Helper()
	f := openEmpty(t)
	f.put(person, events.SessionOpened{Folder: "20260102_030405", Settings: events.Settings{MaxWorkers: 4,
		SpawnApproval: true, StepMode: true}})
	f.put(person, events.ToolsOffered{Tools: []events.ToolOffer{{Name: "run_powershell", Description: "Run.",
		Effect: "executes", Schema: json.RawMessage(`{"type":"object"}`)}}})
	f.deciding(realApproval())
	for n := 1; n <= 2; n++ {
		ticket := fmt.Sprintf("T-%d", n)
		f.put(events.ActorConductor, events.SpawnRequested{Ticket: ticket, Attempt: 1, Model: "m", Prompt: "Mend it"})
		f.put(events.ActorContributor, events.StepRequested{Ticket: ticket, Attempt: 1, Round: 1, Summary: "round 1"})
		f.put(events.ActorContributor, events.ToolRequested{Call: "c-" + ticket, Tool: "run_powershell",
			Args: json.RawMessage(`{"script":"ls"}`), Ticket: ticket, Attempt: 1, Round: 1})
	}
	require.NoError(t, f.models.Await(t.Context(), session, func(s *projections.Set) bool {
		return len(s.OpenAsks()) == 6
	}))
	return f, f.openByGate()
}

// openByGate are the ids of the open asks of each gate, oldest first.
func (f *fixture) openByGate() map[string][]string {
	f.t.Helper()
	out := map[string][]string{}
	for _, gate := range []string{"tool", "step", "spawn"} {
		var got struct {
			Gate string
			Asks []struct {
				RequestID string `json:"request_id"`
				Gate      string
			}
		}
		require.NoError(f.t, json.Unmarshal(f.get("/api/asks/"+gate, access.RightRead).body, &got))
		require.Equal(f.t, gate, got.Gate)
		out[gate] = []string{}
		for _, a := range got.Asks {
			require.Equal(f.t, gate, a.Gate)
			out[gate] = append(out[gate], a.RequestID)
		}
	}
	return out
}

// awaitGranted waits until approval has let n things through at a gate: the
// fact comes right after the one that settles the ask.
func (f *fixture) awaitGranted(gate string, n int) {
	f.t.Helper()
	typ := map[string]string{"tool": "ToolApproved", "step": "StepApproved", "spawn": "SpawnApproved"}[gate]
	if n > 0 {
		seen := 0
		f.expect(typ, func(events.Event) bool { seen++; return seen == n })
	}
}

// granted counts what approval let through, by gate.
func granted(f *fixture) map[string]int {
	return map[string]int{"tool": len(recorded[events.ToolApproved](f)), "step": len(recorded[events.StepApproved](f)),
		"spawn": len(recorded[events.SpawnApproved](f))}
}

func TestAnsweringOneGateNeverAnswersAnother(t *testing.T) {
	t.Parallel()
	for _, gate := range []string{"tool", "step", "spawn"} {
		for name, body := range map[string]func(ids []string) string{
			"by id":  func(ids []string) string { return `{"request_id":"` + ids[0] + `","response":{"approved":true}}` },
			"oldest": func([]string) string { return `{"response":{"approved":true}}` },
		} {
			t.Run(gate+" "+name, func(t *testing.T) {
				t.Parallel()
				f, was := openGates(t)
				a := f.post("/api/asks/"+gate+"/respond", access.RightHuman, body(was[gate]))
				require.Equal(t, http.StatusOK, a.status, string(a.body))
				requireOnly(t, f, was, gate, 1)
			})
		}
	}
}

// requireOnly wants the oldest n asks of one gate answered and everything else
// as it was: the asks, what was let through and the flags of the state.
func requireOnly(t *testing.T, f *fixture, was map[string][]string, gate string, n int) {
	t.Helper()
	want := map[string][]string{"tool": was["tool"], "step": was["step"], "spawn": was["spawn"]}
	want[gate] = want[gate][n:]
	require.Equal(t, want, f.openByGate())
	through := map[string]int{"tool": 0, "step": 0, "spawn": 0}
	through[gate] = n
	f.awaitGranted(gate, n)
	require.Equal(t, through, granted(f))
	state := f.get("/api/gui/mma_status", access.RightRead).object(t)
	for key, other := range map[string]string{"pending_tool_approval": "tool", "pending_mma_step_approval": "step",
		"pending_mma_spawn_approval": "spawn", "pending_spawn": "spawn"} {
		require.Equal(t, len(want[other]) > 0, state[key], key)
	}
	require.Equal(t, len(want["tool"])+len(want["step"]) > 0, state["pending_approval"])
}

func TestAnAskOfAnotherGateIsAConflictAndStaysOpen(t *testing.T) {
	t.Parallel()
	f, was := openGates(t)
	for gate := range was {
		for other, ids := range was {
			if other == gate {
				continue
			}
			for _, id := range ids {
				a := f.post("/api/asks/"+gate+"/respond", access.RightHuman, `{"request_id":"`+id+`","response":true}`)
				require.Equal(t, http.StatusConflict, a.status)
				require.Contains(t, a.object(t)["error"], other)
			}
		}
	}
	require.Empty(t, recorded[events.AskAnswered](f))
	require.Equal(t, was, f.openByGate())
	require.Equal(t, map[string]int{"tool": 0, "step": 0, "spawn": 0}, granted(f))
}

func TestWhenAGateHasNothingOpenTheOthersAreNotAskedInItsPlace(t *testing.T) {
	t.Parallel()
	f, was := openGates(t)
	for range was["step"] {
		require.Equal(t, http.StatusOK, f.post("/api/asks/step/respond", access.RightHuman, `{"response":true}`).status)
	}
	require.Equal(t, http.StatusNotFound, f.post("/api/asks/step/respond", access.RightHuman, `{"response":true}`).status)
	requireOnly(t, f, was, "step", 2)
	require.Equal(t, http.StatusConflict, f.post("/api/asks/step/respond", access.RightHuman, `{"request_id":"`+
		was["step"][0]+`","response":true}`).status, "it is settled")
}

func TestAGateIsOneOfThree(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	for _, gate := range []string{"interrupted", "http", "Tool", "trust", "x"} {
		f.raise("a-"+gate, gate)
		require.Equal(t, http.StatusNotFound, f.get("/api/asks/"+gate, access.RightRead).status)
		require.Equal(t, http.StatusNotFound, f.post("/api/asks/"+gate+"/respond", access.RightHuman,
			`{"response":true}`).status)
	}
	require.Equal(t, http.StatusBadRequest, f.get("/api/asks/tool?state=x", access.RightRead).status)
	for _, body := range []string{`{}`, `{"request_id":"x"}`, `{"request_id":["x"],"response":true}`,
		`{"Response":true}`} {
		require.Equal(t, http.StatusBadRequest, f.post("/api/asks/tool/respond", access.RightHuman, body).status, body)
	}
	require.Equal(t, http.StatusNotFound, f.post("/api/asks/tool/respond", access.RightHuman,
		`{"request_id":"x","response":true}`).status)
	require.Equal(t, http.StatusForbidden, f.post("/api/asks/tool/respond", access.RightAsk, `{"response":true}`).status)
	require.Empty(t, recorded[events.AskAnswered](f))
}

func TestAGateListsWhatWasSettledOnDemand(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	f.raise("a1", events.GateTool)
	f.raise("a2", events.GateStep)
	require.Equal(t, http.StatusOK, f.post("/api/asks/tool/respond", access.RightHuman, `{"response":false}`).status)
	require.Empty(t, f.get("/api/asks/tool", access.RightRead).object(t)["asks"])
	require.Len(t, f.get("/api/asks/tool?state=settled", access.RightRead).object(t)["asks"], 1)
	require.Len(t, f.get("/api/asks/step?state=all", access.RightRead).object(t)["asks"], 1)
}

func TestEditedArgumentsThatARuleForbidsLeaveTheAskOpen(t *testing.T) {
	t.Parallel()
	f, was := openGates(t)
	id := was["tool"][0]
	f.put(person, events.DecisionsUpgraded{Basis: basis.Of("test")})
	f.put(person, events.RuleAdded{Rule: events.Rule{Tool: "run_powershell", Action: "deny", Args: []string{"pwd"}}})
	a := f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"`+id+`","response":{"approved":true,"args":{"script":"pwd"}}}`)
	require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s", a.body)
	requireProblem(t, a, "the answer was rejected: the edited arguments do not fit: a rule forbids it")
	require.Equal(t, was["tool"], f.openByGate()["tool"])
	require.Empty(t, recorded[events.ToolApproved](f))
	require.Empty(t, recorded[events.ToolDenied](f))
}

// TestTheButtonOfAFlagAnswersTheQuestionThatSetIt presses what belongs to pending_tool_approval while a question of
// POST /api/ask and an ask of another gate are open.
func TestTheButtonOfAFlagAnswersTheQuestionThatSetIt(t *testing.T) {
	t.Parallel()
	for button, want := range map[string]string{"btn_approve_tool": `{"status":"ok","response":{"approved":true}}`,
		"btn_reject_tool": `{"status":"ok","response":{"approved":false}}`} {
		f := open(t)
		f.approve()
		waiting := f.ask(`{"request_id":"r1","tool":"deploy"}`)
		f.awaitAsk("r1")
		require.JSONEq(t, `true`, f.value(t, "pending_tool_approval"))
		f.queue(t, `{"action":"click","item":"`+button+`"}`)
		require.Empty(t, f.failures())
		got := <-waiting
		require.JSONEq(t, want, string(got.body))
		require.JSONEq(t, `false`, f.value(t, "pending_tool_approval"))
	}
}
