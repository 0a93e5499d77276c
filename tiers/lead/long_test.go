package lead_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/lead"
	"manualslop/tiers/tierstest"
)

// windowed is a session whose models take so many tokens, and a reply of 8192 at
// most.
func windowed(tokens int64) []events.Payload {
	return then(opened(), events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "m*",
		ContextWindow: tokens, MaxOutputTokens: 1000}}})
}

// wide answers with views of many bytes each.
func wide(view string, paths ...string) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		p := events.ContextBuilt{Request: h.LastID("ContextRequested")}
		for _, path := range paths {
			p.Views = append(p.Views, events.View{Path: path, View: view, SHA256: "sha-" + path, Size: 50_000, Blob: true})
		}
		return p
	})
}

func TestLongViewsOfATrackAreCutTheLastOneFirstAndTheBriefStays(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, lead.Decider(), after(windowed(30_000), startedTrack("TR-1"), wide(events.ViewCurated, "a.go",
		"b.go", "c.go"))...)
	p := h.Last("ConversationShortened").Payload.(events.ConversationShortened)
	require.Equal(t, []any{2, "G", "TR-1", "", 1}, []any{p.Tier, p.Goal, p.Track, p.Ticket, p.Round})
	require.Equal(t, []events.ShortenedView{{Part: 4, Name: "c.go", Size: 50_000, Head: 8000}, {Part: 3, Name: "b.go",
		Size: 50_000, Head: 8000}}, p.Views)
	m := h.LastRequest().Manifest
	require.Contains(t, m[1].Text, "Mend it")
	require.Zero(t, m[2].Head)
}

func TestAReviewThatDoesNotFitIsSkippedAndSaysWhy(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, lead.Decider(), after(windowed(30_000), finished("a.go", "b.go", "c.go"),
		wide(events.ViewDiff, "a.go", "b.go", "c.go"))...)
	p := h.Last("ConversationShortened").Payload.(events.ConversationShortened)
	require.Equal(t, []any{2, "T-1", 2, 1}, []any{p.Tier, p.Ticket, p.Attempt, p.Round})
	require.Equal(t, "Changes of c.go", p.Views[0].Name)
	require.Equal(t, "T-1", h.LastRequest().Ticket)

	none := tierstest.Play(t, lead.Decider(), after(windowed(1200), finished("a.go"), wide(events.ViewDiff, "a.go"))...)
	reviewed := none.Last("TicketReviewed").Payload.(events.TicketReviewed)
	require.Equal(t, events.ReviewSkipped, reviewed.Verdict)
	require.Contains(t, reviewed.Reasons[0], "context_too_long: the prompt of about")
}

func TestTwoTracksAreShortenedEachForItself(t *testing.T) {
	t.Parallel()
	history := after(windowed(30_000), startedTrack("TR-1"), wide(events.ViewCurated, "a.go", "b.go", "c.go"),
		startedTrack("TR-2"), wide(events.ViewCurated, "a.go", "b.go", "c.go"), failedWith(events.ModelContextTooLong))
	h := tierstest.Play(t, lead.Decider(), history...)
	var tracks []string
	for _, p := range tierstest.All[events.ConversationShortened](h) {
		tracks = append(tracks, p.Track+" "+p.Reason)
	}
	require.Equal(t, []string{"TR-1 window", "TR-2 window", "TR-2 vendor"}, tracks)
	tierstest.Laws(t, lead.Decider(), history)
	tierstest.SilentAfterClose(t, lead.Decider(), history)
}

func TestFilesThatALeadAskedForAreCutAndThenLeftOutWhereTheVendorTakesLess(t *testing.T) {
	t.Parallel()
	history := after(asked(), replied(show("a.go", "b.go")), shown(40<<10, 20<<10), failedWith(events.ModelContextTooLong))
	h := tierstest.Play(t, lead.Decider(), history...)
	p := h.Last("ConversationShortened").Payload.(events.ConversationShortened)
	require.Equal(t, []any{events.ShortenedForVendor, 2, "TR-1", 2}, []any{p.Reason, p.Tier, p.Track, p.Round})
	var names []string
	for _, v := range p.Views {
		names = append(names, v.Name)
	}
	require.Equal(t, []string{"f1.go", "f0.go"}, names)
	last := h.LastRequest().Manifest
	require.Contains(t, last[len(last)-1].Text, "Write the plan now")

	history = after(history, failedWith(events.ModelContextTooLong), failedWith(events.ModelContextTooLong))
	h = tierstest.Play(t, lead.Decider(), history...)
	last = h.LastRequest().Manifest
	require.Contains(t, last[len(last)-3].Text, "# f0.go\n\n[left out to make room: 40960 bytes]")
	require.Contains(t, last[len(last)-2].Text, "# f1.go\n\n[left out to make room: 20480 bytes]")
	require.Contains(t, last[len(last)-1].Text, "Write the plan now")
	tierstest.Laws(t, lead.Decider(), history)
	tierstest.SilentAfterClose(t, lead.Decider(), history)
}
