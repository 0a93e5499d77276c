package conductor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func TestPause(t *testing.T) {
	t.Parallel()
	two := planned("TR-1", "A", "B < A")
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "pause", Given: begin(), When: events.PauseRequested{}, Then: given(events.Paused{By: "ada"})},
		{
			Name: "pausing twice is refused", Given: given(begin(), events.PauseRequested{}), When: events.PauseRequested{},
			Then: given(refusal("PauseRequested", "", "the session is already paused")),
		},
		{
			Name: "resuming what runs is refused", Given: begin(), When: events.ResumeRequested{},
			Then: given(refusal("ResumeRequested", "", "the session is not paused")),
		},
		{
			Name: "paused: what becomes ready does not start", Given: given(begin(), events.PauseRequested{}), When: two,
			Then: given(isReady("A")),
		},
		{
			Name:  "paused: the running ticket finishes, its dependant does not start",
			Given: given(begin(), two, approve("A", 1), events.PauseRequested{}), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, isReady("B")),
		},
		{
			Name:  "paused: a failed attempt is retried only later",
			Given: given(begin(retries(1)), two, approve("A", 1), events.PauseRequested{}), When: gaveUp("A", 1),
			Then: given(events.TicketRetried{Ticket: "A", RetryCount: 1, Reason: "no such file"}, isReady("A")),
		},
		{
			Name:  "paused: the last ticket still ends the goal",
			Given: given(begin(), planned("TR-1", "A"), approve("A", 1), events.PauseRequested{}), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, finished()),
		},
		{
			Name: "resuming starts what waits", Given: given(begin(), events.PauseRequested{}, two),
			When: events.ResumeRequested{},
			Then: given(events.Resumed{By: "ada"}, spawn("A", 1, "m0")),
		},
		{Name: "paused: approval is held", Given: given(begin(), two, events.PauseRequested{}), When: approve("A", 1)},
		{
			Name:  "resuming starts what was approved meanwhile",
			Given: given(begin(), two, events.PauseRequested{}, approve("A", 1)), When: events.ResumeRequested{},
			Then: given(events.Resumed{By: "ada"}, started("A", 1, 0, "m0")),
		},
		{
			Name: "what was held and blocked does not start",
			Given: given(begin(), planned("TR-1", "A", "B"), events.PauseRequested{}, approve("A", 1),
				events.BlockRequested{Ticket: "A", Reason: "wait"}),
			When: events.ResumeRequested{}, Then: given(events.Resumed{By: "ada"}),
		},
	})
}

func TestKill(t *testing.T) {
	t.Parallel()
	chain := planned("TR-1", "A", "B < A", "C")
	killed := given(events.TicketKilled{Ticket: "A", Attempt: 1, By: "ada"},
		events.TicketBlocked{Ticket: "A", Kind: events.BlockKilled, Reason: "killed by ada"})
	kill := events.KillRequested{Ticket: "A"}
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "a running ticket is killed and blocks its dependants", Given: given(begin(retries(2)), chain,
				approve("A", 1)), When: kill,
			Then: given(killed, blockedBy("B", "A")),
		},
		{
			Name: "a kill frees the slot", Given: given(begin(workers(1)), chain, approve("A", 1)), When: kill,
			Then: given(killed, blockedBy("B", "A"), spawn("C", 1, "m0")),
		},
		{
			Name: "a kill of the last one ends the track", Given: given(begin(), planned("TR-1", "A"), approve("A", 1)),
			When: kill,
			Then: given(killed, stuck("A is blocked (killed): killed by ada")),
		},
		{Name: "the late outcome of a killed attempt does not count", Given: given(begin(), chain, approve("A", 1), kill),
			When: done("A", 1)},
		{
			Name:  "the late outcome of a killed attempt does not count for the next one",
			Given: given(begin(), chain, approve("A", 1), kill, events.RetryRequested{Ticket: "A"}, approve("A", 2)),
			When:  done("A", 1),
		},
		{
			Name: "an unknown ticket is refused", Given: begin(), When: kill,
			Then: given(refusal("KillRequested", "A", "there is no such ticket")),
		},
		{
			Name: "a todo ticket is refused", Given: given(begin(), chain), When: events.KillRequested{Ticket: "B"},
			Then: given(refusal("KillRequested", "B", "it is not running: it is waiting for its dependencies")),
		},
		{
			Name: "a spawning ticket is refused", Given: given(begin(), chain), When: kill,
			Then: given(refusal("KillRequested", "A", "it is not running: it is waiting for approval to start")),
		},
		{
			Name: "a completed ticket is refused", Given: given(begin(), chain, ran("A")), When: kill,
			Then: given(refusal("KillRequested", "A", "it is not running: it is completed")),
		},
		{
			Name: "killing twice is refused", Given: given(begin(), chain, approve("A", 1), kill), When: kill,
			Then: given(refusal("KillRequested", "A", "it is not running: it is blocked")),
		},
	})
}

