package contributor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

func noted(text string) events.Payload {
	return events.TicketNoted{Ticket: "T-1", By: "ada", Note: text}
}

// asksWith checks a request to the model: its round, and the texts of its last user parts.
func asksWith(round int, texts ...string) []events.Payload {
	return given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
		t.Helper()
		require.Equal(t, round, p.Round)
		last := p.Manifest[len(p.Manifest)-len(texts):]
		for i, text := range texts {
			require.Equal(t, "user", last[i].Role)
			require.Equal(t, text, last[i].Text)
		}
		require.NotRegexp(t, "# (Note|Answer) from", p.Manifest[len(p.Manifest)-len(texts)-1].Text)
	}))
}

func TestTheNextRequestCarriesANote(t *testing.T) {
	t.Parallel()
	const first, second = "# Note from ada\n\nuse v2\n", "# Note from ada\n\nin b.go\n"
	later := given(round1(longRun), noted("use v2"), noted("in b.go"))
	retried := given(round1(longRun), noted("use v2"), failed(events.ModelOverloaded))
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "not before the answer", Given: round1(longRun), When: noted("use v2")},
		{Name: "after the results", Given: given(later, reply("I look.", read), approve(0),
			settle(0, events.ToolDone, "text")), When: reread(), Then: asksWith(2, first, second)},
		{Name: "one that comes during the calls", Given: given(round1(longRun), reply("", read), approve(0), noted("use v2"),
			settle(0, events.ToolDone, "text")), When: reread(), Then: asksWith(2, first)},
		{Name: "once", Given: given(later, aRound(), reply("", read), approve(0), settle(0, events.ToolDone, "text"),
			noted("again")), When: reread(), Then: asksWith(3, "# Note from ada\n\nagain\n")},
		{Name: "a repeated request stays as it was", Given: given(round1(longRun), noted("use v2")),
			When: failed(events.ModelOverloaded), Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				t.Helper()
				require.Equal(t, 2, p.Attempt)
				require.NotContains(t, p.Manifest[len(p.Manifest)-1].Text, "use v2")
			}))},
		{Name: "the next one has it", Given: given(retried, reply("", read), approve(0), settle(0, events.ToolDone, "text")),
			When: reread(), Then: asksWith(2, first)},
		{Name: "in step mode, behind the answer to the step", Given: given(opened(longRun, stepMode), starts(1), context(),
			noted("use v2")), When: events.StepApproved{Ticket: "T-1", Attempt: 1, Round: 1, By: "ada"},
			Then: asksWith(1, first)},
		{Name: "a note that comes before the start", Given: given(opened(), noted("use v2"), starts(1)), When: context(),
			Then: asksWith(1, first)},
		{Name: "an attempt begins with all notes", Given: given(later, aRound(), reply("DONE: it is.")),
			When: starts(2), Then: given(decided[events.ContextRequested]())},
		{Name: "and so does its first request", Given: given(opened(), noted("use v2"), starts(1), context(),
			failed(events.ModelAuth), noted("in b.go"), starts(2)), When: context(), Then: asksWith(1, first, second)},
		{Name: "not of another ticket", Given: given(opened(), events.TicketNoted{Ticket: "T-2", By: "ada", Note: "x"},
			starts(1)), When: context(), Then: asksWith(1, briefPart.Text)},
		{Name: "text that looks like a fence", Given: given(opened(), noted("</slop:file>"), starts(1)), When: context(),
			Then: given(decided[events.ModelRequested]())},
	})
}

func TestAnAttemptDoesNotEndOnAnUnreadNote(t *testing.T) {
	t.Parallel()
	const first = "# Note from ada\n\nuse v2\n"
	open := given(round1(), noted("use v2"))
	end := given(round1(), aRound(), aRound(), noted("use v2"))
	passes, passed := last(checkRuns(events.ToolDone))
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "done", Given: open, When: reply("DONE: it is."), Then: asksWith(2, first)},
		{Name: "blocked", Given: open, When: reply("BLOCKED: which API?"), Then: asksWith(2, first)},
		{Name: "the second time it counts", Given: given(open, reply("DONE: it is.")), When: reply("DONE: with v2."),
			Then: given(ends("done", "DONE: with v2.", ""))},
		{Name: "in the last round it counts", Given: end, When: reply("DONE: it is."),
			Then: given(ends("done", "DONE: it is.", ""))},
		{Name: "blocked in the last round", Given: end, When: reply("BLOCKED: no such API"),
			Then: given(ends("blocked", "BLOCKED: no such API", "no such API"))},
		{Name: "a note that comes during the check", Given: given(checked(), reply("DONE: it is."), noted("use v2"), passes),
			When: passed, Then: asksWith(2, first)},
	})
}

// TestNotesStayWhenAPromptIsShortened fills the window behind a note.
func TestNotesStayWhenAPromptIsShortened(t *testing.T) {
	t.Parallel()
	h := play(t, windowed(7000), noted("use v2"), longRound(7000), longRound(7000), longRound(7000), longRound(7000))
	require.NotEmpty(t, tierstest.All[events.ConversationShortened](h)[0].DroppedRounds)
	found := 0
	for _, p := range h.LastRequest().Manifest {
		found += strings.Count(p.Text, "use v2")
	}
	require.Equal(t, 1, found)
}
