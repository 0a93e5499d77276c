package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// wrote is the outcome of an approved edit that changed a.go.
func wrote(r events.ToolRequested, before, after string, edits ...events.Edit) events.ToolSettled {
	out := ran(r, events.ToolDone, 1)
	out.Files = []events.FileState{{Path: "a.go", SHA256: after, Before: before, Written: true}}
	out.Edited = []events.FileChange{{Path: "a.go", Before: before, After: after, Edits: edits}}
	return out
}

func TestCallsOfOneReplyRunInItsOrder(t *testing.T) {
	t.Parallel()
	all := rules(allow("*"))
	second := wants("c2", "edit_file", `{"path":"./a.go"}`)
	elsewhere := wants("c2", "edit_file", `{"path":"b.go"}`)
	reads := wants("c2", "read_file", `{"path":"a.go"}`)
	script := wants("c2", "run_powershell", `{"script":"ls"}`)
	goes := func(r events.ToolRequested) events.ToolApproved { return approved(r, "rule", underRule("test:allow")) }
	later := second
	later.Round = 2
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a second edit of a file waits", Given: given(begin(all), edit), When: second},
		{Name: "and runs when the first is done", Given: given(begin(all), edit, second), When: ran(edit, events.ToolDone, 1),
			Then: given(goes(second))},
		{Name: "or failed", Given: given(begin(all), edit, second), When: ran(edit, events.ToolFailed, 1),
			Then: given(goes(second))},
		{Name: "not while nobody knows how it ended", Given: given(begin(all), edit, second),
			When: ran(edit, events.ToolInterrupted, 1), Then: given(decided[events.AskRaised]())},
		{Name: "an edit of another file does not wait", Given: given(begin(all), edit), When: elsewhere,
			Then: given(goes(elsewhere))},
		{Name: "a read of an edited file waits", Given: given(begin(all), edit), When: reads},
		{Name: "an edit behind a read of its file waits", Given: given(begin(all), readOf("a.go")), When: second},
		{Name: "reads run at once", Given: given(begin(all), readOf("a.go")), When: reads, Then: given(goes(reads))},
		{Name: "a script waits for an edit", Given: given(begin(all), edit), When: script},
		{Name: "an edit waits for a script", Given: given(begin(all), shell), When: second},
		{Name: "a script does not wait for a script", Given: given(begin(all), shell), When: script,
			Then: given(goes(script))},
		{Name: "a read does not wait for a script", Given: given(begin(all), shell), When: reads, Then: given(goes(reads))},
		{Name: "another reply does not wait", Given: given(begin(all), edit), When: later, Then: given(goes(later))},
		{Name: "another ticket does not wait", Given: given(begin(all), edit), When: of("T-2", second, "c2"),
			Then: given(goes(of("T-2", second, "c2")))},
		{Name: "a rule that came meanwhile forbids it", Given: given(begin(all), edit, second,
			events.RuleAdded{Rule: deny("edit_file")}), When: ran(edit, events.ToolDone, 1),
			Then: given(deniedSaying("test:deny"))},
		{Name: "a killed ticket's waits no more", Given: given(begin(all), edit, second), When: events.TicketKilled{
			Ticket: "T-1", Attempt: 1, By: "ada"}, Then: given(deniedSaying("the ticket was killed"))},
		{Name: "nor that of a closed session", Given: given(begin(all), edit, second), When: events.SessionClosed{
			Reason: "enough"}, Then: given(deniedSaying("the session was closed"))},
	})
}

func TestAYesWaitsForTheCallsAheadAndCoversWhatTheyChanged(t *testing.T) {
	t.Parallel()
	second := wants("c2", "edit_file", `{"path":"a.go"}`)
	one, two := events.Edit{From: 5, To: 7, Len: 10, SHA256: "x"}, events.Edit{From: 20, To: 21, Len: 1, SHA256: "y"}
	shows := func(call string, e events.Edit) events.PreviewBuilt {
		return events.PreviewBuilt{Call: call, Changes: []events.FileChange{{Path: "a.go", Before: "v0", After: "v-" + call,
			Edits: []events.Edit{e}}}}
	}
	const previews = firstFree + 2
	firstAsk, secondAsk := askID(events.GateTool, previews), askID(events.GateTool, previews+1)
	both := given(begin(), edit, second, shows("c1", one), shows("c2", two))
	yesToSecond := given(both, answer(secondAsk, events.Yes))
	yesToBoth := given(yesToSecond, answer(firstAsk, events.Yes))
	moved := func(a *events.ToolApproved) {
		a.After = []string{"c1"}
		a.Changes = []events.FileChange{{Path: "a.go", Before: "v1", Edits: []events.Edit{{From: 28, To: 29, Len: 1,
			SHA256: "y"}}, Moved: true}}
	}
	asShown := func(a *events.ToolApproved) { a.Changes = shows("c2", two).Changes }
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the person is told", Given: given(begin(), edit, second, shows("c1", one)), When: shows("c2", two),
			Then: given(tierstest.Check(func(t testing.TB, a events.AskRaised) {
				require.Contains(t, a.Note, "runs after edit_file a.go of the same reply")
			}))},
		{Name: "a yes to the second waits", Given: both, When: answer(secondAsk, events.Yes),
			Then: given(decided[events.AskSettled]())},
		{Name: "until the first is denied", Given: yesToSecond, When: answer(firstAsk, events.No),
			Then: given(decided[events.AskSettled](), decided[events.ToolDenied](), approved(second, tierstest.Person,
				onAsk(secondAsk), asShown))},
		{Name: "or is done, whose change it then stands behind", Given: yesToBoth, When: wrote(edit, "v0", "v1", one),
			Then: given(approved(second, tierstest.Person, onAsk(secondAsk), moved))},
		{Name: "a change of the same place covers nothing", Given: yesToBoth, When: wrote(edit, "v0", "v1", two),
			Then: given(approved(second, tierstest.Person, onAsk(secondAsk), asShown))},
		{Name: "nor one of another file than was shown", Given: yesToBoth, When: wrote(edit, "other", "v1", one),
			Then: given(approved(second, tierstest.Person, onAsk(secondAsk), asShown))},
		{Name: "a preview that fails is made again", Given: given(begin(), edit, second, shows("c1", one)),
			When: events.PreviewBuilt{Call: "c2", Error: "old_string not found"}},
		{Name: "behind the first", Given: given(begin(), edit, second, shows("c1", one), events.PreviewBuilt{Call: "c2",
			Error: "not found"}, answer(firstAsk, events.Yes)),
			When: wrote(edit, "v0", "v1", one), Then: given(wantsPreview(second))},
		{Name: "and is not for a killed ticket", Given: given(begin(), edit, second, events.PreviewBuilt{Call: "c2",
			Error: "not found"}),
			When: events.TicketKilled{Ticket: "T-1", Attempt: 1, By: "ada"}, Then: given(decided[events.ToolDenied](),
				decided[events.ToolDenied]())},
	})
}
