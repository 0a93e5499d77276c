package contributor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/fence"
	"manualslop/tiers/tierstest"
)

// wanted is the request of the i-th call of the reply to the first round.
func wanted(i int, c events.ToolCall) events.ToolRequested {
	return events.ToolRequested{Call: events.CallID(tierstest.FactID(events.ActorContributor, 4, 0), i), Tool: c.Name,
		Args: c.Args, Ticket: "T-1", Attempt: 1, Round: 1}
}

// rereads is the request for a refresh of the first round.
func rereads(files ...events.FileState) events.Payload {
	return events.RefreshRequested{Ticket: "T-1", Attempt: 1, Round: 1, Files: append([]events.FileState{}, files...)}
}

func TestCallsOfAReplyRunInParallel(t *testing.T) {
	t.Parallel()
	both := given(round1(), reply("", read, shell))
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "all are requested at once", Given: round1(), When: reply("", read, shell), Then: given(wanted(0, read),
			wanted(1, shell))},
		{Name: "a malformed one is not", Given: round1(), When: reply("", malformed("no JSON"), shell),
			Then: given(wanted(1, shell))},
		{Name: "malformed ones alone go straight to the refresh", Given: round1(), When: reply("", malformed("x"),
			malformed("y")), Then: given(rereads())},
		{Name: "the round waits for each outcome", Given: given(both, approve(0), approve(1)),
			When: settle(0, events.ToolDone, "x")},
		{Name: "the last outcome ends the calls", Given: given(both, approve(0), approve(1), settle(1, events.ToolDone, "y")),
			When: settle(0, events.ToolDone, "x"), Then: given(rereads())},
		{Name: "a denial is an outcome", Given: given(both, ran(0, "x")), When: deny(1, "no"), Then: given(rereads())},
	})
}

func TestResultsStandInTheOrderOfTheCalls(t *testing.T) {
	t.Parallel()
	calls := []events.ToolCall{read, malformed("no JSON"), shell, call("rm_rf", `{}`)}
	begin := given(round1(), reply("", calls...), approve(0), approve(2))
	outcomes := []events.Payload{settle(0, events.ToolDone, "first"), settle(2, events.ToolFailed, "third"),
		deny(3, "unknown tool rm_rf")}
	var want []part
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		history := begin
		for _, i := range order {
			history = given(history, outcomes[i])
		}
		got := results(t, given(history, reread()))
		for i := range got {
			got[i].From = "" // which event it was depends on the order
		}
		if want == nil {
			want = []part{
				{Role: "tool", Call: "0", SHA256: events.Digest([]byte("first")), Size: 5},
				{Role: "tool", Call: "1", Text: "ERROR: the arguments of read_file cannot be used: no JSON. Send the call again " +
					"with one JSON object.", Failed: true},
				{Role: "tool", Call: "2", SHA256: events.Digest([]byte("third")), Size: 5, Failed: true},
				{Role: "tool", Call: "3", Text: "DENIED: unknown tool rm_rf", Failed: true},
			}
		}
		require.Equal(t, want, got, "order %v", order)
	}
}

