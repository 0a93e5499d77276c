package approval_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// changed is a call of a ticket that was approved by a rule and changed files.
func changed(call, ticket string, files ...events.FileState) []events.Payload {
	return settling(call, ticket, func(out *events.ToolSettled) { out.Files = files })
}

// settling is such a call with an outcome of its own.
func settling(call, ticket string, say func(*events.ToolSettled)) []events.Payload {
	return given(
		events.ToolRequested{Call: call, Tool: "edit_file", Args: json.RawMessage(`{"path":"a"}`), Ticket: ticket, Attempt: 1,
			Round: 1},
		tierstest.With(func(h *tierstest.History) events.Payload {
			var digest string
			for _, e := range h.Events() {
				if p, ok := e.Payload.(events.ToolApproved); ok && p.Call == call {
					digest = p.ArgsSHA256
				}
			}
			out := events.ToolSettled{Call: call, Tool: "edit_file", Outcome: events.ToolDone, Generation: 1, ArgsSHA256: digest}
			say(&out)
			return out
		}))
}

func file(path, before, after string) events.FileState {
	return events.FileState{Path: path, Before: before, SHA256: after, Written: true}
}

// at is a call of a ticket in its workspace.
func at(place, call, ticket string, files ...events.FileState) []events.Payload {
	out := changed(call, ticket, files...)
	r := out[0].(events.ToolRequested)
	r.Workspace = place
	out[0] = r
	return out
}

// prepared is the place of a ticket's attempt.
func prepared(ticket string, attempt int) events.Payload {
	return events.WorkspacePrepared{Ticket: ticket, Attempt: attempt, Name: events.WorkspaceName(ticket, attempt),
		Path: "/" + ticket}
}

// landed is the merge of an attempt.
func landed(ticket string, attempt int) []events.Payload {
	return given(events.MergeRequested{Ticket: ticket, Attempt: attempt, Try: 1, Name: events.WorkspaceName(ticket,
		attempt)},
		events.MergeSettled{Ticket: ticket, Attempt: attempt, Try: 1, Outcome: events.MergeDone, Commit: "ab"})
}

// undone carries out the last undo that was approved, cut short once: its outcome names the first file only.
func undone() events.Payload { return undoneBy(1 << 30) }

// undoneBy carries out the n-th of them, or the last one.
func undoneBy(n int) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		var p events.ToolApproved
		left := n
		for _, e := range h.Events() {
			if a, ok := e.Payload.(events.ToolApproved); ok && a.Tool == events.RestoreTool && left > 0 {
				p, left = a, left-1
			}
		}
		var args struct{ Files []events.FileChange }
		if err := json.Unmarshal(p.Args, &args); err != nil {
			panic(err)
		}
		out := events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone, Generation: 1,
			ArgsSHA256: p.ArgsSHA256}
		out.Files = []events.FileState{file(args.Files[0].Path, args.Files[0].Before, args.Files[0].After)}
		return out
	})
}

// undoOf asks to undo the n-th undo.
func undoOf(n int) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		for _, e := range h.Events() {
			if a, ok := e.Payload.(events.ToolApproved); ok && a.Tool == events.RestoreTool {
				if n--; n == 0 {
					return events.UndoRequested{Call: a.Call}
				}
			}
		}
		panic("no such undo")
	})
}

// restores checks that an undo is approved for exactly these files.
func restores(files string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {
		t.Helper()
		require.Equal(t, events.RestoreTool, p.Tool)
		require.JSONEq(t, `{"files":[`+files+`]}`, string(p.Args))
		require.True(t, strings.HasPrefix(p.Call, "undo-"))
		require.Equal(t, tierstest.Person, p.By)
	}))
}

func refusesUndo(reason string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.UndoRefused) {
		t.Helper()
		require.Contains(t, p.Reason, reason)
	}))
}

func restored(path, now, then string) string {
	out, err := json.Marshal(events.FileChange{Path: path, Before: now, After: then})
	if err != nil {
		panic(err)
	}
	return string(out)
}

