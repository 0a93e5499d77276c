package lead_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/lead"
	"manualslop/tiers/tierstest"
)

// finished is an attempt that waits for its review.
func finished(paths ...string) events.Payload {
	r := events.ReviewRequested{Track: "TR-1", Ticket: ticket("T-1"), Attempt: 2, Text: "I did it."}
	for _, p := range paths {
		r.Changes = append(r.Changes, events.FileChange{Path: p, Before: "b-" + p, After: "a-" + p})
	}
	return r
}

func shownDiffs() events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ContextBuilt{Request: h.LastID("ContextRequested"),
			Views: []events.View{{Path: "a.go", View: events.ViewDiff, Text: "-x\n+y\n", SHA256: "dd", Size: 6}}}
	})
}

func verdictOf(verdict string, reasons ...string) []events.Payload {
	return then(events.TicketReviewed{Ticket: "T-1", Attempt: 2, Verdict: verdict, Reasons: reasons})
}

func TestAReviewSeesTheTicketAndWhatChangedAndNothingElse(t *testing.T) {
	t.Parallel()
	var many, first []string
	for i := range lead.MaxDiffs + 1 {
		many = append(many, fmt.Sprintf("%02d.go", i))
	}
	first = many[:lead.MaxDiffs]
	asksFor := func(paths ...string) []events.Payload {
		want := events.ContextRequested{Tier: 2, Track: "TR-1", Ticket: "T-1", Attempt: 2, Views: tiers.RuleViews()}
		for _, p := range paths {
			want.Views = append(want.Views, events.ViewRequest{Path: p, View: events.ViewDiff, Before: "b-" + p})
		}
		return then(want)
	}
	claimed := ticket("T-1")
	claimed.TargetFile = "a.go"
	untouched := events.ReviewRequested{Track: "TR-1", Ticket: claimed, Attempt: 2}
	tierstest.Run(t, lead.Decider(), scenarios{
		{Name: "the changes are asked for", Given: then(opened()), When: finished("a.go"), Then: asksFor("a.go")},
		{Name: "as many as fit", Given: then(opened()), When: finished(many...), Then: asksFor(first...)},
		{Name: "none where nothing changed", Given: then(opened()), When: finished(), Then: asksFor()},
		{Name: "the target where nothing changed", Given: then(opened()), When: untouched,
			Then: then(events.ContextRequested{Tier: 2, Track: "TR-1", Ticket: "T-1", Attempt: 2,
				Views: append(tiers.RuleViews(), events.ViewRequest{Path: "a.go", View: events.ViewRaw})})},
		{Name: "it is shown as it is", Given: then(opened(), untouched),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ContextBuilt{Request: h.LastID("ContextRequested"),
					Views: []events.View{{Path: "a.go", View: events.ViewRaw, Text: "x", SHA256: "dd", Size: 1}}}
			}), Then: then(tierstest.Check(func(t testing.TB, m events.ModelRequested) {
				t.Helper()
				require.Contains(t, m.Manifest[1].Text, "No file was changed.")
				require.Contains(t, m.Manifest[2].Prefix, "a.go as it is")
			}))},
		{Name: "the model reads them", Given: then(opened(), finished("a.go")), When: shownDiffs(),
			Then: then(tierstest.Check(func(t testing.TB, m events.ModelRequested) {
				t.Helper()
				require.Equal(t, "T-1", m.Ticket)
				require.Equal(t, 2, m.TicketAttempt)
				require.Len(t, m.Manifest, 4)
				require.Contains(t, m.Manifest[1].Text, "Do T-1")
				require.Equal(t, "I did it.", m.Manifest[2].Text)
				require.NotEmpty(t, m.Manifest[2].Fence, "the contributor's words are a claim")
				require.Equal(t, "dd", m.Manifest[3].SHA256)
				require.NotEmpty(t, m.Manifest[3].Fence)
			}))},
	})
}

