package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestAnAskIsSettledOnceByTheFirst(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateTool, Title: "edit_file a.go", Ticket: "T-1",
		Call: "c1", Tool: "edit_file",
		Args: json.RawMessage(`{"path":"a.go"}`), ArgsSHA256: "d", Effect: "writes", Diff: "-a\n+b\n"})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A2", Gate: events.GateStep, Title: "round 2"})
	require.Len(t, s.set.OpenAsks(), 2)
	s.by(events.ActorApproval, events.AskSettled{Ask: "A1", Gate: events.GateTool, Outcome: events.No, By: "ada",
		AnswerID: "X", Reason: "not this file", At: at(9)})
	s.by(events.ActorApproval, events.AskSettled{Ask: "A1", Gate: events.GateTool, Outcome: events.Yes, By: "bob",
		AnswerID: "Y", At: at(10)})
	s.by(events.ActorApproval, events.AnswerRefused{Ask: "A1", AnswerID: "Y", Author: "bob",
		Reason: "it was settled before"})
	a, ok := s.set.Ask("A1")
	require.True(t, ok)
	require.False(t, a.Open())
	require.Equal(t, projections.SettledAsk{Outcome: events.No, By: "ada", At: at(9), Seq: 4, AnswerID: "X",
		Reason: "not this file"}, *a.Settled)
	require.Equal(t, "-a\n+b\n", a.Diff)
	require.Equal(t, []projections.RefusedAsk{{AnswerID: "Y", Author: "bob", Reason: "it was settled before", At: at(6)}},
		a.Refused)
	open := s.set.OpenAsks()
	require.Len(t, open, 1)
	require.Equal(t, "A2", open[0].Ask)
	require.Len(t, s.set.Asks(), 2)
	_, ok = s.set.Ask("A9")
	require.False(t, ok)
}

func TestRefusedAnswersOfAnAskAreBounded(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateTool})
	for range projections.MaxRefused + 1 {
		s.by(events.ActorApproval, events.AnswerRefused{Ask: "A1", Author: "bob"})
	}
	a, _ := s.set.Ask("A1")
	require.Len(t, a.Refused, projections.MaxRefused)
}

func TestAPostedAskKeepsWhatWasPosted(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("agent-cli", events.AskPosted{RequestID: "r-1", Data: json.RawMessage(`{"tool":"x"}`), BodySHA256: "b1",
		TimeoutMS: 60000})
	s.by("agent-cli", events.AskPosted{RequestID: "r-1", Data: json.RawMessage(`{"tool":"y"}`), BodySHA256: "b2",
		TimeoutMS: 1})
	waiting, ok := s.set.PostedAsk("r-1")
	require.True(t, ok)
	require.Equal(t, "b1", waiting.BodySHA256, "the first one counts")
	s.by(events.ActorApproval, events.AskRaised{Ask: "r-1", Gate: events.GateHTTP, Args: json.RawMessage(`{"tool":"x"}`),
		PostedBy: "agent-cli"})
	_, ok = s.set.PostedAsk("r-1")
	require.False(t, ok)
	a, ok := s.set.Ask("r-1")
	require.True(t, ok)
	require.Equal(t, &projections.PostedAsk{RequestID: "r-1", BodySHA256: "b1", TimeoutMS: 60000}, a.Posted)
}

func TestTheQueueIsDrainedPerClient(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.EventPushed{Kind: "note", Payload: json.RawMessage(`{"n":1}`)})
	s.by("ada", events.EventPushed{Kind: "note", Payload: json.RawMessage(`{"n":2}`)})
	require.Len(t, s.set.Queue(""), 2)
	s.by(events.ActorGateway, events.EventsDrained{Through: 2})
	require.Len(t, s.set.Queue(""), 1)
	require.Len(t, s.set.Queue("other"), 2, "each client has its own position")
	s.by(events.ActorGateway, events.EventsDrained{Client: "other", Through: 3})
	require.Empty(t, s.set.Queue("other"))
	s.by(events.ActorGateway, events.EventsDrained{Client: "other", Through: 1})
	require.Empty(t, s.set.Queue("other"), "a position never goes back")
	require.EqualValues(t, 3, s.set.QueuePosition("other"))
	require.Len(t, s.set.QueueSince(0), 2, "what was drained can be had again")
	require.Len(t, s.set.QueueSince(2), 1)
	raw, err := json.Marshal(s.set.QueueSince(2)[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"seq":3,"type":"note","event_type":"note","ts":"2026-01-02T03:04:08Z","payload":{"n":2}}`,
		string(raw))
}

func TestFactsThatClientsWaitForStandInTheQueue(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	from := s.set.Seq()
	s.by(events.ActorApproval, events.AskRaised{Ask: "r-1", Gate: events.GateHTTP, Args: json.RawMessage(`{"tool":"x"}`)})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateStep, Ticket: "T-1", Attempt: 1, Round: 2})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A2", Gate: events.GateSpawn, Ticket: "T-1"})
	s.by(events.ActorApproval, events.AskRaised{Ask: "A3", Gate: events.GateTool, Tool: "edit_file"})
	s.replies(s.asks("T-1", 3), "hello")
	s.by(events.ActorModels, events.ModelFailed{Request: s.asks("T-1", 3), Kind: events.ModelNetwork, Message: "gone"})
	s.approved("c1", "read_file", "T-1")
	s.by("worker-1", outcome("c1", "read_file", "ok"))
	s.by("worker-1", outcome("c1", "read_file", "twice"))
	var kinds []string
	for _, e := range s.set.QueueSince(from) {
		kinds = append(kinds, e.Type)
	}
	require.Equal(t, []string{
		"ask_received", "mma_step_approval", "mma_spawn_approval", "ask", "request_start", "response_received", "response",
		"request_start", "response_received", "tool_execution", "tool_execution",
	}, kinds)
	received, err := json.Marshal(s.set.QueueSince(from)[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"seq":6,"type":"ask_received","event_type":"ask_received","ts":"2026-01-02T03:04:11Z","request_id":"r-1","data":{"tool":"x"},
		"payload":{"request_id":"r-1","data":{"tool":"x"},"ask":"r-1","gate":"http"}}`, string(received))
	response := s.set.QueueSince(from)[6].Fields
	require.Equal(t, &projections.QueueFields{StreamID: "Tier 3 (Worker): T-1", Tier: 3, Ticket: "T-1", Status: "done",
		Text: "hello"}, response)
}

func TestAPlanThatWaitsStandsInTheQueue(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	from := s.set.Seq()
	proposed := events.TracksProposed{Goal: "g", Tracks: []events.Track{{ID: "TR-8"}, {ID: "TR-9"}}}
	s.by(events.ActorPlanner, proposed)
	require.Empty(t, s.set.QueueSince(from), "it starts at once")
	on := true
	s.by("ada", events.SettingsChanged{PlanReview: &on})
	s.by(events.ActorPlanner, proposed)
	queue := s.set.QueueSince(from)
	require.Len(t, queue, 1)
	require.Equal(t, projections.QueuePlanApproval, queue[0].Type)
	require.Equal(t, &projections.QueueFields{Goal: "g", Title: "2 tracks proposed", Status: "waiting"}, queue[0].Fields)
}
