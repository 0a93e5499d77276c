package conductor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func shared(s *events.Settings)    { s.Isolation = events.IsolationShared }
func worktrees(s *events.Settings) { s.Isolation = events.IsolationWorktree }

// about is a plan of tickets that are all about one file.
func about(file string, lines ...string) events.Payload {
	p := planned("TR-1", lines...).(events.TicketsPlanned)
	for i := range p.Tickets {
		p.Tickets[i].TargetFile = file
	}
	return p
}

func overlap(waits bool, file string, tickets ...string) events.Payload {
	return events.OverlapWarned{Tickets: tickets, Path: file, Waits: waits}
}

func ready(ids ...string) []events.Payload {
	var out []events.Payload
	for _, id := range ids {
		out = append(out, isReady(id))
	}
	return out
}

func TestTicketsWithOneTargetDoNotRunAtOnce(t *testing.T) {
	t.Parallel()
	both := given(begin(shared), about("./src/a.go", "A", "B"))
	free := given(begin(shared, workers(1)), about("a.go", "A", "B"))
	tierstest.Run(t, conductor.Decider(), []tierstest.Scenario{
		{Name: "the second waits and it is said", Given: begin(shared), When: about("./src/a.go", "A", "B"),
			Then: given(ready("A", "B"), spawn("A", 1, "m0"), overlap(true, "src/a.go", "A", "B"))},
		{Name: "until the first is completed", Given: given(both, approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, spawn("B", 1, "m0"))},
		{Name: "or has given up", Given: given(both, approve("A", 1)), When: gaveUp("A", 1), Then: given(blockedWorker("A"),
			spawn("B", 1, "m0"))},
		{Name: "or was killed", Given: given(both, approve("A", 1)), When: events.KillRequested{Ticket: "A"},
			Then: given(events.TicketKilled{Ticket: "A", Attempt: 1, By: tierstest.Person}, events.TicketBlocked{Ticket: "A",
				Kind: events.BlockKilled, Reason: "killed by ada"}, spawn("B", 1, "m0"))},
		{Name: "or was not allowed to start", Given: both, When: events.SpawnDenied{Ticket: "A", Attempt: 1, Reason: "no"},
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockDenied, Reason: "no"}, spawn("B", 1, "m0"))},
		{Name: "no slot is kept for one that waits", Given: given(begin(shared, workers(2)), about("a.go", "A", "B")),
			When: workerAsked("Mend it"),
			Then: given(tierstest.Check(func(testing.TB, events.TicketsAdded) {}),
				tierstest.Check(func(testing.TB, events.TicketReady) {}),
				tierstest.Check(func(testing.TB, events.SpawnRequested) {}))},
		{Name: "nothing is said where there is no slot anyway", Given: begin(shared, workers(1)), When: about("a.go", "A",
			"B"), Then: given(ready("A", "B"), spawn("A", 1, "m0"))},
		{Name: "nor where one has ended before", Given: given(free, approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, spawn("B", 1, "m0"))},
		{Name: "tickets without a target do not meet", Given: begin(shared), When: about("", "A", "B"),
			Then: given(ready("A", "B"), spawn("A", 1, "m0"), spawn("B", 1, "m0"))},
		{Name: "nor do those of a session without isolation", Given: begin(), When: about("a.go", "A", "B"),
			Then: given(ready("A", "B"), spawn("A", 1, "m0"), spawn("B", 1, "m0"))},
		{Name: "in worktrees they run, and it is said", Given: begin(worktrees), When: about("a.go", "A", "B"),
			Then: given(ready("A", "B"), spawn("A", 1, "m0"), overlap(false, "a.go", "A", "B"), spawn("B", 1, "m0"))},
	})
}

