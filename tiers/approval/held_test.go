package approval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

func shared(s *events.Settings) { s.Isolation = events.IsolationShared }

// of is a call of another ticket.
func of(ticket string, r events.ToolRequested, call string) events.ToolRequested {
	r.Ticket, r.Call = ticket, call
	return r
}

// heldBy checks the denial of a call whose file another ticket changes.
func heldBy(ticket, file string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.ToolDenied) {
		t.Helper()
		require.Equal(t, []string{ticket, file, "engine"}, []string{p.HeldBy, p.File, p.By})
		require.Contains(t, p.Reason, file+" is being changed by ticket "+ticket)
	}))
}

func TestAFileThatOneTicketChangesIsClosedToTheOthers(t *testing.T) {
	t.Parallel()
	edits := events.Rule{Tool: "*", Action: "allow", Source: "all"}
	holds := given(begin(shared, rules(edits)), edit)
	other := of("T-2", wants("", "edit_file", `{"path":"./A.go"}`), "c2")
	elsewhere := of("T-2", wants("", "edit_file", `{"path":"b.go"}`), "c2")
	goesOn := given(decided[events.ToolApproved]())
	named := given(begin(shared), elsewhere)
	shown := func(call, path string) events.Payload {
		return events.PreviewBuilt{Call: call, Changes: []events.FileChange{{Path: path, After: "x"}}}
	}
	written := given(begin(shared, rules(edits)), wants("c1", "rename_symbol", `{"path":"src"}`),
		events.ToolSettled{Call: "c1", Outcome: events.ToolDone, ArgsSHA256: digest([]byte(`{"path":"src"}`)), Generation: 1,
			Files: []events.FileState{{Path: "read.go"}, {Path: "b.go", Written: true}}})
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "whatever its spelling", Given: holds, When: other, Then: heldBy("T-1", "A.go")},
		{Name: "not to itself", Given: given(holds, ran(edit, events.ToolDone, 1)), When: of("T-1", other, "c2"),
			Then: goesOn},
		{Name: "not what reads", Given: holds, When: of("T-2", wants("", "read_file", `{"path":"a.go"}`), "c2"),
			Then: goesOn},
		{Name: "not other files", Given: holds, When: elsewhere, Then: goesOn},
		{Name: "not scripts, which name no files", Given: holds, When: of("T-2", shell, "c2"), Then: goesOn},
		{Name: "until its attempt ends", Given: given(holds, events.TicketResolved{Ticket: "T-1", Attempt: 1}), When: other,
			Then: goesOn},
		{Name: "or is killed", Given: given(holds, events.TicketKilled{Ticket: "T-1", Attempt: 1}), When: other,
			Then: goesOn},
		{Name: "not by the end of an earlier one", Given: given(holds, events.TicketResolved{Ticket: "T-1", Attempt: 0}),
			When: other, Then: heldBy("T-1", "A.go")},
		{Name: "not by who was denied", Given: given(begin(shared, rules(edits, deny("*", "a.go"))), edit),
			When: of("T-2", wants("", "edit_file", `{"path":"b.go"}`), "c2"), Then: goesOn},
		{Name: "as the preview says", Given: given(begin(shared), rulesNow(edits), edit, rulesNow(), named[len(named)-1]),
			When: shown("c2", "a.go"), Then: heldBy("T-1", "a.go")},
		{Name: "as the outcome says", Given: written, When: elsewhere, Then: heldBy("T-1", "b.go")},
		{Name: "not what was only read", Given: written, When: of("T-2", wants("", "edit_file", `{"path":"read.go"}`), "c2"),
			Then: goesOn},
		{Name: "not in worktrees",
			Given: given(begin(rules(edits), func(s *events.Settings) { s.Isolation = events.IsolationWorktree }), edit),
			When:  other, Then: goesOn},
	})
}

func rulesNow(r ...events.Rule) events.Payload { return events.RulesReplaced{Rules: r} }

func TestAYesDoesNotOpenAFileThatWasTakenMeanwhile(t *testing.T) {
	t.Parallel()
	edits := events.Rule{Tool: "*", Action: "allow", Source: "all"}
	other := of("T-2", edit, "c2")
	h := given(begin(shared), other, events.PreviewBuilt{Call: "c2"}, rulesNow(edits), edit)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "it is refused", Given: h, When: answer(askID(events.GateTool, 4), events.Yes),
			Then: given(decided[events.AskSettled](), heldBy("T-1", "a.go"))},
	})
}

func TestCallsInAWorkspaceAreJudgedByWhatTheyMeanThere(t *testing.T) {
	t.Parallel()
	worktrees := func(s *events.Settings) { s.Isolation = events.IsolationWorktree }
	in := func(path string) events.ToolRequested {
		r := wants("c1", "edit_file", `{"path":"`+path+`"}`)
		r.Workspace = "T-1.1"
		return r
	}
	prepared := events.WorkspacePrepared{Name: "T-1.1", Path: "/w/.slop/worktrees/S/T-1.1"}
	h := given(begin(worktrees, rules(deny("*", "docs/**"), allow("*", "src/**"))), prepared)
	denies, asks := given(decided[events.ToolDenied]()), given(decided[events.PreviewRequested]())
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a relative path", Given: h, When: in("docs/a.md"), Then: denies},
		{Name: "the same, absolute", Given: h, When: in("/w/.slop/worktrees/S/T-1.1/docs/a.md"), Then: denies},
		{Name: "one that is allowed keeps its place", Given: h, When: in("/w/.slop/worktrees/S/T-1.1/src/a.go"),
			Then: given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {
				t.Helper()
				require.Equal(t, "T-1.1", p.Workspace)
			}))},
		{Name: "the person's folder is elsewhere", Given: h, When: in("/w/src/a.go"), Then: asks},
		{Name: "so is everything in a place that nobody knows", Given: given(begin(worktrees, rules(allow("*", "src/**")))),
			When: in("/w/.slop/worktrees/S/T-1.1/src/a.go"), Then: asks},
	})
}

