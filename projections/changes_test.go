package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// wrote tells of an approved call and its outcome.
func (s *story) wrote(call, ticket, workspace string, files ...events.FileState) {
	s.t.Helper()
	s.by(events.ActorApproval, events.ToolApproved{Call: call, Tool: "edit_file", Args: json.RawMessage(`{}`), Ticket: ticket,
		Generation: 1, By: "ada", ArgsSHA256: "ab", Workspace: workspace})
	s.by("worker-1", events.ToolSettled{Call: call, Tool: "edit_file", Outcome: events.ToolDone, Generation: 1,
		ArgsSHA256: "ab", Files: files})
}

func written(path, before, after string) events.FileState {
	return events.FileState{Path: path, Before: before, SHA256: after, Written: true}
}

// restored tells of an undo whose outcome lists no file: it was interrupted after the last one.
func (s *story) restored(want events.UndoRequested, path, now, then string) {
	s.t.Helper()
	call := events.UndoCall(s.by("ada", want))
	args, err := json.Marshal(map[string]any{"files": []events.FileChange{{Path: path, Before: now, After: then}}})
	require.NoError(s.t, err)
	s.by(events.ActorApproval, events.ToolApproved{Call: call, Tool: events.RestoreTool, Args: args, Generation: 1,
		By: "ada", ArgsSHA256: "cd"})
	s.by("worker-1", events.ToolSettled{Call: call, Tool: events.RestoreTool, Outcome: events.ToolDone, Generation: 1,
		ArgsSHA256: "cd"})
}

// paths are the files of a list with their content before and after.
func paths(list projections.Changes) []string {
	out := []string{}
	for _, f := range list.Files {
		after := f.After
		if f.Unknown != "" {
			after += "?"
		}
		out = append(out, f.Workspace+":"+f.Path+" "+f.Before+">"+after)
	}
	return out
}

func TestChangesAreFromTheFirstToTheNewestContent(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.wrote("c1", "T-1", "", written("b", "b0", "b1"), written("a", "", "a1"), events.FileState{Path: "read", SHA256: "r"})
	s.wrote("c2", "T-2", "", written("b", "b1", "b2"), written("same", "x", "x"))
	require.Equal(t, []string{":a >a1", ":b b0>b2"}, paths(s.set.Changes()))
	require.Equal(t, []string{":a >a1", ":b b0>b1"}, paths(s.set.Changes().Of("T-1")))
	require.Equal(t, []string{":b b1>b2"}, paths(s.set.Changes().Of("T-2")))
	require.Empty(t, s.set.Changes().Of("T-3").Files)

	s.by("worker-1", events.ToolSettled{Call: "c2", Tool: "edit_file", Outcome: events.ToolDone, Generation: 1,
		ArgsSHA256: "ab", Files: []events.FileState{written("b", "b2", "b9")}})
	require.Equal(t, []string{":a >a1", ":b b0>b2"}, paths(s.set.Changes()), "a second outcome does not count")

	s.restored(events.UndoRequested{Ticket: "T-2", Path: "b"}, "b", "b2", "b1")
	require.Equal(t, []string{":a >a1", ":b b0>b1"}, paths(s.set.Changes()))
	require.Empty(t, s.set.Changes().Of("T-2").Files)
	s.restored(events.UndoRequested{ToSeq: 1}, "a", "a1", "")
	require.Equal(t, []string{":b b0>b1"}, paths(s.set.Changes()))
	require.Equal(t, []string{":b b0>b1"}, paths(s.set.Changes().Of("T-1")))
}