func TestAnUndoOfOneFileLeavesTheOthers(t *testing.T) {
	t.Parallel()
	open := begin(rules(allow("edit_file")))
	one := given(open, changed("c1", "T-1", file("b", "b0", "b1"), file("a", "a0", "a1")))
	two := given(one, changed("c2", "T-2", file("a", "a1", "a2")))
	unseen := given(two, settling("c3", "T-1", func(out *events.ToolSettled) { out.Unseen = true }))
	long := strings.Repeat("x", events.MaxPathLength)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "of the session", Given: two, When: events.UndoRequested{Path: "a"},
			Then: restores(restored("a", "a2", "a0"))},
		{Name: "of a ticket", Given: one, When: events.UndoRequested{Ticket: "T-1", Path: "b"},
			Then: restores(restored("b", "b1", "b0"))},
		{Name: "of a call", Given: one, When: events.UndoRequested{Call: "c1", Path: "a"},
			Then: restores(restored("a", "a1", "a0"))},
		{Name: "not over a later change", Given: two, When: events.UndoRequested{Ticket: "T-1", Path: "a"},
			Then: refusesUndo("a was changed later by edit_file c2")},
		{Name: "beside a call whose changes are not known", Given: unseen, When: events.UndoRequested{Path: "b"},
			Then: restores(restored("b", "b1", "b0"))},
		{Name: "that nobody changed", Given: one, When: events.UndoRequested{Path: "c"},
			Then: refusesUndo("the session (only c) changed no file")},
		{Name: "with a path of the longest kind", Given: one, When: events.UndoRequested{Path: long},
			Then: refusesUndo("changed no file")},
		{Name: "with a longer path", Given: one, When: events.UndoRequested{Path: long + "x"},
			Then: refusesUndo("path is 1025 bytes long")},
		{Name: "of a ticket and a call", Given: one, When: events.UndoRequested{Ticket: "T-1", Call: "c1", Path: "a"},
			Then: refusesUndo("name one of")},
	})
}

func TestAnUndoGivesFilesWhatTheyHeld(t *testing.T) {
	t.Parallel()
	open := begin(rules(allow("edit_file")))
	one := given(open, changed("c1", "T-1", file("b", "b0", "b1"), file("a", "a0", "a1"), events.FileState{Path: "read",
		SHA256: "r"}))
	two := given(one, changed("c2", "T-1", file("a", "a1", "a2"), file("new", "", "n1")))
	other := given(two, changed("c3", "T-2", file("x", "x0", "x1")))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "of a call", Given: one, When: events.UndoRequested{Call: "c1"}, Then: restores(restored("a", "a1", "a0") +
			"," + restored("b", "b1", "b0"))},
		{Name: "of a ticket, over all its calls", Given: other, When: events.UndoRequested{Ticket: "T-1"},
			Then: restores(restored("a", "a2", "a0") + "," + restored("b", "b1", "b0") + "," + restored("new", "n1", ""))},
		{Name: "to a sequence", Given: two, When: tierstest.With(func(h *tierstest.History) events.Payload {
			return events.UndoRequested{ToSeq: seqOfSettled(h, "c1")}
		}), Then: restores(restored("a", "a2", "a1") + "," + restored("new", "n1", ""))},
	})
}

// modes are those of a written file, before and after.
func modes(f events.FileState, before, after uint32) events.FileState {
	f.BeforeMode, f.Mode = before, after
	return f
}

func TestAnUndoGivesModesBack(t *testing.T) {
	t.Parallel()
	open := begin(rules(allow("edit_file")))
	two := given(open, changed("c1", "T-1", modes(file("a", "a0", "a1"), 0o755, 0o644), modes(file("gone", "g0", ""),
		0o700, 0)), changed("c2", "T-1", modes(file("a", "a1", "a2"), 0o644, 0o600)))
	back := `{"path":"a","before":"a2","after":"a0","before_mode":384,"after_mode":493},{"path":"gone","after":"g0","after_mode":448}`
	there := `{"path":"a","before":"a0","after":"a2","before_mode":493,"after_mode":384},{"path":"gone","before":"g0","before_mode":448}`
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "those before the first call", Given: two, When: events.UndoRequested{Ticket: "T-1"}, Then: restores(back)},
		{Name: "and an undo of it", Given: given(two, events.UndoRequested{Ticket: "T-1"}, undone()), When: undoOf(1),
			Then: restores(there)},
	})
}

func seqOfSettled(h *tierstest.History, call string) uint64 {
	for _, e := range h.Events() {
		if p, ok := e.Payload.(events.ToolSettled); ok && p.Call == call {
			return e.Seq
		}
	}
	return 0
}

