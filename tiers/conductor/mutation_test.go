package conductor_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func depend(ticket, on string) events.GraphOp {
	return events.GraphOp{Op: events.GraphAddDependency, Ticket: ticket, Dependency: on}
}

func release(ticket, from string) events.GraphOp {
	return events.GraphOp{Op: events.GraphRemoveDependency, Ticket: ticket, Dependency: from}
}

func remove(ticket string) events.GraphOp {
	return events.GraphOp{Op: events.GraphRemoveTicket, Ticket: ticket}
}

func priority(ticket, p string) events.GraphOp {
	return events.GraphOp{Op: events.GraphSetPriority, Ticket: ticket, Priority: p}
}

// fresh is a new ticket in the way of tkt.
func fresh(track, line string) events.GraphOp {
	t := tkt(line)
	if t.DependsOn == nil {
		t.DependsOn = []string{}
	}
	return events.GraphOp{Op: events.GraphAddTicket, Ticket: t.ID, Track: track, New: &t}
}

func change(ops ...events.GraphOp) events.Payload { return events.GraphMutationRequested{Ops: ops} }

// changed is the answer to the newest wish to change the graph.
func changed(ops ...events.GraphOp) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.GraphMutated{Request: h.LastID("GraphMutationRequested"), By: "ada", Ops: ops}
	})
}

func refusedChange(ticket, reason string) []events.Payload {
	return given(refusal("GraphMutationRequested", ticket, reason))
}

