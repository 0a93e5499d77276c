package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/hookgw/views"
)

func TestAFileIsAcceptedOnlyAsItWasSeen(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.put(events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "edit_file", Args: json.RawMessage(`{}`),
		Ticket: "T-1", Generation: 1, By: "ada", ArgsSHA256: "ab"})
	f.put("worker-h-1", events.ToolSettled{Call: "c1", Tool: "edit_file", Outcome: events.ToolDone, Generation: 1,
		ArgsSHA256: "ab", Files: []events.FileState{{Path: "a.go", SHA256: "a1", Written: true}}})
	f.says("/api/changes/accept", `{"path":"b.go","sha256":"a1"}`, http.StatusNotFound)
	f.says("/api/changes/accept", `{"path":"a.go"}`, http.StatusConflict)
	f.says("/api/changes/accept", `{"path":7}`, http.StatusBadRequest)
	f.says("/api/changes/accept", `{}`, http.StatusBadRequest)
	f.says("/api/changes/accept", `{"path":"a.go","sha256":"a1"}`, http.StatusOK)
}

func TestAFileWhoseMergedContentIsUnknownIsNotAccepted(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, ticket := range []string{"T-1", "T-2"} {
		f.put(events.ActorApproval, events.ToolApproved{Call: ticket, Tool: "edit_file", Args: json.RawMessage(`{}`),
			Ticket: ticket, Generation: 1, By: "ada", ArgsSHA256: "ab", Workspace: ticket + ".1"})
		f.put("worker-h-1", events.ToolSettled{Call: ticket, Tool: "edit_file", Outcome: events.ToolDone, Generation: 1,
			ArgsSHA256: "ab", Files: []events.FileState{{Path: "a.go", Before: "a0", SHA256: "of " + ticket, Written: true}}})
		f.put("worker-h-1", events.MergeSettled{Ticket: ticket, Attempt: 1, Try: 1, Outcome: events.MergeDone})
	}
	for _, digest := range []string{"of T-1", "of T-2", ""} {
		f.says("/api/changes/accept", `{"path":"a.go","sha256":"`+digest+`"}`, http.StatusConflict)
	}
}

func TestAnUndoOfWhatWasNotSeenIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	one, two := events.Digest([]byte("1")), events.Digest([]byte("2"))
	f.write("c1", "T-001", "a.go", "", one)
	f.write("c2", "T-001", "a.go", one, two)
	for _, body := range []string{`{"path":"a.go","seen":"` + one + `"}`, `{"path":"a.go","seen":""}`,
		`{"path":"a.go","ticket":"T-002","seen":"` + two + `"}`} {
		requireProblem(t, f.says("/api/undo", body, http.StatusConflict), "a.go has changed since you saw it")
	}
	requireProblem(t, f.says("/api/undo", `{"to_seq":1,"seen":"`+two+`"}`, http.StatusBadRequest), "seen needs a path")
	require.Empty(t, recorded[events.UndoRequested](f))
}

func TestAFileWithItsOriginalContentIsUndoneSinceAnEvent(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SettleWait = time.Millisecond }))
	one, two := events.Digest([]byte("1")), events.Digest([]byte("2"))
	f.write("c1", "T-001", "a.go", one, two)
	between := f.put(person, events.SessionStarred{On: true}).Seq
	f.write("c2", "T-001", "a.go", two, one)
	f.says("/api/undo", fmt.Sprintf(`{"path":"a.go","seen":%q,"to_seq":%d}`, one, between), http.StatusAccepted)
	require.Len(t, recorded[events.UndoRequested](f), 1)
}

func TestADiffOfAFileThatDidNotChangeSaysWhichFilesDid(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.write("c1", "T-001", "a.go", "", events.Digest([]byte("1")))
	a := f.get(fmt.Sprint("/api/changes/diff?path=a.go&from=", f.last()), access.RightRead)
	require.Equal(t, http.StatusNotFound, a.status)
	require.Contains(t, string(a.body), "GET /api/changes with the same ticket, from and at")
}

func TestAWrongTicketIdIsToldHowIdsLook(t *testing.T) {
	t.Parallel()
	f := open(t)
	a := f.says("/api/mma/dag/mutate", `{"op":"remove_ticket","ticket":"../x"}`, http.StatusBadRequest)
	require.Contains(t, string(a.body), "Ids have letters, digits, - and _.")
}

func TestAnEditedCallIsShownWithTheArgumentsThatRan(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.put(events.ActorContributor, events.ToolRequested{Call: "c1", Tool: "run_powershell", Ticket: "T-001", Attempt: 1,
		Round: 1, Args: json.RawMessage(`{"script":"rm a"}`)})
	asked := f.last()
	f.put(events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "run_powershell", Ticket: "T-001", Attempt: 1,
		Args: json.RawMessage(`{"script":"ls"}`), ArgsSHA256: "d", Effect: "executes", Generation: 1, By: person, Edited: true})
	shown := viewOf[views.Called](f, "/api/calls/c1")
	require.JSONEq(t, `{"script":"ls"}`, string(shown.Args))
	require.True(t, shown.Edited)
	before := viewOf[views.Called](f, fmt.Sprint("/api/calls/c1?at=", asked))
	require.JSONEq(t, `{"script":"rm a"}`, string(before.Args))
	require.False(t, before.Edited)
}