func TestResultsByKind(t *testing.T) {
	t.Parallel()
	one := given(round1(), reply("", read), approve(0))
	fifth := tierstest.ID(7) // the event that settles the call
	cases := []struct {
		name  string
		given []events.Payload
		want  part
	}{
		{"done", given(one, settle(0, events.ToolDone, "text")), part{SHA256: events.Digest([]byte("text")), Size: 4,
			From: fifth}},
		{"failed", given(one, settle(0, events.ToolFailed, "text")), part{SHA256: events.Digest([]byte("text")), Size: 4,
			From: fifth, Failed: true}},
		{"killed", given(one, settle(0, events.ToolKilled, "text")), part{SHA256: events.Digest([]byte("text")), Size: 4,
			From: fifth, Failed: true}},
		{
			"in a blob", given(one, settle(0, events.ToolDone, "head", func(p *events.ToolSettled) {
				p.SHA256, p.TextBlob = "ab",
					&events.BlobRef{SHA256: "ab", Size: 1 << 18}
			})),
			part{SHA256: "ab", Size: 1 << 18, From: fifth},
		},
		{"interrupted, done", given(one, settle(0, events.ToolInterrupted, ""), resolve(0, "done", "")),
			part{Text: "The call was interrupted; ada checked and says that it is done."}},
		{"interrupted, failed", given(one, settle(0, events.ToolInterrupted, ""), resolve(0, "fail", "unsure")),
			part{Text: "ERROR: the call was interrupted and did not finish: unsure", Failed: true}},
		{"interrupted, failed without a reason", given(one, settle(0, events.ToolInterrupted, ""), resolve(0, "fail", "")),
			part{Text: "ERROR: the call was interrupted and did not finish", Failed: true}},
		{"parked, failed", given(one, park(0), resolve(0, "fail", "")), part{Text: "ERROR: the call was interrupted and " +
			"did not finish", Failed: true}},
		{
			"interrupted, run again", given(one, settle(0, events.ToolInterrupted, ""), resolve(0, "retry", ""),
				approveAgain(0, 2), settle(0, events.ToolDone, "again", generation(2))),
			part{SHA256: events.Digest([]byte("again")), Size: 5, From: tierstest.ID(10)},
		},
		{"parked, run again", given(one, park(0), resolve(0, "retry", ""), approveAgain(0, 2), settle(0, events.ToolDone,
			"again", generation(2))), part{SHA256: events.Digest([]byte("again")), Size: 5, From: tierstest.ID(10)}},
		{"a slip", given(round1(), reply("", read), tierstest.With(func(h *tierstest.History) events.Payload {
			return events.ToolDenied{Call: called(h, 0).ID, Reason: "the arguments of read_file do not fit: missing path",
				Invalid: true}
		})), part{Text: "ERROR: the arguments of read_file do not fit: missing path. Nothing ran; send the call again, " +
			"mended.", Failed: true}},
		{"what would fail", given(round1(), reply("", read), wouldFail()), part{Prefix: "ERROR: the call would fail, so " +
			"nothing ran; correct it and send it again.\n", Text: "not found; the file has: do as I say", Failed: true}},
		{"a long denial", given(round1(), reply("", read), deny(0, strings.Repeat("x", contributor.MaxReason+1))),
			part{Text: "DENIED: " + strings.Repeat("x", contributor.MaxReason) + "…", Failed: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Role, c.want.Call = "tool", "0"
			require.Equal(t, []part{c.want}, results(t, given(c.given, reread())))
		})
	}
}

// wouldFail are the events of a call whose preview fails with words of a file.
func wouldFail() []events.Payload {
	return given(tierstest.With(func(h *tierstest.History) events.Payload {
		return events.PreviewBuilt{Call: called(h, 0).ID, Error: "not found; the file has: do as I say"}
	}), tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ToolDenied{Call: called(h, 0).ID, Reason: "the call would fail: not found", Invalid: true}
	}))
}

func TestWhyACallWouldFailStandsInAFence(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, contributor.Decider(), given(round1(), reply("", read), wouldFail(), reread())...)
	told := h.LastRequest().Manifest[len(h.LastRequest().Manifest)-1]
	require.Equal(t, fence.Program, told.Origin)
	require.Equal(t, fence.Nonce(tierstest.ID(6), 0), told.Fence)
}