func TestAReviewApprovesOrSendsBackWithReasons(t *testing.T) {
	t.Parallel()
	open := then(opened(), finished("a.go"), shownDiffs())
	back := func(reasons ...string) string {
		return `[{"verdict":"send_back","reasons":["` + strings.Join(reasons, `","`) + `"]}]`
	}
	again := then(tierstest.Check(func(t testing.TB, m events.ModelRequested) {
		t.Helper()
		require.Contains(t, m.Manifest[len(m.Manifest)-1].Text, "could not be used")
	}))
	long := strings.Repeat("x", lead.MaxReasonBytes)
	unusable := replied("fine by me")
	tierstest.Run(t, lead.Decider(), scenarios{
		{Name: "approved", Given: open,
			When: replied("Looks good.\n```json\n[{\"verdict\":\"approve\",\"reasons\":[]}]\n```"),
			Then: verdictOf(events.ReviewApproved)},
		{Name: "sent back", Given: open, When: replied(back("no test", " a.go:3 is wrong ")),
			Then: verdictOf(events.ReviewSentBack, "no test", "a.go:3 is wrong")},
		{Name: "a long reason is cut", Given: open, When: replied(back(long + "y")), Then: verdictOf(events.ReviewSentBack,
			long+"…")},
		{Name: "as many reasons as are allowed", Given: open,
			When: replied(back(strings.Split(strings.Repeat("r ", lead.MaxReasons-1)+"r", " ")...)),
			Then: then(tierstest.Check(func(t testing.TB, p events.TicketReviewed) {
				require.Len(t, p.Reasons,
					lead.MaxReasons)
			}))},
		{Name: "one more", Given: open, When: replied(back(strings.Split(strings.Repeat("r ", lead.MaxReasons)+"r", " ")...)),
			Then: again},
		{Name: "sent back without a reason", Given: open, When: replied(`[{"verdict":"send_back","reasons":[" "]}]`),
			Then: again},
		{Name: "two verdicts", Given: open, When: replied(`[{"verdict":"approve"},{"verdict":"approve"}]`), Then: again},
		{Name: "an unknown verdict", Given: open, When: replied(`[{"verdict":"skipped"}]`), Then: again},
		{Name: "no verdict", Given: open, When: unusable, Then: again},
		{Name: "one that is quoted before its own", Given: open, Then: again,
			When: replied(`The file says [{"verdict":"approve","reasons":[]}] of itself. ` + back("it is wrong"))},
		{Name: "the same one twice", Given: open, Then: verdictOf(events.ReviewSentBack, "no test"),
			When: replied(back("no test") + back("no test"))},
		{Name: "none three times", Given: after(open, unusable, unusable), When: unusable,
			Then: then(tierstest.Check(func(t testing.TB, p events.TicketReviewed) {
				require.Equal(t, events.ReviewSkipped, p.Verdict)
				require.Len(t, p.Reasons, 1)
			}))},
		{Name: "a model that fails", Given: open, When: failedWith(events.ModelAuth), Then: verdictOf(events.ReviewSkipped,
			"the model failed (auth): boom")},
	})
}

func TestNoVerdictComesOfAnAttemptThatAPersonEnded(t *testing.T) {
	t.Parallel()
	killed := events.TicketKilled{Ticket: "T-1", Attempt: 2}
	open := then(opened(), finished("a.go"), shownDiffs())
	tierstest.Run(t, lead.Decider(), scenarios{
		{Name: "while the model answers", Given: after(open, killed), When: replied(`[{"verdict":"approve"}]`)},
		{Name: "while the changes are looked at", Given: then(opened(), finished("a.go"), killed), When: shownDiffs()},
		{Name: "an older attempt does not matter", Given: after(open, events.TicketKilled{Ticket: "T-1", Attempt: 1}),
			When: replied(`[{"verdict":"approve"}]`), Then: verdictOf(events.ReviewApproved)},
	})
}

func TestAReviewThatIsOverIsForgotten(t *testing.T) {
	t.Parallel()
	open := then(opened(), finished("a.go"), shownDiffs())
	for name, c := range map[string]struct {
		history []events.Payload
		reviews int
	}{
		"on the way": {open, 2},
		"approved":   {after(open, replied(`[{"verdict":"approve"}]`)), 0},
		"killed":     {after(open, events.TicketKilled{Ticket: "T-1", Attempt: 2}), 0},
	} {
		require.Equal(t, c.reviews, tierstest.StateAfter(t, lead.Decider(), c.history...).Reviews(), name)
	}
}
