package conductor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func workerAsked(prompt string) events.WorkerSpawnRequested {
	return events.WorkerSpawnRequested{Prompt: prompt, Context: []string{"b.go"}, Model: "m9"}
}

// added is the answer to the newest request for a worker.
func added(x events.WorkerSpawnRequested, title string) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		id := events.WorkerTicket(h.LastID("WorkerSpawnRequested"))
		return events.TicketsAdded{Request: h.LastID("WorkerSpawnRequested"), RequestID: x.RequestID,
			Track:   events.Track{ID: events.WorkerTrack(id), Title: title, Description: "ada asked for this worker."},
			Tickets: []events.Ticket{x.Ticket(id)}}
	})
}

// ofWorker is a fact about the ticket of the worker that the n-th event asked for.
func ofWorker(n int) (ticket, track string) {
	ticket = events.WorkerTicket(tierstest.ID(n))
	return ticket, events.WorkerTrack(ticket)
}

func TestAWorkerIsATicketOfItsOwn(t *testing.T) {
	t.Parallel()
	x := workerAsked("Mend it\nat once")
	id, tr := ofWorker(2)
	spawned := events.SpawnRequested{Ticket: id, Attempt: 1, Model: "m9", Prompt: x.Prompt}
	inGoal, _ := ofWorker(4)
	afterPlan, _ := ofWorker(5)
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "it starts at once, without a goal", Given: given(opened()), When: x,
			Then: given(added(x, "Mend it"), isReady(id), spawned),
		},
		{
			Name: "it waits for a slot like any other", When: x,
			Given: given(begin(workers(1)), planned("TR-1", "A")),
			Then:  given(added(x, "Mend it"), isReady(afterPlan)),
		},
		{
			Name: "its end is the end of its track, and of no goal", Given: given(opened(), x, approve(id, 1)),
			When: done(id, 1),
			Then: given(events.TicketCompleted{Ticket: id}, events.TrackCompleted{Track: tr}),
		},
		{
			Name: "a failed one blocks its track, and fails no goal", Given: given(opened(), x, approve(id, 1)),
			When: gaveUp(id, 1),
			Then: given(blockedWorker(id), events.TrackBlocked{Track: tr, Reason: id + " is blocked (worker): no such file"}),
		},
		{
			Name: "a retry revives it", Given: given(opened(), x, approve(id, 1), gaveUp(id, 1)), When: events.RetryRequested{
				Ticket: id},
			Then: given(events.TicketRetried{Ticket: id, RetryCount: 1, Reason: "retried by ada"}, isReady(id),
				events.SpawnRequested{Ticket: id, Attempt: 2, Model: "m9", Prompt: x.Prompt}),
		},
		{
			Name: "a kill ends it", Given: given(opened(), x, approve(id, 1)), When: events.KillRequested{Ticket: id},
			Then: given(events.TicketKilled{Ticket: id, Attempt: 1, By: "ada"}, events.TicketBlocked{Ticket: id,
				Kind: events.BlockKilled, Reason: "killed by ada"},
				events.TrackBlocked{Track: tr, Reason: id + " is blocked (killed): killed by ada"}),
		},
		{
			Name: "a goal beside it completes by itself", Given: given(opened(), goalSubmitted(), proposed("TR-1"), x,
				planned("TR-1", "A"), approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, finished()),
		},
		{
			Name: "it completes beside a goal", Given: given(opened(), goalSubmitted(), proposed("TR-1"), x,
				planned("TR-1", "A"), approve(inGoal, 1)), When: done(inGoal, 1),
			Then: given(events.TicketCompleted{Ticket: inGoal}, events.TrackCompleted{Track: events.WorkerTrack(inGoal)}),
		},
		{Name: "only persons may ask for one", Given: given(opened()), When: tierstest.By(tierstest.Agent, x)},
	})
}

func TestAWorkerIsAskedForOnce(t *testing.T) {
	t.Parallel()
	x := workerAsked("Mend it")
	x.RequestID = "r-1"
	first, _ := ofWorker(2)
	other := x
	other.RequestID = "r-2"
	again, _ := ofWorker(3)
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "the same request id does not count again", Given: given(opened(), x), When: x,
			Then: given(refusal("WorkerSpawnRequested", again, "this request_id was used before, for "+first)),
		},
		{
			Name: "another one does", Given: given(opened(workers(1)), x), When: other,
			Then: given(added(other, "Mend it"), isReady(again)),
		},
	})
}

