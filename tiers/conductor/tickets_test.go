package conductor_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

type scenarios = []tierstest.Scenario

func TestReadiness(t *testing.T) {
	t.Parallel()
	diamond := planned("TR-1", "A", "B < A", "C < A", "D < B C")
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name:  "a plan makes its roots ready and asks to start them",
			Given: begin(), When: planned("TR-1", "A", "B < A", "C"),
			Then: given(isReady("A"), isReady("C"), spawn("A", 1, "m0"), spawn("C", 1, "m0")),
		},
		{
			Name:  "one completed dependency of two is not enough",
			Given: given(begin(), diamond, ran("A"), approve("B", 1), approve("C", 1)), When: done("B", 1),
			Then: given(events.TicketCompleted{Ticket: "B"}),
		},
		{
			Name:  "the tip of a diamond is ready once, after both arms",
			Given: given(begin(), diamond, ran("A", "B"), approve("C", 1)), When: done("C", 1),
			Then: given(events.TicketCompleted{Ticket: "C"}, isReady("D"), spawn("D", 1, "m0")),
		},
		{
			Name:  "both arms become ready at once, in planned order",
			Given: given(begin(), diamond, approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, isReady("B"), isReady("C"), spawn("B", 1, "m0"),
				spawn("C", 1, "m0")),
		},
		{
			Name:  "all completed ends track and goal",
			Given: given(begin(), diamond, ran("A", "B", "C"), approve("D", 1)), When: done("D", 1),
			Then: given(events.TicketCompleted{Ticket: "D"}, finished()),
		},
		{
			Name:  "a dependency named twice counts once",
			Given: given(begin(), planned("TR-1", "A", "B < A A"), approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, isReady("B"), spawn("B", 1, "m0")),
		},
		{
			Name:  "an unknown dependency never becomes ready and is named at the end",
			Given: given(begin(), planned("TR-1", "T-1", "T-3 < T-1 T-9"), approve("T-1", 1)), When: done("T-1", 1),
			Then: given(events.TicketCompleted{Ticket: "T-1"}, stuck("T-3 waits for T-9, which does not exist")),
		},
		{
			Name:  "a cycle that slipped through is named, not awaited",
			Given: begin(), When: planned("TR-1", "A < B", "B < A"),
			Then: stuck("A waits for B, which is not completed; B waits for A, which is not completed"),
		},
		{
			Name:  "a plan without tickets is completed",
			Given: begin(), When: planned("TR-1"), Then: finished(),
		},
		{Name: "a plan for an unknown track changes nothing", Given: begin(), When: planned("TR-7", "A")},
		{
			Name:  "a second plan for a track changes nothing",
			Given: given(begin(), planned("TR-1", "A")), When: planned("TR-1", "B"),
		},
		{
			Name:  "a plan that repeats an id blocks its track",
			Given: begin(), When: planned("TR-1", "A", "A"),
			Then: stuck("the plan uses the ticket id A a second time"),
		},
	})
}

func TestStarting(t *testing.T) {
	t.Parallel()
	override := events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{tkt("A")}}
	override.Tickets[0].ModelOverride = "special"
	special := override.Tickets[0]
	special.Status = events.StatusInProgress
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "an approved ticket starts", Given: given(begin(), planned("TR-1", "A")), When: approve("A", 1),
			Then: given(started("A", 1, 0, "m0")),
		},
		{
			Name:  "a prompt that a person edited replaces the description",
			Given: given(begin(), planned("TR-1", "A")),
			When:  events.SpawnApproved{Ticket: "A", Attempt: 1, Prompt: "Do it well", By: "ada"},
			Then: given(events.TicketStarted{
				Track: "TR-1", Attempt: 1, Model: "m0", Prompt: "Do it well",
				Ticket: started("A", 1, 0, "m0").(events.TicketStarted).Ticket,
			}),
		},
		{
			Name: "a ticket's own model is asked for", Given: begin(), When: override,
			Then: given(isReady("A"), events.SpawnRequested{Ticket: "A", Attempt: 1, Model: "special", Prompt: "Do A"}),
		},
		{
			Name: "a ticket's own model is used", Given: given(begin(), override), When: approve("A", 1),
			Then: given(events.TicketStarted{Track: "TR-1", Ticket: special, Attempt: 1, Model: "special", Prompt: "Do A"}),
		},
		{
			Name: "a denied start blocks", Given: given(begin(), planned("TR-1", "A", "B")),
			When: events.SpawnDenied{Ticket: "A", Attempt: 1, Reason: "later", By: "ada"},
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockDenied, Reason: "later"}),
		},
		{
			Name: "a denied start without a reason gets one", Given: given(begin(), planned("TR-1", "A", "B")),
			When: events.SpawnDenied{Ticket: "A", Attempt: 1, By: "ada"},
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockDenied, Reason: "its start was denied"}),
		},
		{Name: "approval of another attempt does not count", Given: given(begin(), planned("TR-1", "A")),
			When: approve("A", 2)},
		{Name: "approval of an unknown ticket does not count", Given: given(begin(), planned("TR-1", "A")),
			When: approve("X", 1)},
		{Name: "a second approval does not count", Given: given(begin(), planned("TR-1", "A"), approve("A", 1)),
			When: approve("A", 1)},
		{
			Name: "denial after approval does not count", Given: given(begin(), planned("TR-1", "A"), approve("A", 1)),
			When: events.SpawnDenied{Ticket: "A", Attempt: 1, Reason: "no", By: "ada"},
		},
	})
}