func TestATicketThatWasRefusedAFileIsStartedAgainWhenItIsFree(t *testing.T) {
	t.Parallel()
	held := events.ToolDenied{Call: "c", Tool: "edit_file", Ticket: "B", HeldBy: "A", File: "a.go"}
	both := given(begin(shared, retries(1)), planned("TR-1", "A", "B"), approve("A", 1), approve("B", 1))
	again := events.TicketRetried{Ticket: "B", RetryCount: 1, Reason: "no such file"}
	tierstest.Run(t, conductor.Decider(), []tierstest.Scenario{
		{Name: "it waits", Given: given(both, held), When: gaveUp("B", 1), Then: given(again, isReady("B"),
			overlap(true, "a.go", "A", "B"))},
		{Name: "it goes on", Given: given(both, held, gaveUp("B", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, spawn("B", 2, "m1"))},
		{Name: "one that was refused for another reason does not wait", Given: given(both, events.ToolDenied{Ticket: "B"}),
			When: gaveUp("B", 1), Then: given(again, isReady("B"), spawn("B", 2, "m1"))},
		{Name: "nor one whose holder has ended", Given: given(both, held, done("A", 1)), When: gaveUp("B", 1),
			Then: given(again, isReady("B"), spawn("B", 2, "m1"))},
	})
}

func wantsPlace(id string, attempt int) events.Payload {
	return events.WorkspaceRequested{Ticket: id, Attempt: attempt, Name: events.WorkspaceName(id, attempt)}
}

func place(id string, attempt int) events.Payload {
	return events.WorkspacePrepared{Ticket: id, Attempt: attempt, Name: events.WorkspaceName(id, attempt), Path: "/w/" +
		id}
}

func wantsMerge(id string, try int, resolves string) events.Payload {
	return events.MergeRequested{Ticket: id, Attempt: 1, Try: try, Name: events.WorkspaceName(id, 1), Title: id + ": Do " +
		id, Resolves: resolves}
}

func merged(id string, try int) events.Payload {
	return events.MergeSettled{Ticket: id, Attempt: 1, Try: try, Outcome: events.MergeDone, Commit: "ab"}
}

func conflicts(id string, try int) events.Payload {
	return events.MergeSettled{Ticket: id, Attempt: 1, Try: try, Outcome: events.MergeConflict, Onto: "cd",
		Files: []string{"a.go"}}
}

func answered(id string, try int, retry bool) events.Payload {
	return events.MergeAnswered{Ticket: id, Attempt: 1, Try: try, Retry: retry, By: "ada"}
}

func inPlace(line string) events.Payload {
	p := started(line, 1, 0, "m0").(events.TicketStarted)
	p.Workspace = events.WorkspaceName(p.Ticket.ID, 1)
	return p
}

func TestAnAttemptWorksInAPlaceOfItsOwn(t *testing.T) {
	t.Parallel()
	one := given(begin(worktrees), planned("TR-1", "A"))
	failed := events.WorkspacePrepared{Ticket: "A", Attempt: 1, Name: "A.1", Error: "the disk is full"}
	refused := given(events.TicketBlocked{Ticket: "A", Kind: events.BlockWorkspace, Reason: "the disk is full"},
		stuck("A is blocked (workspace): the disk is full"))
	tierstest.Run(t, conductor.Decider(), []tierstest.Scenario{
		{Name: "it is asked for before the start", Given: one, When: approve("A", 1), Then: given(wantsPlace("A", 1))},
		{Name: "and the attempt starts there", Given: given(one, approve("A", 1)), When: place("A", 1),
			Then: given(inPlace("A"))},
		{Name: "once", Given: given(one, approve("A", 1), place("A", 1)), When: place("A", 1)},
		{Name: "not in another one", Given: given(one, approve("A", 1)), When: place("A", 2)},
		{Name: "without it there is no start", Given: given(one, approve("A", 1)), When: failed, Then: refused},
		{Name: "a person tries again", Given: given(one, approve("A", 1), failed), When: events.RetryRequested{Ticket: "A"},
			Then: given(events.TicketRetried{Ticket: "A", RetryCount: 1, Reason: "retried by ada"}, isReady("A"),
				spawn("A", 2, "m1"))},
		{Name: "a pause holds the start", Given: given(one, approve("A", 1), events.PauseRequested{}), When: place("A", 1)},
		{Name: "and its end lets it go", Given: given(one, approve("A", 1), events.PauseRequested{}, place("A", 1)),
			When: events.ResumeRequested{},
			Then: given(events.Resumed{By: "ada"}, inPlace("A"))},
	})
}

func TestWorkIsMergedBeforeATicketIsCompleted(t *testing.T) {
	t.Parallel()
	two := given(begin(worktrees), planned("TR-1", "A", "B", "C < B"), approve("A", 1), approve("B", 1), place("A", 1),
		place("B", 1))
	waits := given(two, done("B", 1), conflicts("B", 1))
	tierstest.Run(t, conductor.Decider(), []tierstest.Scenario{
		{Name: "first come, first merged", Given: two, When: done("B", 1), Then: given(wantsMerge("B", 1, ""))},
		{Name: "one at a time", Given: given(two, done("B", 1)), When: done("A", 1)},
		{Name: "then it is completed and the next one is merged", Given: given(two, done("B", 1), done("A", 1)),
			When: merged("B", 1),
			Then: given(events.TicketCompleted{Ticket: "B"}, isReady("C"), wantsMerge("A", 1, ""), spawn("C", 1, "m0"))},
		{Name: "a word about another try does not count", Given: given(two, done("B", 1)), When: merged("B", 2)},
		{Name: "nor one about another ticket", Given: given(two, done("B", 1)), When: merged("A", 1)},
		{Name: "nothing is decided on a conflict", Given: given(two, done("B", 1)), When: conflicts("B", 1)},
		{Name: "it holds up nobody else", Given: waits, When: done("A", 1), Then: given(wantsMerge("A", 1, ""))},
		{Name: "a person tries again", Given: waits, When: answered("B", 1, true), Then: given(wantsMerge("B", 2, "cd"))},
		{Name: "and says which sides to take", Given: waits, When: events.MergeAnswered{Ticket: "B", Attempt: 1, Try: 1,
			Retry: true, By: "ada", Take: map[string]string{"a.go": events.TakeTicket}},
			Then: given(events.MergeRequested{Ticket: "B", Attempt: 1, Try: 2, Name: "B.1", Title: "B: Do B", Resolves: "cd",
				Take: map[string]string{"a.go": events.TakeTicket}})},
		{Name: "once", Given: given(waits, answered("B", 1, true)), When: answered("B", 1, true)},
		{Name: "or gives up", Given: waits, When: answered("B", 1, false), Then: given(
			events.TicketBlocked{Ticket: "B", Kind: events.BlockMerge, Reason: "its work was not merged; it stays where it is"},
			blockedBy("C", "B"))},
		{Name: "what gave up by itself is not merged", Given: two, When: gaveUp("B", 1), Then: given(blockedWorker("B"),
			blockedBy("C", "B"))},
		{Name: "one that waits cannot be killed", Given: waits, When: events.KillRequested{Ticket: "B"},
			Then: given(refusal("KillRequested", "B", "it is not running: it is waiting for a word on its merge"))},
	})
}

func TestMergeThatKeepsFailingBlocksTheTicket(t *testing.T) {
	t.Parallel()
	fails := func(try int, detail string) events.Payload {
		return events.MergeSettled{Ticket: "B", Attempt: 1, Try: try, Outcome: events.MergeFailed, Detail: detail}
	}
	tried := given(begin(worktrees), planned("TR-1", "B"), approve("B", 1), place("B", 1), done("B", 1))
	for try := 1; try < tiers.MaxSameMerges; try++ {
		tried = given(tried, fails(try, "the disk is full"), answered("B", try, true))
	}
	blocked := "5 tries to merge its work ended in the same way; it stays where it is"
	tierstest.Run(t, conductor.Decider(), []tierstest.Scenario{
		{Name: "after five tries that end alike", Given: tried, When: fails(tiers.MaxSameMerges, "the disk is full"),
			Then: given(events.TicketBlocked{Ticket: "B", Kind: events.BlockMerge, Reason: blocked},
				stuck("B is blocked (merge): "+blocked))},
		{Name: "not where the last one failed in another way", Given: given(tried, fails(tiers.MaxSameMerges,
			"no such branch")),
			When: answered("B", tiers.MaxSameMerges, true), Then: given(wantsMerge("B", tiers.MaxSameMerges+1, ""))},
	})
}

func TestLawsOfIsolation(t *testing.T) {
	t.Parallel()
	histories := [][]events.Payload{
		given(begin(shared, retries(1)), about("a.go", "A", "B"), approve("A", 1), done("A", 1), approve("B", 1),
			done("B", 1)),
		given(begin(worktrees, workers(2)), about("a.go", "A", "B", "C < A B"), approve("A", 1), approve("B", 1),
			place("B", 1), place("A", 1), done("A", 1), done("B", 1), merged("A", 1), conflicts("B", 1),
			answered("B", 1, true), merged("B", 2), approve("C", 1), place("C", 1), done("C", 1), conflicts("C", 1),
			answered("C", 1, false)),
	}
	tierstest.Laws(t, conductor.Decider(), histories...)
	tierstest.SilentAfterClose(t, conductor.Decider(), histories...)
	h := tierstest.Play(t, conductor.Decider(), histories[1]...)
	require.Len(t, tierstest.All[events.TicketCompleted](h), 2)
}
