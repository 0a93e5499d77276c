package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestMMAStatusHasExactlyTheOriginalsKeysAndTypes(t *testing.T) {
	t.Parallel()
	raw, err := projections.NewSet().View("mma_status")
	require.NoError(t, err)
	require.JSONEq(t, `{"mma_status":"idle","ai_status":"idle","active_tier":null,"active_track":"","active_tickets":[],
		"mma_step_mode":false,"pending_tool_approval":false,"pending_mma_step_approval":false,"pending_mma_spawn_approval":false,
		"pending_approval":false,"pending_spawn":false,"tracks":[],"proposed_tracks":[],"mma_streams":{}}`, string(raw))
}

func TestActiveTicketsCarryEveryFieldAndTheirLiveState(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1", "T-2", "T-3", "T-4")
	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-1",
		Status: events.StatusTodo, Priority: "high", RetryCount: 1}, Attempt: 1, Model: "m3"})
	s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-2", Kind: events.BlockManual, Reason: "waits for legal"})
	s.by(events.ActorConductor, events.TicketCompleted{Ticket: "T-3"})
	s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-4", Kind: events.BlockWorker, Reason: "gave up"})
	s.by(events.ActorConductor, events.TicketRetried{Ticket: "T-4", RetryCount: 2, Reason: "again"})
	status := s.set.MMAStatus()
	require.Equal(t, "TR-1", status.ActiveTrack)
	states := map[string]string{}
	for _, ticket := range status.ActiveTickets {
		states[ticket.ID] = ticket.Status
	}
	require.Equal(t, map[string]string{"T-1": "in_progress", "T-2": "blocked", "T-3": "completed", "T-4": "todo"}, states)
	require.Equal(t, 2, status.ActiveTickets[3].RetryCount)
	require.Nil(t, status.ActiveTickets[3].BlockedReason)
	require.Equal(t, "waits for legal", *status.ActiveTickets[1].BlockedReason)
	raw, err := json.Marshal(status.ActiveTickets[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"T-1","description":"","status":"in_progress","assigned_to":"","target_file":null,"context_requirements":[],"depends_on":[],
		"blocked_reason":null,"step_mode":false,"priority":"high","model_override":null,"persona_id":null,"retry_count":1}`, string(raw))
	require.Equal(t, 1, status.Tracks[0].Completed)
	require.Equal(t, 4, status.Tracks[0].Tickets)
	found, ok := s.set.Ticket("T-2")
	require.True(t, ok)
	require.Equal(t, events.StatusBlocked, found.Status)
	_, ok = s.set.Ticket("T-9")
	require.False(t, ok)
}

func TestMMAStatusFollowsTheGoal(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	require.Equal(t, projections.Idle, s.set.MMAStatus().MMAStatus)
	goal := s.by("ada", events.GoalSubmitted{Goal: "g"})
	require.Equal(t, projections.Planning, s.set.MMAStatus().MMAStatus)
	track := events.Track{ID: "TR-1"}
	s.by(events.ActorConductor, events.TrackStarted{Goal: goal, Track: track})
	require.Equal(t, events.StatusInProgress, s.set.MMAStatus().Tracks[0].Status,
		"a track that was never proposed shows too")
	s.by(events.ActorLead, events.TicketsPlanned{Track: "TR-1"})
	require.Equal(t, projections.Executing, s.set.MMAStatus().MMAStatus)
	s.by(events.ActorConductor, events.TrackCompleted{Track: "TR-1"})
	s.by(events.ActorConductor, events.GoalCompleted{Goal: goal})
	status := s.set.MMAStatus()
	require.Equal(t, projections.Done, status.MMAStatus)
	require.Equal(t, events.StatusCompleted, status.Tracks[0].Status)
	second := s.by("ada", events.GoalSubmitted{Goal: "h"})
	require.Equal(t, projections.Planning, s.set.MMAStatus().MMAStatus)
	s.by(events.ActorConductor, events.GoalFailed{Goal: second, Reason: "no plan"})
	require.Equal(t, projections.Idle, s.set.MMAStatus().MMAStatus, "a failed goal is not done")
}

func TestProposedTracksWaitForAPersonOnlyUnderReview(t *testing.T) {
	t.Parallel()
	for _, review := range []bool{false, true} {
		s := opened(t, events.Settings{PlanReview: review})
		goal := s.by("ada", events.GoalSubmitted{Goal: "g"})
		s.by(events.ActorPlanner, events.TracksProposed{Goal: goal, Tracks: []events.Track{{ID: "TR-1"}, {ID: "TR-2"}}})
		status := s.set.MMAStatus()
		if !review {
			require.Len(t, status.Tracks, 2)
			require.Empty(t, status.ProposedTracks)
			continue
		}
		require.Empty(t, status.Tracks)
		require.Len(t, status.ProposedTracks, 2)
		s.by("ada", events.TracksAccepted{Goal: goal, Tracks: []string{"TR-2"}})
		status = s.set.MMAStatus()
		require.Empty(t, status.ProposedTracks)
		require.Len(t, status.Tracks, 1)
		require.Equal(t, "TR-2", status.Tracks[0].ID)
	}
}

func TestWhetherPlansAreReviewedFollowsTheSettingsOfNow(t *testing.T) {
	t.Parallel()
	for _, now := range []bool{false, true} {
		s := opened(t, events.Settings{PlanReview: !now})
		s.by("ada", events.SettingsChanged{PlanReview: &now})
		goal := s.by("ada", events.GoalSubmitted{Goal: "g"})
		s.by(events.ActorPlanner, events.TracksProposed{Goal: goal, Tracks: []events.Track{{ID: "TR-1"}}})
		require.Equal(t, now, len(s.set.MMAStatus().ProposedTracks) == 1)
		require.Equal(t, !now, len(s.set.MMAStatus().Tracks) == 1)
	}
}

func TestPendingFlagsFollowTheGateOfOpenAsks(t *testing.T) {
	t.Parallel()
	type flags struct{ tool, step, spawn bool }
	cases := map[string]flags{
		events.GateTool: {tool: true}, events.GateHTTP: {tool: true}, events.GateInterrupted: {}, events.GateTrust: {},
		events.GateBudget: {}, events.GateMerge: {}, events.GateInput: {}, events.GateStep: {step: true},
		events.GateSpawn: {spawn: true},
	}
	for gate, want := range cases {
		s := opened(t, events.Settings{})
		s.by(events.ActorApproval, events.AskRaised{Ask: "A1", Gate: gate, Title: "?"})
		status := s.set.MMAStatus()
		require.Equal(t, want, flags{status.PendingToolApproval, status.PendingMMAStepApproval,
			status.PendingMMASpawnApproval}, gate)
		require.Equal(t, want.tool || want.step, status.PendingApproval, gate)
		require.Equal(t, want.spawn, status.PendingSpawn, gate)
		s.by("ada", events.AskAnswered{Ask: "A1", Decision: events.Yes})
		require.Equal(t, want.tool, s.set.MMAStatus().PendingToolApproval, "an answer settles nothing by itself")
		s.by(events.ActorApproval, events.AskSettled{Ask: "A1", Gate: gate, Outcome: events.Yes, By: "ada"})
		require.Equal(t, flags{}, flags{s.set.MMAStatus().PendingToolApproval, s.set.MMAStatus().PendingMMAStepApproval,
			s.set.MMAStatus().PendingMMASpawnApproval})
	}
}

func TestStepModeComesFromSettingsAndIsSet(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{StepMode: true})
	require.True(t, s.set.MMAStatus().StepMode)
	s.by("ada", events.StepModeSet{On: false})
	require.False(t, s.set.MMAStatus().StepMode)
}

func TestAIStatusAndIndicatorsSayWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	look := func() (string, projections.Diagnostics) { return s.set.MMAStatus().AIStatus, s.set.Diagnostics() }
	request := s.asks("T-1", 3)
	status, d := look()
	require.Equal(t, "sending...", status)
	require.Equal(t, projections.Diagnostics{Thinking: true}, d)
	require.Equal(t, "Tier 3", *s.set.MMAStatus().ActiveTier)
	s.replies(request, "", "run_powershell")
	for tool, want := range map[string]string{
		"run_powershell": "running powershell...", "fetch_url": "fetching url...", "web_search": "searching web...",
		"read_file": "running read_file...",
	} {
		s.approved(tool, tool, "T-1")
		status, d = look()
		require.Equal(t, want, status)
		require.Equal(t, projections.Diagnostics{Thinking: tool == "run_powershell", Live: true}, d)
		s.by("worker-1", outcome(tool, tool, "ok"))
	}
	s.by(events.ActorConductor, events.Paused{By: "ada"})
	status, d = look()
	require.Equal(t, "paused", status)
	require.Equal(t, projections.Diagnostics{}, d)
	s.by(events.ActorConductor, events.Resumed{By: "ada"})
	s.by("ada", events.SessionClosed{Reason: "enough"})
	status, d = look()
	require.Equal(t, "idle", status)
	require.Equal(t, projections.Diagnostics{Prior: true}, d)
	require.Nil(t, s.set.MMAStatus().ActiveTier)
}

func TestAKilledAttemptHasNothingUnderWay(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1", "T-2")
	s.asks("T-1", 3)
	s.approved("c1", "run_powershell", "T-1")
	s.by(events.ActorConductor, events.TicketKilled{Ticket: "T-1", Attempt: 1, By: "ada"})
	require.Equal(t, "idle", s.set.MMAStatus().AIStatus)
	s.asks("T-1", 3)
	require.Equal(t, "idle", s.set.MMAStatus().AIStatus, "a request that crossed the kill waits for nobody")
	s.by("worker-1", outcome("c1", "run_powershell", "late"))
	require.Equal(t, projections.Diagnostics{}, s.set.Diagnostics())
	s.asks("T-2", 3)
	require.Equal(t, "sending...", s.set.MMAStatus().AIStatus)
}

func TestStreamsHoldTheTextOfTheWorkTheyAreAt(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	first := s.asks("T-1", 3)
	s.replies(first, "looking", "read_file")
	s.replies(first, "again", "read_file")
	second := s.asks("T-1", 3)
	s.replies(second, "done")
	s.replies("unknown", "nobody asked")
	id := "Tier 3 (Worker): T-1"
	require.Equal(t, map[string]string{id: "looking\ndone"}, s.set.MMAStatus().MMAStreams,
		"only the first reply to a known request counts")
	require.Equal(t, "looking\ndone", s.set.StreamText(id))
	retry := s.by(events.ActorContributor, events.ModelRequested{StreamID: id, Ticket: "T-1", TicketAttempt: 2, Attempt: 1,
		Tier: 3})
	require.Equal(t, "looking\ndone", s.set.StreamText(id), "the old text stays until there is a new one")
	s.replies(retry, "afresh")
	require.Equal(t, "afresh", s.set.StreamText(id))
	require.Empty(t, s.set.StreamText("Tier 9"))
}
