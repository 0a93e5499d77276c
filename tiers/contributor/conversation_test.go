package contributor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/conversation"
	"manualslop/tiers/tierstest"
)

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// withoutBlock are the parts of a prompt that stay in the next one.
func withoutBlock(parts []part) []part {
	if n := len(parts); n > 0 && parts[n-1].Kind == events.PartRefresh {
		return parts[:n-1]
	}
	return parts
}

// manyRounds is a run with calls of every kind in several rounds.
func manyRounds() []events.Payload {
	changed := events.FileUpdate{Path: "a.go", Before: "1", After: "2", Diff: "-a\n+b\n"}
	return given(opened(func(s *events.Settings) { s.Tiers[0].MaxRounds = 9 }), starts(1),
		context(events.View{Path: ".", View: "tree", SHA256: "ab", Size: 2}),
		aRound(changed), failed(events.ModelOverloaded), aRound(),
		reply("Two.", shell, malformed("no JSON"), read), approve(0), approve(2), settle(2, events.ToolDone, "x"),
		settle(0, events.ToolFailed, "boom", inShell), hint(0, "missing import"), reread(changed, changed),
		reply("", read), deny(0, "not this file"), reread(),
		reply("", read), approve(0), settle(0, events.ToolInterrupted, ""), resolve(0, "done", ""), reread(changed),
		reply("DONE: it is."))
}

func TestEachPromptBeginsWithTheOneBeforeIt(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, contributor.Decider(), manyRounds()...)
	require.Len(t, tierstest.All[events.TicketResolved](h), 1)
	var last string
	rounds := 0
	for _, p := range h.Requests() {
		now := strings.TrimSuffix(mustJSON(t, withoutBlock(p.Manifest)), "]")
		require.True(t, strings.HasPrefix(now, last), "round %d: %s\ndoes not begin with\n%s", p.Round, now, last)
		last = now
		rounds = max(rounds, p.Round)
	}
	require.Equal(t, 6, rounds)
}

func TestAReplyStandsBeforeItsResults(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, contributor.Decider(), given(round1(), aRound())...)
	replyID, settledID := h.LastID("ModelReplied"), h.LastID("ToolSettled")
	require.Equal(t, []part{
		systemPart(t), briefPart,
		{Role: "assistant", SHA256: events.Digest([]byte("I look.")), Size: 7, From: replyID},
		{Role: "tool", SHA256: events.Digest([]byte("text")), Size: 4, From: settledID, Call: called(h, 0).ID},
	}, unfenced(t, h.LastRequest().Manifest))
}

// TestAnAttemptRemembersNothing runs an attempt with a past and compares it with
// the first attempt of a session without one.
func TestAnAttemptRemembersNothing(t *testing.T) {
	t.Parallel()
	prompts := func(history []events.Payload, from int) []string {
		h := tierstest.Play(t, contributor.Decider(), history...)
		var out []string
		for _, p := range h.Requests()[from:] {
			for i := range p.Manifest {
				p.Manifest[i].From, p.Manifest[i].Call, p.Manifest[i].Fence = "", "", "" // ids differ, what they name must not
			}
			out = append(out, mustJSON(t, p.Manifest))
		}
		return out
	}
	fresh := func(attempt int, ticket string) []events.Payload {
		return given(starts(attempt, ofTicket(ticket)), context(), aRound(events.FileUpdate{Path: "b.go", After: "2",
			Diff: "+b"}), reply("DONE: it is."))
	}
	past := given(manyRounds()[:len(manyRounds())-1], reply("BLOCKED: no"))
	pastPrompts := len(tierstest.All[events.ModelRequested](tierstest.Play(t, contributor.Decider(), past...)))
	open := given(opened(func(s *events.Settings) { s.Tiers[0].MaxRounds = 9 }))
	for _, ticket := range []string{"T-1", "T-2"} {
		require.Equal(t, prompts(given(open, fresh(1, ticket)), 0), prompts(given(past, fresh(2, ticket)), pastPrompts),
			"after the end of another run")
	}
	killed := given(manyRounds()[:8], events.TicketKilled{Ticket: "T-1", Attempt: 1})
	killedPrompts := len(tierstest.All[events.ModelRequested](tierstest.Play(t, contributor.Decider(), killed...)))
	require.Equal(t, prompts(given(open, fresh(1, "T-1")), 0), prompts(given(killed, fresh(2, "T-1")), killedPrompts),
		"after a kill")
}

func TestRunsOfTwoTicketsDoNotMeet(t *testing.T) {
	t.Parallel()
	one, two := call("read_file", `{"path":"one"}`), call("read_file", `{"path":"two"}`)
	second := given(starts(1, ofTicket("T-2")), context())
	h := tierstest.Play(t, contributor.Decider(), given(round1(), second, replyTo("T-1", "", one), replyTo("T-2", "", two),
		ran(0, "x"), reread(), replyTo("T-2", "DONE: two is."))...)
	require.Equal(t, []events.TicketResolved{{Ticket: "T-2", Attempt: 1, Outcome: "done", Text: "DONE: two is."}},
		tierstest.All[events.TicketResolved](h))
	require.Len(t, tierstest.All[events.RefreshRequested](h), 1)
	for _, p := range h.Requests() {
		for _, part := range p.Manifest {
			if part.Role == "user" && strings.HasPrefix(part.Text, "# Ticket") {
				require.Contains(t, part.Text, p.Ticket)
			}
		}
	}
}