func TestRetryByHand(t *testing.T) {
	t.Parallel()
	chain := planned("TR-1", "A", "B < A", "C < B", "D")
	retry := events.RetryRequested{Ticket: "A"}
	retried := events.TicketRetried{Ticket: "A", RetryCount: 1, Reason: "retried by ada"}
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "a retry releases the dependants hop by hop", Given: given(begin(), chain, failed("A")), When: retry,
			Then: given(retried, events.TicketUnblocked{Ticket: "B"}, isReady("A"), events.TicketUnblocked{Ticket: "C"},
				spawn("A", 2, "m1")),
		},
		{
			Name:  "a released dependant goes on as if nothing had been",
			Given: given(begin(), chain, failed("A"), retry, approve("A", 2)), When: done("A", 2),
			Then: given(events.TicketCompleted{Ticket: "A"}, isReady("B"), spawn("B", 1, "m0")),
		},
		{
			Name: "a retry does not bring automatic ones back", Given: given(begin(retries(0)), chain, failed("A"), retry,
				approve("A", 2)), When: gaveUp("A", 2),
			Then: given(blockedWorker("A"), blockedBy("B", "A"), blockedBy("C", "B")),
		},
		{
			Name:  "a dependant with another blocked dependency stays blocked",
			Given: given(begin(), planned("TR-1", "A", "X", "B < A X", "D"), failed("A"), failed("X")), When: retry,
			Then: given(retried, isReady("A"), spawn("A", 2, "m1")),
		},
		{
			Name: "a dependency block cannot be retried", Given: given(begin(), chain, failed("A")), When: events.RetryRequested{
				Ticket: "B"},
			Then: given(refusal("RetryRequested", "B", "it depends on A, which is blocked")),
		},
		{
			Name: "what is not blocked cannot be retried", Given: given(begin(), chain, approve("A", 1)), When: retry,
			Then: given(refusal("RetryRequested", "A", "it is not blocked: it is running")),
		},
		{
			Name: "an unknown ticket is refused", Given: given(begin(), chain), When: events.RetryRequested{Ticket: "Z"},
			Then: given(refusal("RetryRequested", "Z", "there is no such ticket")),
		},
		{
			Name:  "a retry revives a failed goal without starting the track again",
			Given: given(begin(), planned("TR-1", "A"), failed("A"), retry, approve("A", 2)), When: done("A", 2),
			Then: given(events.TicketCompleted{Ticket: "A"}, finished()),
		},
		{
			Name:  "a revived goal that gets stuck again says so again",
			Given: given(begin(), planned("TR-1", "A"), failed("A"), retry, approve("A", 2)), When: gaveUp("A", 2),
			Then: given(blockedWorker("A"), stuck("A is blocked (worker): no such file")),
		},
	})
}