func TestAnUndoIsRefusedWhereItWouldLoseSomething(t *testing.T) {
	t.Parallel()
	open := begin(rules(allow("edit_file")))
	one := given(open, changed("c1", "T-1", file("a", "a0", "a1")))
	later := given(one, changed("c2", "T-2", file("a", "a1", "a2")))
	between := given(one, changed("c2", "T-1", file("a", "edited", "a2")))
	unseen := given(one, settling("c2", "T-1", func(out *events.ToolSettled) { out.Unseen = true }))
	links := given(one, settling("c2", "T-1", func(out *events.ToolSettled) {
		out.Unseen, out.NotUndoable = true,
			[]string{"bin/link", "other\nlink"}
	}))
	elsewhere := given(one, events.WorkspacePrepared{Ticket: "T-1", Attempt: 2, Name: "T-1.2", Path: "/x"},
		events.ToolRequested{Call: "c4", Tool: "edit_file", Args: json.RawMessage(`{"path":"a"}`), Ticket: "T-1", Attempt: 2,
			Round: 1, Workspace: "T-1.2"},
		changed("c4", "T-1", file("a", "a0", "a9"))[1])
	var many []events.FileState
	for i := range 2000 {
		many = append(many, file(fmt.Sprintf("%0100d", i), "b", "a"))
	}
	var most []events.FileState // by the bytes that a worker lets one outcome have
	for i := range 770 {
		most = append(most, file(fmt.Sprintf("%0100d", i), fmt.Sprintf("%064d", 1), fmt.Sprintf("%064d", 2)))
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "an unknown call", Given: one, When: events.UndoRequested{Call: "c9"},
			Then: refusesUndo("call c9 changed no file")},
		{Name: "a call under way", Given: given(open, events.ToolRequested{Call: "c1", Tool: "edit_file",
			Args: json.RawMessage(`{"path":"a"}`), Ticket: "T-1"}),
			When: events.UndoRequested{Call: "c1"}, Then: refusesUndo("still under way")},
		{Name: "nothing named", Given: one, When: events.UndoRequested{}, Then: refusesUndo("name one of")},
		{Name: "two things named", Given: one, When: events.UndoRequested{Call: "c1", Ticket: "T-1"},
			Then: refusesUndo("name one of")},
		{Name: "nothing named, in the words of version 2", Given: decidedBy(2), When: events.UndoRequested{},
			Then: refusesUndo("invalid change of settings: name one of")},
		{Name: "nothing named, in the words of v0.1.0", Given: decidedBy(1), When: events.UndoRequested{},
			Then: refusesUndo("the settings cannot be changed so: name one of a call, a ticket and a sequence to undo")},
		{Name: "a later call wrote the file", Given: later, When: events.UndoRequested{Call: "c1"},
			Then: refusesUndo("a was changed later by edit_file c2")},
		{Name: "somebody edited it in between", Given: between, When: events.UndoRequested{Ticket: "T-1"},
			Then: refusesUndo("changed by somebody else before call c2")},
		{Name: "a script whose changes nobody saw", Given: unseen, When: events.UndoRequested{Ticket: "T-1"},
			Then: refusesUndo("nobody knows which files")},
		{Name: "a script that changed links", Given: links, When: events.UndoRequested{Ticket: "T-1"},
			Then: refusesUndo("edit_file c2 changed what no undo gives back (links, and files that are too large or cannot be " +
				"read): bin/link, other link; look")},
		{Name: "the other call beside it", Given: unseen, When: events.UndoRequested{Call: "c1"},
			Then: restores(restored("a", "a1", "a0"))},
		{Name: "work in two places", Given: elsewhere, When: events.UndoRequested{Ticket: "T-1"},
			Then: refusesUndo("more than one workspace (the project's folder, T-1.2); run first slop undo c1, then slop undo T-1")},
		{Name: "one of two places", Given: elsewhere, When: events.UndoRequested{Call: "c4"},
			Then: restores(restored("a", "a9", "a0"))},
		{Name: "as many as one outcome names", Given: given(open, changed("c1", "T-1", most...)), When: events.UndoRequested{
			Call: "c1"}, Then: given(decided[events.ToolApproved]())},
		{Name: "more files than a call can name", Given: given(open, changed("c1", "T-1", many...)),
			When: events.UndoRequested{Call: "c1"}, Then: refusesUndo("too many for one undo")},
		{Name: "after the session, too", Given: given(later, events.SessionClosed{}), When: events.UndoRequested{Call: "c1"},
			Then: refusesUndo("a was changed later by edit_file c2")},
	})
}