func TestALateAnswerToAnEarlierAttemptIsNothing(t *testing.T) {
	t.Parallel()
	var said []events.Payload
	for _, e := range tierstest.Play(t, contributor.Decider(), given(round1(), reply("", read), ran(0, "x"), reread(),
		reply("DONE: it is."))...).Events() {
		if e.Actor != events.ActorContributor {
			said = append(said, e.Payload)
		}
	}
	for cut := len(opened()) + 1; cut < len(said); cut++ {
		again := given(said[:cut], events.TicketKilled{Ticket: "T-1", Attempt: 1}, starts(2))
		before := tierstest.Play(t, contributor.Decider(), again...)
		after := tierstest.Play(t, contributor.Decider(), given(again, said[cut:])...)
		require.Len(t, after.Events(), len(before.Events())+len(said)-cut, "behind event %d", cut)
	}
}

func TestAConversationIsBounded(t *testing.T) {
	t.Parallel()
	// A brief whose parts with the system's are exactly so large.
	first := func(size int) []events.Payload {
		empty := mustJSON(t, []part{systemPart(t), {Role: "user", Text: "# Ticket T-1\n\n\n"}})
		return given(opened(), starts(1, func(p *events.TicketStarted) { p.Prompt = strings.Repeat("x", size-len(empty)+1) }))
	}
	tooLong := func(n int) []events.Payload {
		return given(ends("blocked", "", fmt.Sprintf("context_too_long: the conversation of %d bytes is over the limit of "+
			"%d, and nothing more can be left out: ask for less at once", n, conversation.MaxBytes)))
	}
	most := conversation.MaxBytes
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "a prompt at the limit is sent", Given: first(most), When: context(),
			Then: given(decided[events.ModelRequested]())},
		{Name: "one byte over is not", Given: first(most + 1), When: context(), Then: tooLong(most + 1)},
		{Name: "nor a later one", Given: given(first(most), context(), reply("", read), ran(0, "x")), When: reread(),
			Then: given(decided[events.TicketResolved]())},
	})
}

// TestTheLargestFactsFitOneEvent puts together the largest of everything: a
// fact that no log takes would stall the session.
func TestTheLargestFactsFitOneEvent(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("<", 12<<10)
	var files []events.FileState
	for i := range 200 {
		files = append(files, events.FileState{Path: fmt.Sprint(i) + strings.Repeat("<", 1000)})
	}
	var calls []events.ToolCall
	for range 64 {
		calls = append(calls, read)
	}
	history := given(opened(func(s *events.Settings) { s.Tracked = []string{strings.Repeat("<", 4000)} }),
		starts(1, func(p *events.TicketStarted) { p.Prompt = strings.Repeat("<", 40<<10) }), context(),
		reply("", calls...), approve(0), settle(0, events.ToolDone, "", withFiles(files...)))
	for i := range calls[1:] {
		history = append(history, deny(i+1, wide))
	}
	history = given(history, reread(events.FileUpdate{Path: "a", After: "1", Diff: strings.Repeat("<", 60<<10)},
		events.FileUpdate{Path: "b", After: "1", Diff: strings.Repeat("x", 60<<10)}))
	finished := given(opened(), starts(1), context(), reply("BLOCKED: "+strings.Repeat("x", 480<<10)))
	for _, foreign := range [][]events.Payload{history, finished} {
		for _, e := range tierstest.Play(t, contributor.Decider(), foreign...).Events() {
			if e.Actor == events.ActorContributor {
				require.LessOrEqual(t, len(mustJSON(t, e)), events.MaxEventBytes, e.Type)
			}
		}
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	histories := [][]events.Payload{
		manyRounds(),
		given(opened(stepMode, tracked("b.go", "a.go")), starts(1), context(), events.StepApproved{Ticket: "T-1", Attempt: 1,
			Round: 1}, reply("I look.", read), stepped(), ran(0, "text"), reread(), starts(1, ofTicket("T-2")), context(),
			events.StepDenied{Ticket: "T-2", Attempt: 1, Round: 1, By: "ada"}, events.StepApproved{Ticket: "T-1", Attempt: 1,
				Round: 2}, replyTo("T-1", "BLOCKED: no"), starts(2), context()),
		given(opened(), events.TierChanged{Tier: 3, Provider: "other", Models: []string{"x"}}, starts(1), context(),
			events.ProviderChanged{Provider: "gemini_cli", Command: "/bin/o"},
			failed(events.ModelOverloaded), events.TierChanged{Tier: 9, Provider: "never"}, aRound()),
		given(round1(), reply("", shell, read), approve(0), approve(1), park(1), settle(0, events.ToolFailed, "boom",
			inShell), events.TicketKilled{Ticket: "T-1", Attempt: 1}, starts(2), context()),
	}
	tierstest.Laws(t, contributor.Decider(), histories...)
	tierstest.SilentAfterClose(t, contributor.Decider(), histories...)
}
