package approval_test

import (
	"encoding/json"
	"testing"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// TestEditedArgumentsThatTheWorkspaceRefusesDoNotCount has a worker try edited arguments before the answer counts.
func TestEditedArgumentsThatTheWorkspaceRefusesDoNotCount(t *testing.T) {
	t.Parallel()
	id := askID(events.GateTool, 4)
	edited := `{"path":"../b.go"}`
	open := func(number int, rules ...events.Rule) []events.Payload {
		return given(decidedBy(number, rules...), edit, events.PreviewBuilt{Call: "c1"})
	}
	yes := answer(id, "yes", editing(edited))
	tried := wantsPreview(wants("c1", "edit_file", edited))
	twice := events.PreviewBuilt{Call: "c1", Diff: "+b"}
	built := tierstest.Due[events.PreviewRequested](twice)
	failed := tierstest.Due[events.PreviewRequested](events.PreviewBuilt{Call: "c1", Error: "ACCESS DENIED"})
	const why = "the edited arguments do not fit: ACCESS DENIED"
	taken := func(n int) []events.Payload {
		return given(settled("tool", id, "yes", n, settledWith(edited)), approved(edit, "ada", onAsk(id),
			withArgs(edited, true)))
	}
	late := func(n int, author, by string, at int) events.AnswerRefused {
		settled := tierstest.At(at)
		r := notCounted(id, n, author, "it was settled before")
		r.SettledBy, r.SettledAt = by, &settled
		return r
	}
	denied := events.RuleAdded{Rule: deny("edit_file")}
	reads := wants("c1", "read_file", `{"path":"a.go"}`)
	script := wants("c0", "run_powershell", `{"script":"true"}`)
	script.Ticket, script.Attempt, script.Round = edit.Ticket, edit.Attempt, edit.Round
	behind := given(decidedBy(2), script, edit, tierstest.Due[events.PreviewRequested](events.PreviewBuilt{Call: "c1"}))
	laterID := askID(events.GateTool, 5)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "what no tool may touch is refused also behind an unfinished call", Given: given(behind,
			answer(laterID, "yes", editing(edited))), When: tierstest.Due[events.PreviewRequested](events.PreviewBuilt{
			Call: "c1", Error: "ACCESS DENIED: ../b.go", Denied: true}), Then: given(notCounted(laterID, 6, "ada",
			"the edited arguments do not fit: ACCESS DENIED: ../b.go"))},
		{Name: "what an earlier call may make is not", Given: given(behind, answer(laterID, "yes", editing(edited))),
			When: tierstest.Due[events.PreviewRequested](events.PreviewBuilt{Call: "c1", Error: "ACCESS DENIED: says a file"}),
			Then: given(decided[events.AskSettled]())},
		{Name: "they are tried first", Given: open(2), When: yes, Then: given(tried)},
		{Name: "and count if they can run", Given: given(open(2), yes), When: built, Then: taken(5)},
		{Name: "else the ask stays open", Given: given(open(2), yes), When: failed,
			Then: given(notCounted(id, 5, "ada", why))},
		{Name: "for the next answer", Given: given(open(2), yes, failed), When: answer(id, "yes"),
			Then: given(settled("tool", id, "yes", 7), approved(edit, "ada", onAsk(id)))},
		{Name: "an outcome of the first preview that comes twice shows nothing", Given: given(open(2), yes), When: twice},
		{Name: "and what was asked for still counts", Given: given(open(2), yes, twice), When: failed,
			Then: given(notCounted(id, 5, "ada", why))},
		{Name: "a no meanwhile counts at once", Given: given(open(2), yes), When: tierstest.By("bob", answer(id, "no")),
			Then: given(settled("tool", id, "no", 6, endedBy("bob", "")), late(5, "ada", "bob", 6),
				refused(edit, "bob", id, "refused by bob"))},
		{Name: "another yes does not count", Given: given(open(2), yes), When: tierstest.By("bob", yes),
			Then: given(notCounted(id, 6, "bob", "an answer by ada is being tried; until then only a no is accepted"))},
		{Name: "but does after it", Given: given(open(2), yes, failed), When: tierstest.By("bob", answer(id, "yes")),
			Then: given(decided[events.AskSettled](), decided[events.ToolApproved]())},
		{Name: "an invalid answer is told at once", Given: given(open(2), yes), When: answer(id, "perhaps"),
			Then: given(notCounted(id, 6, "ada", `decision is neither "yes" nor "no"`))},
		{Name: "a killed ticket settles it", Given: given(open(2), yes), When: events.TicketKilled{Ticket: "T-1", Attempt: 1,
			By: "bob"}, Then: given(settled("tool", id, "no", 6, endedBy("bob", "the ticket was killed")),
			late(5, "ada", "bob", 6), refused(edit, "bob", id, "the ticket was killed"))},
		{Name: "a preview after that changes nothing", Given: given(open(2), yes, events.TicketKilled{Ticket: "T-1",
			Attempt: 1, By: "bob"}), When: built},
		{Name: "a deny rule is told at once", Given: open(2, deny("edit_file", "docs/**")),
			When: answer(id, "yes", editing(`{"path":"docs/b.go"}`)),
			Then: given(notCounted(id, 5, "ada", "the edited arguments do not fit: a rule forbids it (test:deny)"))},
		{Name: "a deny rule meanwhile ends the call", Given: given(open(2), yes, denied), When: built,
			Then: given(notCounted(id, 5, "ada", "the edited arguments do not fit: a rule forbids it (test:deny)"),
				ruled(id, events.No, "a rule forbids it (test:deny)", 7),
				refused(edit, "rule", id, "a rule forbids it (test:deny)"))},
		{Name: "the same arguments need no check", Given: open(2), When: answer(id, "yes", editing(`{ "path": "a.go" }`)),
			Then: given(decided[events.AskSettled](), decided[events.ToolApproved]())},
		{Name: "reads are tried, too", Given: given(decidedBy(2, ask("read_file")), reads),
			When: answer(askID(events.GateTool, 3), "yes", editing(edited)),
			Then: given(wantsPreview(wants("c1", "read_file", edited)))},
		{Name: "scripts are not", Given: given(decidedBy(2), shell),
			When: answer(shellAsk, "yes", editing(`{"script":"ls -l"}`)),
			Then: given(decided[events.AskSettled](), decided[events.ToolApproved]())},
		{Name: "calls of external servers are not", Given: given(decidedBy(2, ask("mcp__s__read")),
			events.ToolsOffered{Tools: []events.ToolOffer{{Name: "mcp__s__read", Effect: "reads",
				Schema: json.RawMessage(`{}`)}}},
			wants("c1", "mcp__s__read", `{"uri":"a"}`)), When: answer(askID(events.GateTool, 4), "yes", editing(`{"uri":"b"}`)),
			Then: given(decided[events.AskSettled](), decided[events.ToolApproved]())},
		{Name: "an older decision takes them as they are", Given: open(1), When: yes, Then: taken(5)},
	})
}

// TestATimeThatEndsWhileEditedArgumentsAreTriedIsANo lets the time of an ask end while a worker is silent.
func TestATimeThatEndsWhileEditedArgumentsAreTriedIsANo(t *testing.T) {
	t.Parallel()
	id := askID(events.GateTool, 4)
	opened := decidedBy(2)
	o := opened[0].(events.SessionOpened)
	o.Settings.GateTimeoutMS = 1000
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "no", Given: given(o, opened[1:], edit, events.PreviewBuilt{Call: "c1"},
			answer(id, "yes", editing(`{"path":"b.go"}`))),
			When: events.TimerFired{Ask: id, Due: tierstest.At(4).Add(1000 * 1e6)},
			Then: given(settled("tool", id, "expired", 6, func(s *events.AskSettled) {
				s.By, s.Reason = events.ActorTimers, "nobody answered in time"
			}), decided[events.AnswerRefused](), decided[events.ToolDenied]())},
	})
}