func TestBlockAndUnblockByHand(t *testing.T) {
	t.Parallel()
	chain := planned("TR-1", "A", "B < A", "C < B", "D")
	block := func(id string) events.Payload { return events.BlockRequested{Ticket: id, Reason: "waits for legal"} }
	manual := func(id string) events.Payload {
		return events.TicketBlocked{Ticket: id, Kind: events.BlockManual, Reason: "waits for legal"}
	}
	unblock := func(id string) events.Payload { return events.UnblockRequested{Ticket: id} }
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "a manual block cascades", Given: given(begin(), chain), When: block("B"),
			Then: given(manual("B"), blockedBy("C", "B")),
		},
		{
			Name: "unblocking releases the dependants", Given: given(begin(), chain, block("B")), When: unblock("B"),
			Then: given(events.TicketUnblocked{Ticket: "B"}, events.TicketUnblocked{Ticket: "C"}),
		},
		{
			Name:  "unblocking a ticket whose dependencies are done makes it ready",
			Given: given(begin(), chain, block("B"), ran("A")), When: unblock("B"),
			Then: given(events.TicketUnblocked{Ticket: "B"}, events.TicketUnblocked{Ticket: "C"}, isReady("B"),
				spawn("B", 1, "m0")),
		},
		{
			Name: "a blocked ticket does not become ready", Given: given(begin(), chain, block("B"), approve("A", 1)),
			When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}),
		},
		{
			Name:  "a ready ticket that is blocked leaves the queue",
			Given: given(begin(workers(1)), planned("TR-1", "A", "B", "C"), block("B"), approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, spawn("C", 1, "m0")),
		},
		{
			Name:  "a ticket that waits for approval can be blocked, which frees its slot",
			Given: given(begin(workers(1)), planned("TR-1", "A", "B")), When: block("A"),
			Then: given(manual("A"), spawn("B", 1, "m0")),
		},
		{Name: "its late approval does not count", Given: given(begin(), chain, block("A")), When: approve("A", 1)},
		{
			Name: "it asks again as the next attempt once unblocked", Given: given(begin(), planned("TR-1", "A", "D"),
				block("A")), When: unblock("A"),
			Then: given(events.TicketUnblocked{Ticket: "A"}, isReady("A"), spawn("A", 2, "m0")),
		},
		{
			Name: "a block without a reason gets one", Given: given(begin(), chain), When: events.BlockRequested{Ticket: "C"},
			Then: given(events.TicketBlocked{Ticket: "C", Kind: events.BlockManual, Reason: "blocked by ada"}),
		},
		{
			Name: "a running ticket cannot be blocked", Given: given(begin(), chain, approve("A", 1)), When: block("A"),
			Then: given(refusal("BlockRequested", "A", "only a todo ticket can be blocked: it is running")),
		},
		{
			Name: "a completed ticket cannot be blocked", Given: given(begin(), chain, ran("A")), When: block("A"),
			Then: given(refusal("BlockRequested", "A", "only a todo ticket can be blocked: it is completed")),
		},
		{
			Name: "a blocked ticket cannot be blocked again", Given: given(begin(), chain, block("A")), When: block("A"),
			Then: given(refusal("BlockRequested", "A", "only a todo ticket can be blocked: it is blocked")),
		},
		{
			Name: "an unknown ticket is refused", Given: given(begin(), chain), When: block("Z"),
			Then: given(refusal("BlockRequested", "Z", "there is no such ticket")),
		},
		{
			Name: "a dependency block cannot be undone by hand", Given: given(begin(), chain, block("B")), When: unblock("C"),
			Then: given(refusal("UnblockRequested", "C", "it depends on B, which is blocked")),
		},
		{
			Name: "a manual block stays while a dependency is blocked", Given: given(begin(), chain, block("B"), block("A")),
			When: unblock("B"),
			Then: given(refusal("UnblockRequested", "B", "it depends on A, which is blocked")),
		},
		{
			Name: "a manual block does not go with its dependency's", Given: given(begin(), chain, block("B"), block("A")),
			When: unblock("A"),
			Then: given(events.TicketUnblocked{Ticket: "A"}, isReady("A"), spawn("A", 2, "m0")),
		},
		{
			Name: "what is not blocked cannot be unblocked", Given: given(begin(), chain), When: unblock("B"),
			Then: given(refusal("UnblockRequested", "B", "it is not blocked: it is waiting for its dependencies")),
		},
		{
			Name: "an unknown ticket cannot be unblocked", Given: given(begin(), chain), When: unblock("Z"),
			Then: given(refusal("UnblockRequested", "Z", "there is no such ticket")),
		},
		{
			Name: "blocks of worker, kill and denial can be undone", Given: given(begin(), planned("TR-1", "A", "D"),
				failed("A")), When: unblock("A"),
			Then: given(events.TicketUnblocked{Ticket: "A"}, isReady("A"), spawn("A", 2, "m0")),
		},
		{
			Name:  "unblocking what still waits for nothing known says stuck again",
			Given: given(begin(), planned("TR-1", "A < X"), block("A")), When: unblock("A"),
			Then: given(events.TicketUnblocked{Ticket: "A"}, stuck("A waits for X, which does not exist")),
		},
		{
			Name:  "blocking in a stuck track does not repeat the report",
			Given: given(begin(), planned("TR-1", "A < X")), When: block("A"), Then: given(manual("A")),
		},
	})
}