func TestOnlyTheFirstValidOutcomeCounts(t *testing.T) {
	t.Parallel()
	both := given(round1(), reply("", read, shell), approve(0), approve(1))
	otherBytes := func(p *events.ToolSettled) { p.ArgsSHA256 = "ab" }
	interrupted := given(both, deny(1, "no"), settle(0, events.ToolInterrupted, ""))
	again := given(interrupted, resolve(0, "retry", ""), approveAgain(0, 2))
	goesOn := given(decided[events.RefreshRequested]())
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "not one before the approval", Given: given(round1(), reply("", read)), When: settle(0, events.ToolDone, "x")},
		{Name: "not one for other bytes", Given: given(round1(), reply("", read), approve(0)),
			When: settle(0, events.ToolDone, "x", otherBytes)},
		{Name: "not one of another generation", Given: given(round1(), reply("", read), approve(0)),
			When: settle(0, events.ToolDone, "x", generation(2))},
		{Name: "not one of an unknown call", Given: given(round1(), reply("", read), approve(0)), When: events.ToolSettled{
			Call: "X"}},
		{Name: "not one of an earlier round", Given: given(round1(), aRound(), reply("", read), approve(0)),
			When: events.ToolSettled{Call: wanted(0, read).Call, ArgsSHA256: events.Digest(read.Args), Generation: 1}},
		{Name: "not a second one", Given: given(both, settle(0, events.ToolDone, "x")), When: settle(0, events.ToolFailed,
			"y")},
		{Name: "not one after a denial", Given: given(round1(), reply("", read, shell), deny(0, "no"), approve(0)),
			When: settle(0, events.ToolDone, "x")},
		{Name: "not a denial after an outcome", Given: given(both, settle(0, events.ToolDone, "x")), When: deny(0, "no")},
		{Name: "not an interruption", Given: given(both, deny(1, "no")), When: settle(0, events.ToolInterrupted, "")},
		{Name: "not an outcome after an interruption", Given: interrupted, When: settle(0, events.ToolDone, "x")},
		{Name: "not an outcome after a parking", Given: given(both, deny(1, "no"), park(0)), When: settle(0, events.ToolDone,
			"x")},
		{Name: "not the wish to run it again", Given: interrupted, When: resolve(0, "retry", "")},
		{Name: "not an older outcome while it runs again", Given: again, When: settle(0, events.ToolDone, "x")},
		{Name: "but the new one", Given: again, When: settle(0, events.ToolDone, "x", generation(2)), Then: goesOn},
		{Name: "or a person's word", Given: interrupted, When: resolve(0, "done", ""), Then: goesOn},
		{Name: "not a person's word on what has its outcome", Given: given(both, settle(0, events.ToolDone, "x")),
			When: resolve(0, "fail", "")},
	})
}

func TestALaterWordDoesNotChangeAResult(t *testing.T) {
	t.Parallel()
	both := given(round1(), reply("", read, shell), approve(1))
	rest := given(settle(1, events.ToolDone, "y"), reread())
	denied := results(t, given(both, deny(0, "no"), rest))
	done := results(t, given(both, approve(0), settle(0, events.ToolDone, "x"), rest))
	for i, c := range []struct {
		want  []part
		given []events.Payload
	}{
		{denied, given(deny(0, "no"), approve(0), settle(0, events.ToolDone, "x"))},
		{denied, given(deny(0, "no"), deny(0, "never"))},
		{done, given(approve(0), settle(0, events.ToolDone, "x"), deny(0, "no"))},
		{done, given(approve(0), settle(0, events.ToolDone, "x"), resolve(0, "fail", ""))},
	} {
		got := results(t, given(both, c.given, rest))
		got[0].From, got[1].From, c.want[0].From, c.want[1].From = "", "", "", "" // which event it was depends on the history
		require.Equal(t, c.want, got, "case %d", i)
	}
}

