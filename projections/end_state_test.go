package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// work plays one ticket with two parallel calls, the second of which fails.
// The order of their outcomes, failed attempts at replies and an interrupted
// worker are what chance may change.
func work(t *testing.T, chance bool) *story {
	t.Helper()
	s, goal := planned(t, "T-1")
	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-1"}, Attempt: 1,
		Model: "m3"})
	request := s.asks("T-1", 3)
	if chance {
		s.by(events.ActorModels, events.ModelFailed{Request: request, Kind: events.ModelNetwork, Message: "gone",
			Usage: &events.Usage{Input: 99}})
		request = s.asks("T-1", 3)
	}
	s.replies(request, "looking", "edit_file", "run_powershell")
	first, second := events.CallID(request, 0), events.CallID(request, 1)
	s.approved(first, "edit_file", "T-1")
	s.approved(second, "run_powershell", "T-1")
	if chance {
		interrupted(s, second)
	}
	wrote := outcome(first, "edit_file", "edited")
	wrote.Files = []events.FileState{{Path: "a.go", SHA256: "h2", Written: true}}
	failed := outcome(second, "run_powershell", "boom")
	failed.Outcome = events.ToolFailed
	if chance {
		failed.Generation = 2
		s.by("worker-2", failed)
		s.by("worker-1", wrote)
	} else {
		s.by("worker-1", wrote)
		s.by("worker-1", failed)
	}
	triage := s.by(events.ActorQA, events.ModelRequested{StreamID: "Tier 4", Ticket: "T-1", Call: second, Attempt: 1,
		Tier: 4, Provider: "script", Model: "m4"})
	s.replies(triage, "missing import")
	s.by("worker-1", events.FilesUpdated{Request: "R", Ticket: "T-1", Files: []events.FileUpdate{
		{Path: "b.go", Before: "h8", After: "h9"}}})
	s.replies(s.asks("T-1", 3), "done")
	s.by(events.ActorConductor, events.TicketCompleted{Ticket: "T-1"})
	s.by(events.ActorConductor, events.TrackCompleted{Track: "TR-1"})
	s.by(events.ActorConductor, events.GoalCompleted{Goal: goal})
	return s
}

// interrupted lets the worker of a call die and a person have it tried again.
func interrupted(s *story, call string) {
	s.t.Helper()
	cut := outcome(call, "run_powershell", "")
	cut.Outcome = events.ToolInterrupted
	s.by("worker-1", cut)
	s.by(events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateInterrupted, Call: call})
	s.by(events.ActorApproval, events.AskSettled{Ask: "A1", Gate: events.GateInterrupted, Outcome: events.Yes, By: "ada"})
	s.by(events.ActorApproval, events.InterruptResolved{Call: call, Tool: "run_powershell", Ticket: "T-1",
		Resolution: events.InterruptRetry, By: "ada"})
	s.by(events.ActorApproval, events.ToolApproved{Call: call, Tool: "run_powershell", Args: json.RawMessage(`{}`),
		ArgsSHA256: "d", Generation: 2, By: "ada"})
}

func TestTwoRunsOfTheSameWorkCompareEqual(t *testing.T) {
	t.Parallel()
	calm, rough := work(t, false), work(t, true)
	require.Equal(t, calm.set.EndState(), rough.set.EndState())
	one, err := calm.set.View("comparable")
	require.NoError(t, err)
	two, err := rough.set.View("comparable")
	require.NoError(t, err)
	require.Equal(t, string(one), string(two))
	require.NotEqual(t, calm.set.Cost(), rough.set.Cost(), "what it cost differs")
}

func TestTheEndStateSaysWhatCameOfTheWork(t *testing.T) {
	t.Parallel()
	s := work(t, true)
	s.by(events.ActorApproval, events.AskRaised{Ask: "A2", Gate: events.GateTool})
	s.by(events.ActorApproval, events.AskSettled{Ask: "A2", Gate: events.GateTool, Outcome: events.No, By: "ada"})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A3", Gate: events.GateStep})
	end := s.set.EndState()
	require.Equal(t, projections.Done, end.State)
	require.Equal(t, map[string]projections.EndTrack{"TR-1": {Status: events.StatusCompleted}}, end.Tracks)
	require.Equal(t, map[string]projections.EndTicket{"T-1": {Status: events.StatusCompleted, Track: "TR-1", Attempt: 1}},
		end.Tickets)
	require.Equal(t, map[string]string{"a.go": "h2", "b.go": "h9"}, end.Files)
	require.Equal(t, map[string]string{"Tier 3 (Worker): T-1": "looking\ndone", "Tier 4": "missing import"}, end.Streams)
	require.Equal(t, map[string]int{"tool no": 1, "step open": 1}, end.Asks)
	require.Equal(t, events.Usage{Input: 20, Output: 4}, *end.Usage["3 script/m3"])
	var heads []string
	for _, n := range end.Entries["T-1"] {
		heads = append(heads, n.Role+" "+n.Tool+" "+n.Head)
	}
	require.Equal(t, []string{"AI  looking", "Tool edit_file edited", "Tool run_powershell boom", "AI  missing import",
		"AI  done"}, heads)
	require.Equal(t, "Mend the parser", end.Entries[""][0].Head)
}

func TestDifferentWorkComparesDifferent(t *testing.T) {
	t.Parallel()
	base := work(t, false)
	changed := func(f func(*story)) projections.EndState {
		s := work(t, false)
		f(s)
		return s.set.EndState()
	}
	require.NotEqual(t, base.set.EndState(), changed(func(s *story) { s.by("ada", events.GoalSubmitted{Goal: "more"}) }))
	require.NotEqual(t, base.set.EndState(), changed(func(s *story) {
		s.by("worker-1", events.FilesUpdated{Files: []events.FileUpdate{{Path: "a.go", After: "h7"}}})
	}))
	require.NotEqual(t, base.set.EndState(), changed(func(s *story) {
		s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-1", Kind: events.BlockManual, Reason: "no"})
	}))
}

func TestALateRereadDoesNotUndoAWrite(t *testing.T) {
	t.Parallel()
	s := work(t, false)
	for i, sum := range []string{"h3", "h4"} {
		id := "w" + itoa(i)
		s.approved(id, "edit_file", "T-1")
		wrote := outcome(id, "edit_file", "edited")
		wrote.Files = []events.FileState{{Path: "a.go", SHA256: sum, Written: true}}
		s.by("worker-1", wrote)
	}
	s.by("worker-1", events.FilesUpdated{Files: []events.FileUpdate{{Path: "a.go", Before: "h2", After: "h3"}}})
	require.Equal(t, "h4", s.set.EndState().Files["a.go"])
}