func TestControlCountsFromPersonsOnly(t *testing.T) {
	t.Parallel()
	for _, actor := range []string{"worker-1", "agent-x", events.ActorGateway, events.ActorLead, events.ActorModels} {
		m := conductor.Decider().Start()
		take := func(actor string, p events.Payload) []events.Event {
			facts, err := m.Take(&events.Event{ID: "E", Type: p.EventType().Name, Actor: actor, Payload: p})
			require.NoError(t, err)
			return facts
		}
		take("ada", opened(review))
		m2 := events.GoalSubmitted{Goal: "g"}
		_, err := m.Take(&events.Event{ID: goalID, Type: "GoalSubmitted", Actor: "ada", Payload: m2})
		require.NoError(t, err)
		take(events.ActorPlanner, proposed("TR-1"))
		require.Empty(t, take(actor, events.PauseRequested{}), actor)
		require.Empty(t, take(actor, events.TracksAccepted{Goal: goalID}), actor)
		require.Empty(t, take(actor, events.KillRequested{Ticket: "A"}), actor)
		require.Len(t, take("ada", events.TracksAccepted{Goal: goalID}), 1, "a person's word counts")
	}
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 4000)
	tierstest.Run(t, conductor.Decider(), scenarios{{
		Name: "a long reason", Given: given(begin(), planned("TR-1", "A", "B")), When: events.BlockRequested{Ticket: "A",
			Reason: long},
		Then: given(tierstest.Check(func(t testing.TB, p events.TicketBlocked) {
			require.Equal(t, strings.Repeat("ä", 1024)+"…", p.Reason)
		})),
	}})
}

func TestATurnIsKilledFromDecisionsThreeOn(t *testing.T) {
	t.Parallel()
	under := func(n int) []events.Payload {
		return given(events.SessionOpened{Basis: events.Basis{Decisions: map[string]int{events.ActorConductor: n}}},
			events.TurnRequested{Discussion: "main", Text: "x"})
	}
	turn := events.TurnTicket(tierstest.ID(2))
	kill := events.KillRequested{Ticket: turn}
	ended := events.TurnEnded{Turn: turn, Discussion: "main", Outcome: events.TurnDone}
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "3", Given: under(3), When: kill,
			Then: given(events.TicketKilled{Ticket: turn, Attempt: 1, By: "ada"})},
		{Name: "2", Given: under(2), When: kill, Then: given(refusal("KillRequested", turn, "there is no such ticket"))},
		{Name: "not once it has ended", Given: given(under(3), ended), When: kill,
			Then: given(refusal("KillRequested", turn, "there is no such ticket"))},
	})
}