func TestUndosFollowEachOther(t *testing.T) {
	t.Parallel()
	open := begin(rules(allow("edit_file")))
	two := given(open, changed("c1", "T-1", file("a", "a0", "a1")), changed("c2", "T-1", file("a", "a1", "a2"),
		file("b", "b0", "b1")))
	last := given(two, events.UndoRequested{Call: "c2"}, undone())
	all := given(two, events.UndoRequested{Ticket: "T-1"}, undone())
	twice := given(two, events.UndoRequested{Call: "c2"}, events.UndoRequested{Call: "c2"}, undoneBy(1), undoneBy(2))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the one before the last", Given: last, When: events.UndoRequested{Call: "c1"},
			Then: restores(restored("a", "a1", "a0"))},
		{Name: "the rest of a ticket", Given: last, When: events.UndoRequested{Ticket: "T-1"},
			Then: restores(restored("a", "a1", "a0"))},
		{Name: "an undo", Given: last, When: undoOf(1), Then: restores(restored("a", "a1", "a2") + "," + restored("b", "b0",
			"b1"))},
		{Name: "an undo that another one is built on", Given: given(last, events.UndoRequested{Call: "c1"}, undone()),
			When: undoOf(1), Then: refusesUndo("a was changed later by restore_files")},
		{Name: "a call twice", Given: last, When: events.UndoRequested{Call: "c2"},
			Then: refusesUndo("was given back already; undo undo-")},
		{Name: "a ticket twice", Given: all, When: events.UndoRequested{Ticket: "T-1"},
			Then: refusesUndo("hold already what they held before ticket T-1")},
		{Name: "a ticket that was redone", Given: given(all, undoOf(1), undone()), When: events.UndoRequested{Ticket: "T-1"},
			Then: restores(restored("a", "a2", "a0") + "," + restored("b", "b1", "b0"))},
		{Name: "after the session", Given: given(two, events.SessionClosed{}, events.UndoRequested{Call: "c2"}, undone()),
			When: events.UndoRequested{Call: "c1"}, Then: restores(restored("a", "a1", "a0"))},
		{Name: "one that two people asked for at once", Given: twice, When: undoOf(1),
			Then: restores(restored("a", "a1", "a2") + "," + restored("b", "b0", "b1"))},
		{Name: "everything, with one that two people asked for at once", Given: twice, When: events.UndoRequested{ToSeq: 1},
			Then: restores(restored("a", "a1", "a0"))},
		{Name: "an undo of an undo of an undo", Given: given(all, undoOf(1), undone()), When: undoOf(2),
			Then: restores(restored("a", "a2", "a0") + "," + restored("b", "b1", "b0"))},
	})
}