func TestWorkerLimitAndOrder(t *testing.T) {
	t.Parallel()
	five := planned("TR-1", numbered(5)...)
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "four slots: the fifth ready ticket waits", Given: begin(), When: five,
			Then: given(isReady("T-1"), isReady("T-2"), isReady("T-3"), isReady("T-4"), isReady("T-5"),
				spawn("T-1", 1, "m0"), spawn("T-2", 1, "m0"), spawn("T-3", 1, "m0"), spawn("T-4", 1, "m0")),
		},
		{
			Name:  "waiting for approval takes a slot, and so does running",
			Given: given(begin(), five, approve("T-1", 1), approve("T-2", 1)), When: approve("T-3", 1),
			Then: given(started("T-3", 1, 0, "m0")),
		},
		{
			Name: "a free slot goes to the fifth", Given: given(begin(), five, approve("T-3", 1)), When: done("T-3", 1),
			Then: given(events.TicketCompleted{Ticket: "T-3"}, spawn("T-5", 1, "m0")),
		},
		{
			Name: "a denied start frees its slot", Given: given(begin(), five),
			When: events.SpawnDenied{Ticket: "T-2", Attempt: 1, Reason: "no", By: "ada"},
			Then: given(events.TicketBlocked{Ticket: "T-2", Kind: events.BlockDenied, Reason: "no"}, spawn("T-5", 1, "m0")),
		},
		{
			Name: "no limit on record means one", Given: begin(workers(0)), When: planned("TR-1", "A", "B"),
			Then: given(isReady("A"), isReady("B"), spawn("A", 1, "m0")),
		},
		{
			Name: "high before medium before low, then planned order", Given: begin(workers(6)),
			When: planned("TR-1", "-L1", "M1", "+H1", "-L2", "M2", "+H2"),
			Then: given(isReady("L1"), isReady("M1"), isReady("H1"), isReady("L2"), isReady("M2"), isReady("H2"),
				spawn("H1", 1, "m0"), spawn("H2", 1, "m0"), spawn("M1", 1, "m0"), spawn("M2", 1, "m0"),
				spawn("L1", 1, "m0"), spawn("L2", 1, "m0")),
		},
		{
			Name:  "a late high ticket overtakes a waiting low one",
			Given: given(begin(workers(1)), planned("TR-1", "A", "-L", "+H < A"), approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, isReady("H"), spawn("H", 1, "m0")),
		},
	})
}