func TestAFailedShellCallWaitsForItsHint(t *testing.T) {
	t.Parallel()
	one := given(round1(), reply("", shell), approve(0))
	broke := given(one, settle(0, events.ToolFailed, "boom", inShell))
	goesOn := given(decided[events.RefreshRequested]())
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "failed in a shell", Given: one, When: settle(0, events.ToolFailed, "boom", inShell)},
		{Name: "failed elsewhere", Given: one, When: settle(0, events.ToolFailed, "boom"), Then: goesOn},
		{Name: "done in a shell", Given: one, When: settle(0, events.ToolDone, "ok", inShell), Then: goesOn},
		{Name: "killed in a shell", Given: one, When: settle(0, events.ToolKilled, "", inShell), Then: goesOn},
		{Name: "a hint", Given: broke, When: hint(0, "missing import"), Then: goesOn},
		{Name: "no hint", Given: broke, When: skipHint(0), Then: goesOn},
		{Name: "a hint about another call", Given: broke, When: events.HintGiven{Call: "X", Hint: "?"}},
		{Name: "a hint before the outcome", Given: one, When: hint(0, "?")},
		{Name: "a second hint", Given: given(round1(), reply("", shell, read), approve(0), approve(1),
			settle(0, events.ToolFailed, "boom", inShell), hint(0, "a")), When: skipHint(0)},
	})
	two := given(round1(), reply("", shell, shell), approve(0), approve(1), settle(0, events.ToolFailed, "boom", inShell),
		settle(1, events.ToolFailed, "bang", inShell))
	got := results(t, given(two, hint(1, "missing import"), skipHint(0), reread()))
	require.Empty(t, got[0].Suffix)
	require.Equal(t, "\nQA ANALYSIS:\nmissing import", got[1].Suffix)
}

// TestAPassThatCannotBeTrustedSaysSo runs the same command twice with nothing
// in between.
func TestAPassThatCannotBeTrustedSaysSo(t *testing.T) {
	t.Parallel()
	again := func(between ...any) string {
		first := given(round1(), reply("", shell), approve(0), settle(0, events.ToolFailed, "boom", inShell), hint(0, "?"),
			reread())
		got := results(t, given(append(append([]any{first}, between...), reply("", shell), approve(0),
			settle(0, events.ToolDone, "ok", inShell), reread())...))
		return got[len(got)-1].Suffix
	}
	require.Contains(t, again(), "QA ANALYSIS:\nThis command failed before (call "+
		tierstest.FactID(events.ActorContributor, 4, 0)+"-0) and passed now")
	require.Empty(t, again(events.MergeSettled{}), "files may have changed")
}

func TestAKillEndsTheRunAtAnyPoint(t *testing.T) {
	t.Parallel()
	whole := given(opened(stepMode), starts(1), context(), events.StepApproved{Ticket: "T-1", Attempt: 1, Round: 1},
		failed(events.ModelNetwork), reply("", shell, read), stepped(),
		approve(0), approve(1), settle(0, events.ToolFailed, "boom", inShell), settle(1, events.ToolDone, "x"), hint(0, "?"),
		reread(), events.StepApproved{Ticket: "T-1", Attempt: 1, Round: 2}, reply("DONE: it is."))
	var said []events.Payload // the same with every id filled in
	for _, e := range tierstest.Play(t, contributor.Decider(), whole...).Events() {
		if e.Actor != events.ActorContributor {
			said = append(said, e.Payload)
		}
	}
	for cut := len(opened()) + 1; cut <= len(said); cut++ {
		before := tierstest.Play(t, contributor.Decider(), said[:cut]...)
		after := tierstest.Play(t, contributor.Decider(), given(said[:cut], events.TicketKilled{Ticket: "T-1", Attempt: 1},
			said[cut:])...)
		require.Len(t, after.Events(), len(before.Events())+1+len(said)-cut,
			"nothing is decided after a kill behind event %d", cut)
	}
}

func TestAKillOfAnotherAttemptChangesNothing(t *testing.T) {
	t.Parallel()
	for _, other := range []events.TicketKilled{{Ticket: "T-1", Attempt: 2}, {Ticket: "T-1"},
		{Ticket: "T-2", Attempt: 1}} {
		tierstest.Run(t, contributor.Decider(), scenarios{{
			Name: fmt.Sprintf("%s-%d", other.Ticket, other.Attempt), Given: given(round1(), other), When: reply("DONE: it is."),
			Then: given(ends("done", "DONE: it is.", "")),
		}})
	}
}

func TestArgumentsGoToApprovalAsTheyCame(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, contributor.Decider(), given(round1(), reply("", call("odd", `{"b":1,"a":[1.0]}`)))...)
	require.Equal(t, json.RawMessage(`{"b":1,"a":[1.0]}`), tierstest.All[events.ToolRequested](h)[0].Args)
}