func TestWhatIsMergedIsUndoneWhereItWasMerged(t *testing.T) {
	t.Parallel()
	open := begin(rules(allow("edit_file")))
	one := given(open, prepared("T-1", 1), prepared("T-2", 1), at("T-1.1", "c1", "T-1", file("a", "a0", "a1")),
		at("T-2.1", "c2", "T-2", file("b", "b0", "b1")))
	both := given(one, landed("T-2", 1), landed("T-1", 1))
	chain := given(open, prepared("T-1", 1), at("T-1.1", "c1", "T-1", file("a", "a0", "a1")), landed("T-1", 1),
		prepared("T-2", 1), at("T-2.1", "c2", "T-2", file("a", "a1", "a2")))
	again := given(open, prepared("T-1", 1), at("T-1.1", "c1", "T-1", file("a", "a0", "a1")), prepared("T-1", 2),
		at("T-1.2", "c2", "T-1", file("b", "b0", "b1")))
	part := given(one, landed("T-1", 1))
	more := given(open, prepared("T-1", 1), prepared("T-2", 1), at("T-2.1", "c2", "T-2", file("b", "b0", "b1")),
		at("T-1.1", "c1", "T-1", file("a", "a0", "a1")),
		at("T-2.1", "c3", "T-2", file("b", "b1", "b2")), at("T-2.1", "c4", "T-2", file("b", "b2", "b3")), landed("T-1", 1))
	toCall := func(call string) events.Payload {
		return tierstest.With(func(h *tierstest.History) events.Payload {
			return events.UndoRequested{ToSeq: seqOfSettled(h,
				call)}
		})
	}
	inPlace := func(place, files string) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {
			t.Helper()
			require.Equal(t, place, p.Workspace)
			require.JSONEq(t, `{"files":[`+files+`]}`, string(p.Args))
		}))
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "before, in the ticket's own place", Given: one, When: events.UndoRequested{Ticket: "T-1"},
			Then: inPlace("T-1.1", restored("a", "a1", "a0"))},
		{Name: "after", Given: both, When: events.UndoRequested{Ticket: "T-1"}, Then: inPlace("merged",
			restored("a", "a1", "a0"))},
		{Name: "all that was merged", Given: both, When: events.UndoRequested{ToSeq: 1}, Then: inPlace("merged",
			restored("a", "a1", "a0")+","+restored("b", "b1", "b0"))},
		{Name: "not some that was and some that was not", Given: part, When: events.UndoRequested{ToSeq: 1},
			Then: refusesUndo("more than one workspace (T-2.1, merged); run first slop undo T-2, then slop undo --to 1")},
		{Name: "the first of the two commands that the refusal names", Given: part, When: events.UndoRequested{Ticket: "T-2"},
			Then: inPlace("T-2.1", restored("b", "b1", "b0"))},
		{Name: "the second", Given: given(part, events.UndoRequested{Ticket: "T-2"}, undone()), When: events.UndoRequested{
			ToSeq: 1}, Then: inPlace("merged", restored("a", "a1", "a0"))},
		{Name: "both, when both were run", Given: given(part, events.UndoRequested{Ticket: "T-2"}, undone(),
			events.UndoRequested{ToSeq: 1}, undone()), When: events.UndoRequested{ToSeq: 1}, Then: refusesUndo("hold already")},
		{Name: "calls where the ticket did something before", Given: more, When: toCall("c2"),
			Then: refusesUndo("(T-2.1, merged); run first slop undo c4, slop undo c3, then slop undo --to")},
		{Name: "and then the rest", Given: given(more, events.UndoRequested{Call: "c4"}, undone(),
			events.UndoRequested{Call: "c3"}, undone()), When: toCall("c2"), Then: inPlace("merged", restored("a", "a1", "a0"))},
		{Name: "under one that is not merged yet", Given: chain, When: events.UndoRequested{Ticket: "T-1"},
			Then: inPlace("merged", restored("a", "a1", "a0"))},
		{Name: "not under one that is", Given: given(chain, landed("T-2", 1)), When: events.UndoRequested{Ticket: "T-1"},
			Then: refusesUndo("a was changed later by edit_file c2")},
		{Name: "but with it", Given: given(chain, landed("T-2", 1)), When: events.UndoRequested{ToSeq: 1},
			Then: inPlace("merged", restored("a", "a2", "a0"))},
		{Name: "the newest attempt of a ticket", Given: again, When: events.UndoRequested{Ticket: "T-1"},
			Then: inPlace("T-1.2", restored("b", "b1", "b0"))},
		{Name: "the one that was merged", Given: given(again, landed("T-1", 2)), When: events.UndoRequested{ToSeq: 1},
			Then: inPlace("merged", restored("b", "b1", "b0"))},
		{Name: "an earlier one by its call", Given: given(again, landed("T-1", 2)), When: events.UndoRequested{Call: "c1"},
			Then: inPlace("T-1.1", restored("a", "a1", "a0"))},
		{Name: "merged after the session", Given: given(one, landed("T-1", 1)[0], events.SessionClosed{},
			landed("T-1", 1)[1]), When: events.UndoRequested{Ticket: "T-1"}, Then: inPlace("merged", restored("a", "a1", "a0"))},
		{Name: "an undo of it", Given: given(both, events.UndoRequested{Ticket: "T-1"}, undone()), When: undoOf(1),
			Then: inPlace("merged", restored("a", "a0", "a1"))},
	})
}

func TestWorkThatWasMergedAfterASequenceIsUndoneWithIt(t *testing.T) {
	t.Parallel()
	merged := func(decision int) []events.Payload {
		return given(decidedBy(decision, allow("edit_file")), prepared("T-1", 1),
			at("T-1.1", "c1", "T-1", file("a", "a0", "a1")), landed("T-1", 1))
	}
	between := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.UndoRequested{ToSeq: seqOfSettled(h, "c1")}
	})
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "1", Given: merged(1), When: between, Then: refusesUndo("changed no file")},
		{Name: "2", Given: merged(2), When: between, Then: given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {
			t.Helper()
			require.Equal(t, "merged", p.Workspace)
			require.JSONEq(t, `{"files":[`+restored("a", "a1", "a0")+`]}`, string(p.Args))
		}))},
	})
}