func TestRetriesEscalate(t *testing.T) {
	t.Parallel()
	one := planned("TR-1", "A")
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "the first failure retries with the next model", Given: given(begin(retries(2)), one, approve("A", 1)),
			When: gaveUp("A", 1),
			Then: given(events.TicketRetried{Ticket: "A", RetryCount: 1, Reason: "no such file"}, isReady("A"),
				spawn("A", 2, "m1")),
		},
		{
			Name: "a retried ticket starts with its count", Given: given(begin(retries(2)), one, failed("A")),
			When: approve("A", 2),
			Then: given(started("A", 2, 1, "m1")),
		},
		{
			Name: "the second failure retries with the last model", Given: given(begin(retries(2)), one, failed("A"),
				approve("A", 2)), When: gaveUp("A", 2),
			Then: given(events.TicketRetried{Ticket: "A", RetryCount: 2, Reason: "no such file"}, isReady("A"),
				spawn("A", 3, "m2")),
		},
		{
			Name:  "after the last retry it is blocked",
			Given: given(begin(retries(2)), one, failed("A"), approve("A", 2), gaveUp("A", 2), approve("A", 3)),
			When:  gaveUp("A", 3),
			Then:  given(blockedWorker("A"), stuck("A is blocked (worker): no such file")),
		},
		{
			Name: "a failure without a reason gets one", Given: given(begin(), planned("TR-1", "A", "B"), approve("A", 1)),
			When: events.TicketResolved{Ticket: "A", Attempt: 1, Outcome: events.ResolvedBlocked},
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockWorker, Reason: "the attempt gave up"}),
		},
		{
			Name: "what a person refused is not retried by itself", Given: given(begin(retries(2)), planned("TR-1", "A", "B < A",
				"C"), approve("A", 1)),
			When: refusedRound("A", 1),
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockDenied, Reason: "step refused by ada: no"},
				blockedBy("B", "A")),
		},
		{
			Name: "a refusal without a reason gets one", Given: given(begin(retries(2)), planned("TR-1", "A", "C"),
				approve("A", 1)),
			When: events.TicketResolved{Ticket: "A", Attempt: 1, Outcome: events.ResolvedBlocked, Final: true},
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockDenied, Reason: "the attempt gave up"}),
		},
		{
			Name: "a person's retry after a refusal brings automatic ones back",
			Given: given(begin(retries(2)), one, approve("A", 1), refusedRound("A", 1), events.RetryRequested{Ticket: "A"},
				approve("A", 2)),
			When: gaveUp("A", 2), Then: given(events.TicketRetried{Ticket: "A", RetryCount: 2, Reason: "no such file"},
				isReady("A"), spawn("A", 3, "m2")),
		},
		{
			Name: "final says nothing of what is done", Given: given(begin(), one, approve("A", 1)),
			When: events.TicketResolved{Ticket: "A", Attempt: 1, Outcome: events.ResolvedDone, Final: true},
			Then: given(events.TicketCompleted{Ticket: "A"}, finished()),
		},
		{
			Name: "an outcome nobody knows is no success", Given: given(begin(), planned("TR-1", "A", "B"), approve("A", 1)),
			When: events.TicketResolved{Ticket: "A", Attempt: 1, Outcome: "perhaps", Reason: "hm"},
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockWorker, Reason: "hm"}),
		},
		{Name: "an old attempt's outcome does not count", Given: given(begin(retries(2)), one, failed("A"), approve("A", 2)),
			When: done("A", 1)},
		{Name: "an outcome before the start does not count", Given: given(begin(), one), When: done("A", 1)},
		{Name: "a second outcome does not count", Given: given(begin(), planned("TR-1", "A", "B"), approve("A", 1),
			done("A", 1)), When: gaveUp("A", 1)},
	})
}

func TestBlockCascade(t *testing.T) {
	t.Parallel()
	chain := planned("TR-1", "A", "B < A", "C < B", "D < C", "E")
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "a block runs down the chain, and others go on", Given: given(begin(), chain, approve("A", 1)),
			When: gaveUp("A", 1),
			Then: given(blockedWorker("A"), blockedBy("B", "A"), blockedBy("C", "B"), blockedBy("D", "C")),
		},
		{
			Name: "the end names each ticket and why", Given: given(begin(), chain, failed("A"), approve("E", 1)),
			When: done("E", 1),
			Then: given(events.TicketCompleted{Ticket: "E"},
				stuck("A is blocked (worker): no such file; B waits for A, which is blocked; C waits for B, which is blocked; D "+
					"waits for C, which is blocked")),
		},
		{
			Name:  "one blocked arm blocks the tip of a diamond, once",
			Given: given(begin(), planned("TR-1", "A", "B", "D < A B"), failed("A"), approve("B", 1)), When: gaveUp("B", 1),
			Then: given(blockedWorker("B"), stuck("A is blocked (worker): no such file; B is blocked (worker): no such file; "+
				"D waits for A, which is blocked and for B, which is blocked")),
		},
		{
			Name: "a track of forty blocked tickets names twenty", Given: given(begin(workers(1)), planned("TR-1", fan(40)...),
				approve("A", 1)), When: gaveUp("A", 1),
			Then: append(fanBlocked(40), given(
				tierstest.Check(func(t testing.TB, p events.TrackBlocked) { endsWith(t, p.Reason, "; and 21 more") }),
				tierstest.Check(func(t testing.TB, p events.GoalFailed) { endsWith(t, p.Reason, "; and 21 more") }))...),
		},
	})
}