func TestMergeThatKeepsFailingAsksNoMore(t *testing.T) {
	t.Parallel()
	try := func(n int, detail string) []events.Payload {
		return given(events.MergeRequested{Ticket: "T-1", Attempt: 2, Try: n, Name: "T-1.2"},
			events.MergeSettled{Ticket: "T-1", Attempt: 2, Try: n, Outcome: events.MergeFailed, Path: "/p", Detail: detail})
	}
	var four []events.Payload
	for n := 1; n < tiers.MaxSameMerges; n++ {
		four = given(four, try(n, "the disk is full"))
	}
	last := func(detail string) (before []events.Payload, when events.Payload) {
		pair := try(tiers.MaxSameMerges, detail)
		return given(begin(), four, pair[0]), pair[1]
	}
	same, sameEnd := last("the disk is full")
	other, otherEnd := last("no such branch")
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the fifth time in the same way", Given: same, When: sameEnd},
		{Name: "but it asks where the fifth try failed in another way", Given: other, When: otherEnd,
			Then: given(decided[events.AskRaised]())},
	})
}

func TestWorkThatCannotBeMergedAsks(t *testing.T) {
	t.Parallel()
	request := events.MergeRequested{Ticket: "T-1", Attempt: 2, Try: 1, Name: "T-1.2"}
	conflict := events.MergeSettled{Ticket: "T-1", Attempt: 2, Try: 1, Outcome: events.MergeConflict, Path: "/p",
		Branch: "slop/S", Files: []string{"a", "b", "c", "d"}}
	failed := events.MergeSettled{Ticket: "T-1", Attempt: 2, Try: 1, Outcome: events.MergeFailed, Path: "/p",
		Detail: "the disk is full"}
	id := askID(events.GateMerge, 4)
	open := given(begin(), request, conflict)
	word := func(retry bool, by, reason string) events.Payload {
		return events.MergeAnswered{Ticket: "T-1", Attempt: 2, Try: 1, Retry: retry, By: by, Reason: reason, Ask: id}
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "on a conflict", Given: given(begin(), request), When: conflict,
			Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				t.Helper()
				require.Equal(t, []any{id, events.GateMerge, "T-1", 2, 1}, []any{p.Ask, p.Gate, p.Ticket, p.Attempt, p.Round})
				require.Equal(t, "the work of T-1 conflicts in a, b, c and 1 more", p.Title)
				require.Contains(t, p.Note, "/p")
				require.JSONEq(t, `{"path":"/p","branch":"slop/S","files":["a","b","c","d"]}`, string(p.Args))
			}))},
		{Name: "on a failure", Given: given(begin(), request), When: failed,
			Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				t.Helper()
				require.Contains(t, p.Note, "the disk is full. yes: try again")
			}))},
		{Name: "once", Given: open, When: conflict},
		{Name: "not about what nobody asked for", Given: begin(), When: conflict},
		{Name: "not under --yes either", Given: given(begin(), events.RuleAdded{Rule: yesRule}, request), When: conflict,
			Then: given(decided[events.AskRaised]())},
		{Name: "not when it is merged", Given: given(begin(), request), When: events.MergeSettled{Ticket: "T-1", Attempt: 2,
			Try: 1, Outcome: events.MergeDone}},
		{Name: "yes tries again", Given: open, When: answer(id, events.Yes),
			Then: given(settled(events.GateMerge, id, events.Yes, 5), word(true, "ada", ""))},
		{Name: "no gives up", Given: open, When: answer(id, events.No, because("later")),
			Then: given(decided[events.AskSettled](), word(false, "ada", "later"))},
		{Name: "yes says which side of a file to take", Given: open, When: answer(id, events.Yes,
			editing(`{"files":["a"],"take":{"a":"ticket","*":"merged"}}`)),
			Then: given(decided[events.AskSettled](), tierstest.Check(func(t testing.TB, p events.MergeAnswered) {
				t.Helper()
				require.True(t, p.Retry)
				require.Equal(t, map[string]string{"a": events.TakeTicket, events.TakeRest: events.TakeMerged}, p.Take)
			}))},
		{Name: "not another word", Given: open, When: answer(id, events.Yes, editing(`{"take":{"a":"mine"}}`)),
			Then: notTaken("args must be")},
		{Name: "not nothing", Given: open, When: answer(id, events.Yes, editing(`{}`)), Then: notTaken("args must be")},
		{Name: "as many files as a merge names", Given: open, When: answer(id, events.Yes,
			editing(takes(events.MaxMergeFiles))), Then: given(decided[events.AskSettled](), decided[events.MergeAnswered]())},
		{Name: "not one more", Given: open, When: answer(id, events.Yes, editing(takes(events.MaxMergeFiles+1))),
			Then: notTaken("at most 100 files")},
		{Name: "not longer than the limit", Given: open, When: answer(id, events.Yes,
			editing(`{"take":{"`+strings.Repeat("a", approval.MaxTake)+`":"ticket"}}`)), Then: notTaken("is over the limit")},
	})
}

func notTaken(why string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.AnswerRefused) {
		t.Helper()
		require.Contains(t, p.Reason, why)
	}))
}

// takes are the arguments of an answer about n files.
func takes(n int) string {
	var files []string
	for i := range n {
		files = append(files, fmt.Sprintf(`"f%d":"merged"`, i))
	}
	return `{"take":{` + strings.Join(files, ",") + `}}`
}