func TestChangesSinceAPositionBeginWithTheContentsThere(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.wrote("c1", "T-1", "", written("a", "a0", "a1"), written("b", "b0", "b1"), written("c", "c0", "c1"))
	s.wrote("c2", "T-1", "", written("d", "d0", "d1"))
	s.wrote("c3", "T-1", "", written("d", "d1", "d0"))
	s.wrote("c4", "T-2", "T-2.1", written("m", "m0", "m1"))
	earlier := s.set.AllChanges()
	require.Empty(t, s.set.ChangesSince(earlier).Files)
	s.wrote("c5", "T-2", "", written("a", "a1", "a2"), written("b", "b1", "b0"), written("d", "d0", "d2"),
		written("e", "", "e1"))
	s.by("worker-1", events.MergeSettled{Ticket: "T-2", Attempt: 1, Try: 1, Outcome: events.MergeDone})
	got := s.set.ChangesSince(earlier)
	require.Equal(t, []string{":a a1>a2", ":b b1>b0", ":d d0>d2", ":e >e1", "merged:m m0>m1"}, paths(got))
	require.Len(t, got.Files[0].Writes, 1)
	require.Equal(t, []string{":a a1>a2", ":b b1>b0", ":d d0>d2", ":e >e1", "merged:m m0>m1"}, paths(got.Of("T-2")))
	require.Empty(t, got.Of("T-1").Files)
	s.by(events.ActorApproval, events.ToolApproved{Call: "c6", Tool: "run_powershell", Ticket: "T-2", Generation: 1,
		ArgsSHA256: "ab"})
	s.by("worker-1", events.ToolSettled{Call: "c6", Tool: "run_powershell", Generation: 1, ArgsSHA256: "ab",
		Outcome: events.ToolDone, Unseen: true})
	require.Len(t, s.set.ChangesSince(earlier).Unseen, 1)
	require.Empty(t, s.set.ChangesSince(s.set.AllChanges()).Unseen)
}

func TestAnAcceptedChangeIsAcceptedUntilItChanges(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.wrote("c1", "T-1", "", written("a", "a0", "a1"))
	s.by("ada", events.ChangeAccepted{Path: "a", SHA256: "a0"})
	require.False(t, s.set.Changes().Files[0].Accepted, "of another content")
	s.by("ada", events.ChangeAccepted{Path: "a", SHA256: "a1"})
	require.True(t, s.set.Changes().Files[0].Accepted)
	require.True(t, s.set.Changes().Of("T-1").Files[0].Accepted)
	s.wrote("c2", "T-2", "", written("a", "a1", "a2"))
	require.False(t, s.set.Changes().Files[0].Accepted)
	s.by("ada", events.ChangeAccepted{Path: "a", SHA256: "a2"})
	require.True(t, s.set.Changes().Files[0].Accepted)
	require.False(t, s.set.Changes().Of("T-1").Files[0].Accepted, "the ticket left another content")
}

func TestChangesOfAMergedWorkspaceLieInTheMergedOne(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.wrote("c1", "T-1", "T-1.1", written("a", "a0", "a1"))
	s.wrote("c2", "T-2", "T-2.1", written("a", "a0", "a2"))
	require.Equal(t, []string{"T-1.1:a a0>a1", "T-2.1:a a0>a2"}, paths(s.set.Changes()))
	s.by("worker-1", events.MergeSettled{Ticket: "T-2", Attempt: 1, Try: 1, Outcome: events.MergeConflict})
	s.by("worker-1", events.MergeSettled{Ticket: "T-1", Attempt: 1, Try: 1, Outcome: events.MergeDone})
	require.Equal(t, []string{"T-2.1:a a0>a2", "merged:a a0>a1"}, paths(s.set.Changes()))
}

// merged tells that the first attempts of tickets were merged, in this order.
func (s *story) merged(tickets ...string) {
	for _, ticket := range tickets {
		s.by("worker-1", events.MergeSettled{Ticket: ticket, Attempt: 1, Try: 1, Outcome: events.MergeDone})
	}
}