func TestAWorkerOverALimitIsRefused(t *testing.T) {
	t.Parallel()
	refuses := func(name, reason string, change func(*events.WorkerSpawnRequested)) tierstest.Scenario {
		x := workerAsked("Mend it")
		change(&x)
		id, _ := ofWorker(2)
		return tierstest.Scenario{Name: name, Given: given(opened()), When: x, Then: given(refusal("WorkerSpawnRequested", id,
			reason))}
	}
	atLimit := workerAsked(strings.Repeat("x", events.MaxWorkerPrompt))
	for range events.MaxWorkerContext - 1 {
		atLimit.Context = append(atLimit.Context, strings.Repeat("p", events.MaxPathLength))
	}
	require.NoError(t, atLimit.Check())
	tierstest.Run(t, conductor.Decider(), scenarios{
		refuses("no prompt", "the prompt is missing", func(x *events.WorkerSpawnRequested) { x.Prompt = " " }),
		refuses("a long prompt", "the prompt is 32769 bytes long, at most 32768 are allowed",
			func(x *events.WorkerSpawnRequested) { x.Prompt = strings.Repeat("x", events.MaxWorkerPrompt+1) }),
		refuses("many paths", "the context is 65 paths long, at most 64 are allowed", func(x *events.WorkerSpawnRequested) {
			x.Context = numbered(events.MaxWorkerContext + 1)
		}),
		refuses("a long path", "a path is 1025 bytes long, at most 1024 are allowed", func(x *events.WorkerSpawnRequested) {
			x.TargetFile = strings.Repeat("x", events.MaxPathLength+1)
		}),
		refuses("an empty path", "a path of the context is empty", func(x *events.WorkerSpawnRequested) {
			x.Context = []string{""}
		}),
		refuses("a long model", "the model's name is 257 bytes long, at most 256 are allowed",
			func(x *events.WorkerSpawnRequested) { x.Model = strings.Repeat("x", events.MaxModelName+1) }),
		refuses("a model of another kind", "the model's name holds characters that cannot be shown",
			func(x *events.WorkerSpawnRequested) { x.Model = "m\x1b[2J" }),
		refuses("a priority that does not exist", "the priority is not high, medium or low",
			func(x *events.WorkerSpawnRequested) { x.Priority = "urgent" }),
		refuses("a long request id", "the request_id is 129 bytes long, at most 128 are allowed",
			func(x *events.WorkerSpawnRequested) { x.RequestID = strings.Repeat("x", events.MaxIDLength+1) }),
	})
}

func TestASessionHoldsSoManyAddedTickets(t *testing.T) {
	t.Parallel()
	s := tierstest.Session(t, conductor.Decider())
	s.Say(opened(workers(1)))
	for i := range conductor.MaxAdded / events.MaxGraphOps {
		if i == 0 {
			s.Say(workerAsked("Mend it"))
		}
		x := events.GraphMutationRequested{}
		for j := range events.MaxGraphOps - 1 {
			x.Ops = append(x.Ops, events.GraphOp{Op: events.GraphAddTicket, Ticket: fmt.Sprintf("N-%d-%d", i, j),
				Track: events.WorkerTrack(events.WorkerTicket(tierstest.ID(2))), New: &events.Ticket{Description: "d"}})
		}
		s.Say(x)
	}
	left := conductor.MaxAdded - 1 - conductor.MaxAdded/events.MaxGraphOps*(events.MaxGraphOps-1)
	for range left {
		s.Say(workerAsked("Mend it"))
	}
	require.Empty(t, tierstest.All[events.ControlRefused](s.History))
	s.Say(workerAsked("Mend it"))
	refused := tierstest.All[events.ControlRefused](s.History)
	require.Len(t, refused, 1)
	require.Equal(t, "4096 tickets were added to this session, which is the limit", refused[0].Reason)
}
