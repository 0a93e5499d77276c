package conductor_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/basis"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func reviewed(id string, attempt int, verdict string, reasons ...string) events.Payload {
	return events.TicketReviewed{Ticket: id, Attempt: attempt, Verdict: verdict, Reasons: reasons}
}

func TestAReviewStandsBetweenAnAttemptAndItsTicketsEnd(t *testing.T) {
	t.Parallel()
	withReview := func(s *events.Settings) { s.Review, s.MaxRetries = true, 1 }
	open := given(begin(withReview), planned("TR-1", "A"), approve("A", 1))
	changes := []events.FileChange{{Path: "a.go", Before: "ab", After: "cd"}}
	said := events.TicketResolved{Ticket: "A", Attempt: 1, Outcome: events.ResolvedDone, Text: "I did it.",
		Changes: changes}
	waiting := given(open, said)
	sentBack := reviewed("A", 1, events.ReviewSentBack, "no test", "a.go:3 is wrong")
	off := given(begin(), planned("TR-1", "A"), approve("A", 1))
	claimed := events.TicketResolved{Ticket: "A", Attempt: 1, Outcome: events.ResolvedDone, Text: "I did it.",
		Unchanged: true}
	const nobody = "it is said to be done, no file was changed, and nobody could review that: model auth"
	const unreviewed = "it was reported as done, but its changes could not be reviewed: model auth"
	newer := slices.Clone(waiting)
	first := newer[0].(events.SessionOpened)
	first.Basis, first.Settings.SpawnApproval = basis.Of("test"), true
	newer[0] = first
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "the review is asked for", Given: open, When: said,
			Then: given(tierstest.Check(func(t testing.TB, p events.ReviewRequested) {
				t.Helper()
				require.Equal(t, "A", p.Ticket.ID)
				require.Equal(t, 1, p.Attempt)
				require.Equal(t, "I did it.", p.Text)
				require.Equal(t, changes, p.Changes)
			}))},
		{Name: "approved", Given: waiting, When: reviewed("A", 1, events.ReviewApproved),
			Then: given(events.TicketCompleted{Ticket: "A"}, finished())},
		{Name: "nobody could review", Given: newer, When: reviewed("A", 1, events.ReviewSkipped, "model auth"),
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockWorker, Reason: unreviewed},
				stuck("A is blocked (worker): "+unreviewed))},
		{Name: "nobody could review, before decisions 3", Given: waiting, When: reviewed("A", 1, events.ReviewSkipped,
			"model auth"), Then: given(events.TicketCompleted{Ticket: "A"}, finished())},
		{Name: "sent back", Given: waiting, When: sentBack, Then: given(
			events.TicketRetried{Ticket: "A", RetryCount: 1, Reason: "sent back by the review: no test; a.go:3 is wrong"},
			isReady("A"),
			events.SpawnRequested{Ticket: "A", Attempt: 2, Model: "m1", Prompt: "Do A\n\n## The review of an earlier attempt " +
				"asks for this\n\n- no test\n- a.go:3 is wrong\n"})},
		{Name: "sent back for the last time", Given: given(waiting, sentBack, approve("A", 2),
			events.TicketResolved{Ticket: "A", Attempt: 2, Outcome: events.ResolvedDone}),
			When: reviewed("A", 2, events.ReviewSentBack, "still none"),
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockWorker,
				Reason: "sent back by the review: still none"},
				stuck("A is blocked (worker): sent back by the review: still none"))},
		{Name: "a word on another attempt", Given: waiting, When: reviewed("A", 2, events.ReviewApproved)},
		{Name: "a second word", Given: given(waiting, sentBack), When: reviewed("A", 1, events.ReviewApproved)},
		{Name: "an attempt that gave up needs none", Given: open, When: gaveUp("A", 1),
			Then: given(events.TicketRetried{Ticket: "A", RetryCount: 1, Reason: "no such file"}, isReady("A"),
				spawn("A", 2, "m1"))},
		{Name: "killed while it waits", Given: waiting, When: events.KillRequested{Ticket: "A"},
			Then: given(events.TicketKilled{Ticket: "A", Attempt: 1, By: tierstest.Person},
				events.TicketBlocked{Ticket: "A", Kind: events.BlockKilled, Reason: "killed by ada"},
				stuck("A is blocked (killed): killed by ada"))},
		{Name: "off, but nothing was changed", Given: off, When: claimed, Then: given(decided[events.ReviewRequested]())},
		{Name: "nothing needed a change", Given: given(off, claimed), When: reviewed("A", 1, events.ReviewApproved),
			Then: given(events.TicketCompleted{Ticket: "A"}, finished())},
		{Name: "nothing was changed and nobody could review", Given: given(off, claimed), When: reviewed("A", 1,
			events.ReviewSkipped, "model auth"),
			Then: given(events.TicketBlocked{Ticket: "A", Kind: events.BlockWorker, Reason: nobody},
				stuck("A is blocked (worker): "+nobody))},
		{Name: "off", Given: off, When: said, Then: given(events.TicketCompleted{Ticket: "A"}, finished())},
	})
}