func TestTheGraphChangesAsAsked(t *testing.T) {
	t.Parallel()
	chain := planned("TR-1", "A", "B < A", "C < B")
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "a ticket without its last dependency is ready", Given: given(begin(), chain), When: change(release("B", "A")),
			Then: given(changed(release("B", "A")), isReady("B"), spawn("B", 1, "m0")),
		},
		{
			Name: "a ready ticket waits again", Given: given(begin(workers(1)), planned("TR-1", "A", "B", "C")),
			When: change(depend("B", "A")),
			Then: given(changed(depend("B", "A"))),
		},
		{
			Name: "and becomes ready again", Given: given(begin(workers(1)), planned("TR-1", "A", "B"), change(depend("B", "A")),
				approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, isReady("B"), spawn("B", 1, "m0")),
		},
		{
			Name: "a wait for what is completed is none", Given: given(begin(workers(2)), planned("TR-1", "A", "B", "C < B"),
				ran("A")), When: change(depend("C", "A")),
			Then: given(changed(depend("C", "A"))),
		},
		{
			Name: "a wait for what is blocked blocks", Given: given(begin(), planned("TR-1", "A", "B", "C < B"), failed("A")),
			When: change(depend("C", "A")),
			Then: given(changed(depend("C", "A")), blockedBy("C", "A")),
		},
		{
			Name: "letting go of what is blocked unblocks", Given: given(begin(), chain, failed("A")),
			When: change(release("B", "A")),
			Then: given(changed(release("B", "A")), events.TicketUnblocked{Ticket: "B"}, isReady("B"),
				events.TicketUnblocked{Ticket: "C"}, spawn("B", 1, "m0")),
		},
		{
			Name: "letting go of what does not exist sets a stuck track going", Given: given(begin(), planned("TR-1", "A < X")),
			When: change(release("A", "X")),
			Then: given(changed(release("A", "X")), isReady("A"), spawn("A", 1, "m0")),
		},
		{
			Name: "so does adding it", Given: given(begin(), planned("TR-1", "A < X")), When: change(fresh("TR-1", "X")),
			Then: given(changed(fresh("TR-1", "X")), isReady("X"), spawn("X", 1, "m0")),
		},
		{
			Name:  "and what waited for it goes on",
			Given: given(begin(), planned("TR-1", "A < X"), change(fresh("TR-1", "X")), approve("X", 1)), When: done("X", 1),
			Then: given(events.TicketCompleted{Ticket: "X"}, isReady("A"), spawn("A", 1, "m0")),
		},
		{
			Name: "a new ticket enters the track of its dependency", Given: given(begin(), chain),
			When: change(fresh("", "D < C A")),
			Then: given(changed(fresh("TR-1", "D < C A"))),
		},
		{
			Name: "the track is completed with the new ticket", Given: given(begin(), planned("TR-1", "A"),
				change(fresh("TR-1", "D < A")), ran("A"), approve("D", 1)), When: done("D", 1),
			Then: given(events.TicketCompleted{Ticket: "D"}, finished()),
		},
		{
			Name: "a removed ticket is gone", Given: given(begin(), chain), When: change(remove("C")),
			Then: given(changed(remove("C"))),
		},
		{
			Name: "the track is completed without it", Given: given(begin(), planned("TR-1", "A", "B < A"), change(remove("B")),
				approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, finished()),
		},
		{
			Name: "a stuck track is completed without what blocked it", Given: given(begin(), planned("TR-1", "A", "B"),
				failed("A"), ran("B")), When: change(remove("A")),
			Then: given(changed(remove("A")), finished()),
		},
		{
			Name: "a stuck track that stays stuck says so again", Given: given(begin(), planned("TR-1", "A", "B"), failed("A"),
				failed("B")), When: change(remove("A")),
			Then: given(changed(remove("A")), stuck("B is blocked (worker): no such file")),
		},
		{
			Name: "a removed ready ticket does not start", Given: given(begin(workers(1)), planned("TR-1", "A", "B", "C"),
				change(remove("B")), approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, spawn("C", 1, "m0")),
		},
		{
			Name: "each operation sees those before it", Given: given(begin(), chain), When: change(release("C", "B"),
				remove("C"), fresh("TR-1", "D < B"), depend("D", "A")),
			Then: given(changed(release("C", "B"), remove("C"), fresh("TR-1", "D < B"), depend("D", "A"))),
		},
		{
			Name:  "a priority gives a ready ticket its turn",
			Given: given(begin(workers(1)), planned("TR-1", "A", "B", "C"), change(priority("C", "high")), approve("A", 1)),
			When:  done("A", 1),
			Then:  given(events.TicketCompleted{Ticket: "A"}, spawn("C", 1, "m0")),
		},
		{
			Name: "a model of its own",
			Given: given(begin(workers(1)), planned("TR-1", "A", "B"), change(events.GraphOp{Op: events.GraphSetModel,
				Ticket: "B", Model: "m7"}), approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, spawn("B", 1, "m7")),
		},
		{
			Name: "step mode",
			Given: given(begin(workers(1)), planned("TR-1", "A", "B"), change(events.GraphOp{Op: events.GraphSetStepMode,
				Ticket: "B", StepMode: true}), ran("A")), When: approve("B", 1),
			Then: given(tierstest.Check(func(t testing.TB, p events.TicketStarted) {
				if !p.Ticket.StepMode {
					t.Error("step mode is off")
				}
			})),
		},
		{
			Name: "a changed start shows in the ticket", Given: given(begin(workers(1)), planned("TR-1", "A", "B"),
				change(depend("B", "A")), ran("A")), When: approve("B", 1),
			Then: given(started("B < A", 1, 0, "m0")),
		},
	})
}

func TestAChangeThatCannotBeIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	chain := planned("TR-1", "A", "B < A", "C < B")
	no := func(name string, when events.Payload, ticket, reason string) tierstest.Scenario {
		return tierstest.Scenario{Name: name, Given: given(begin(), chain, approve("A", 1)), When: when,
			Then: refusedChange(ticket, reason)}
	}
	many := make([]events.GraphOp, events.MaxGraphOps+1)
	for i := range many {
		many[i] = priority("B", "low")
	}
	tierstest.Run(t, conductor.Decider(), scenarios{
		no("nothing at all", change(), "", "there is no operation"),
		no("too many", change(many...), "", "the change is 257 operations long, at most 256 are allowed"),
		no("an unknown operation", change(events.GraphOp{Op: "paint", Ticket: "B"}), "",
			"operation 1: there is no such operation"),
		no("an unknown ticket", change(depend("Z", "A")), "Z", "operation 1 (add_dependency): there is no ticket Z"),
		no("an unknown dependency", change(depend("B", "Z")), "B", "operation 1 (add_dependency): there is no ticket Z"),
		no("a dependency twice", change(depend("B", "A")), "B", "operation 1 (add_dependency): B depends on A already"),
		no("itself", change(depend("B", "B")), "B",
			"operation 1 (add_dependency): the dependencies would form a cycle: B → B"),
		no("a cycle", change(depend("B", "C")), "B", "operation 1 (add_dependency): the dependencies would form a cycle: B "+
			"→ C → B"),
		no("a cycle of what the change itself adds", change(fresh("TR-1", "D < C"), depend("B", "D")), "B",
			"operation 2 (add_dependency): the dependencies would form a cycle: B → D → C → B"),
		no("a dependency that is none", change(release("C", "A")), "C", "operation 1 (remove_dependency): C does not "+
			"depend on A"),
		no("one that runs", change(priority("A", "low")), "A", "operation 1 (set_priority): A cannot be changed: it is "+
			"running"),
		no("removing what runs", change(release("B", "A"), remove("A")), "A",
			"operation 2 (remove_ticket): A cannot be changed: it is running"),
		no("removing what another waits for", change(remove("B")), "B", "operation 1 (remove_ticket): C depends on B: "+
			"remove that dependency first"),
		no("removing twice", change(remove("C"), remove("C")), "C", "operation 2 (remove_ticket): there is no ticket C"),
		no("a removed id", change(remove("C"), fresh("TR-1", "C")), "C", "operation 2 (add_ticket): there is or was a "+
			"ticket C already"),
		no("an id that is taken", change(fresh("TR-1", "B")), "B", "operation 1 (add_ticket): there is or was a ticket B "+
			"already"),
		no("an unknown track", change(fresh("TR-9", "D")), "D", "operation 1 (add_ticket): there is no track TR-9 at work"),
		no("no track", change(fresh("", "D")), "D", "operation 1 (add_ticket): it names no track and depends on no ticket "+
			"of one"),
		no("a priority that does not exist", change(priority("B", "urgent")), "",
			"operation 1: the priority is not high, medium or low"),
		no("the first is not done if the second cannot be", change(priority("B", "high"), remove("Z")), "Z",
			"operation 2 (remove_ticket): there is no ticket Z"),
		{
			Name: "a completed ticket", Given: given(begin(), chain, ran("A")), When: change(priority("A", "low")),
			Then: refusedChange("A", "operation 1 (set_priority): A cannot be changed: it is completed"),
		},
		{
			Name: "a ticket that waits for approval", Given: given(begin(), chain), When: change(remove("A")),
			Then: refusedChange("A", "operation 1 (remove_ticket): A cannot be changed: it is waiting for approval to start"),
		},
		{
			Name: "a completed track", Given: given(begin(), planned("TR-1", "A"), ran("A")), When: change(fresh("TR-1", "D")),
			Then: refusedChange("D", "operation 1 (add_ticket): track TR-1 is completed"),
		},
		{
			Name: "a track without a plan", Given: begin(), When: change(fresh("TR-1", "D")),
			Then: refusedChange("D", "operation 1 (add_ticket): track TR-1 has no plan"),
		},
		{
			Name: "what was removed is no more", Given: given(begin(), chain, change(remove("C"))), When: events.BlockRequested{
				Ticket: "C"},
			Then: given(refusal("BlockRequested", "C", "there is no such ticket")),
		},
		{
			Name: "a plan may not use a removed id", Given: given(opened(), goalSubmitted(), proposed("TR-1", "TR-2"),
				planned("TR-1", "A", "B"), change(), events.BlockRequested{Ticket: "B"}, change(remove("B")), ran("A")),
			When: planned("TR-2", "B"),
			Then: given(events.TrackBlocked{Track: "TR-2", Reason: "the plan uses the ticket id B a second time"},
				events.GoalFailed{Goal: goalID, Reason: "track TR-2 is blocked: the plan uses the ticket id B a second time"}),
		},
		{Name: "only persons may change the graph", Given: given(begin(), chain), When: tierstest.By(tierstest.Agent,
			change(remove("C")))},
	})
}