func TestMergedChangesAreInTheOrderOfTheirMerges(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.wrote("c1", "T-1", "T-1.1", written("a", "a2", "a3"), written("b", "b1", "b2"))
	s.wrote("c2", "T-2", "T-2.1", written("a", "a0", "a1"), written("b", "b0", "b2"))
	s.wrote("c3", "T-2", "T-2.1", written("a", "a1", "a2"))
	s.merged("T-2", "T-1")
	require.Equal(t, []string{"merged:a a0>a3", "merged:b b0>b2"}, paths(s.set.Changes()), "b: both left the same")
	writes := s.set.Changes().Files[0].Writes
	require.Equal(t, []string{"c2", "c3", "c1"}, []string{writes[0].Call, writes[1].Call, writes[2].Call})
}

func TestTheContentOfAFileThatTicketsChangedAtOnceIsUnknown(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.wrote("c1", "T-1", "T-1.1", written("a", "a0", "a1"), written("b", "b0", "b1"), written("new", "", "n"))
	s.wrote("c2", "T-2", "T-2.1", written("a", "a0", "a2"), written("b", "b0", "b5"))
	s.wrote("c3", "T-2", "T-2.1", written("b", "b5", "b0"))
	s.merged("T-1")
	s.by("ada", events.ChangeAccepted{Path: "a", SHA256: "a2"})
	s.by("ada", events.ChangeAccepted{Path: "b"})
	require.Equal(t, []string{"T-2.1:a a0>a2", "merged:a a0>a1", "merged:b b0>b1", "merged:new >n"},
		paths(s.set.Changes()))
	s.merged("T-2")
	list := s.set.Changes()
	require.Equal(t, []string{"merged:a a0>?", "merged:b b0>?", "merged:new >n"}, paths(list))
	require.Contains(t, list.Files[0].Unknown, "at the same time")
	require.False(t, list.Files[0].Accepted)
	require.False(t, list.Files[1].Accepted)
	require.Equal(t, []string{"merged:a a0>a1", "merged:b b0>b1", "merged:new >n"}, paths(list.Of("T-1")))
	require.Equal(t, []string{"merged:a a0>a2"}, paths(list.Of("T-2")))
	s.wrote("c4", "T-3", "T-3.1", written("a", "a12", "a3"))
	s.merged("T-3")
	require.Equal(t, "merged:a a0>?", paths(s.set.Changes())[0], "the chain stays broken")

	s.wrote("c5", "T-1", "T-1.2", written("a", "a3", "a4"))
	s.by("worker-1", events.MergeSettled{Ticket: "T-1", Attempt: 2, Try: 1, Outcome: events.MergeDone})
	require.Equal(t, "merged:a a0>?", paths(s.set.Changes().Of("T-1"))[0], "a later attempt began with other work")
}

func TestAPersonsEditBetweenTwoCallsIsPartOfTheChange(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.wrote("c1", "T-1", "", written("a", "a0", "a1"))
	s.wrote("c2", "T-2", "", written("a", "by hand", "a2"))
	require.Equal(t, []string{":a a0>a2"}, paths(s.set.Changes()))
}

func TestCallsWithUnknownChangesAreListed(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by(events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "run_powershell", Args: json.RawMessage(`{}`),
		Ticket: "T-1", Generation: 1, By: "ada", ArgsSHA256: "ab"})
	s.by("worker-1", events.ToolSettled{Call: "c1", Tool: "run_powershell", Outcome: events.ToolInterrupted, Generation: 1,
		ArgsSHA256: "ab"})
	require.Empty(t, s.set.Changes().Unseen)
	s.by(events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "run_powershell", Args: json.RawMessage(`{}`),
		Ticket: "T-1", Generation: 2, By: "ada", ArgsSHA256: "ab"})
	s.by("worker-1", events.ToolSettled{Call: "c1", Tool: "run_powershell", Outcome: events.ToolFailed, Generation: 2,
		ArgsSHA256: "ab", Unseen: true, NotUndoable: []string{"link"}})
	require.Equal(t, "c1", s.set.Changes().Of("T-1").Unseen[0].Call)
	require.Equal(t, []string{"link"}, s.set.Changes().Unseen[0].NotUndoable)
	require.Empty(t, s.set.Changes().Of("T-2").Unseen)
}
