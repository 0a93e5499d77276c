package qa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/qa"
	"manualslop/tiers/tierstest"
)

// windowed says that the models take so many tokens, of which 60 are for the reply.
func windowed(tokens int64) events.Payload {
	return events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "q*", ContextWindow: tokens}}}
}

// ruled is a session whose project has long rules, in which T-1 runs.
func ruled(window int64) []events.Payload {
	asked := tierstest.By(events.ActorContributor, events.ContextRequested{Tier: 3, Ticket: "T-1", Attempt: 1,
		Views: []events.ViewRequest{{Path: "AGENTS.md", View: events.ViewRaw}}})
	return given(opened(), windowed(window), asked, tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ContextBuilt{Request: h.LastID("ContextRequested"),
			Views: []events.View{{Path: "AGENTS.md", View: events.ViewRaw, SHA256: "rr", Size: 15_000, Blob: true}}}
	}))
}

func TestALongPromptOfTierFourKeepsTheOutputAndCutsTheRest(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, qa.Decider(), given(ruled(3600), settled())...)
	p := h.Last("ConversationShortened").Payload.(events.ConversationShortened)
	require.Equal(t, []any{4, "T-1", 1, "c1", 1}, []any{p.Tier, p.Ticket, p.Attempt, p.Call, p.Round})
	require.Equal(t, []events.ShortenedView{{Part: 1, Name: "project rules", Size: 15_000, Head: 8000}}, p.Views)
	m := h.LastRequest()
	require.Equal(t, []any{"c1", "T-1", 1}, []any{m.Call, m.Ticket, m.TicketAttempt})
	require.Equal(t, "boom", m.Manifest[2].Text)
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "a hint follows", Given: given(ruled(3600), settled()), When: reply("a typo"),
			Then: given(events.HintGiven{Call: "c1", Ticket: "T-1", Hint: "a typo"})},
		{Name: "nothing that is left fits", Given: ruled(1000), When: settled(),
			Then: given(tierstest.Check(func(t testing.TB, p events.HintSkipped) {
				t.Helper()
				require.Contains(t, p.Reason, "context_too_long: the prompt of about")
			}))},
	})
}

func TestAHintThatItsProviderFindsTooLongIsAskedForWithLessOnce(t *testing.T) {
	t.Parallel()
	history := given(ruled(1<<20), settled(), failed(events.ModelContextTooLong))
	h := tierstest.Play(t, qa.Decider(), history...)
	require.Len(t, tierstest.All[events.ConversationShortened](h), 1)
	require.Len(t, tierstest.All[events.ModelRequested](h), 2)
	h = tierstest.Play(t, qa.Decider(), given(history, failed(events.ModelContextTooLong))...)
	require.Contains(t, h.Last("HintSkipped").Payload.(events.HintSkipped).Reason,
		"context_too_long: oh; nothing more can be left out")
	tierstest.Laws(t, qa.Decider(), given(history, failed(events.ModelContextTooLong)))
}

func TestFilesOfAPatchAreCutWhereTheyDoNotFit(t *testing.T) {
	t.Parallel()
	file := events.View{Path: "a.go", View: events.ViewRaw, SHA256: "aa", Size: 60_000, Blob: true}
	history := given(windowed(10_000), failedAt("a.go:3: boom"), events.PatchRequested{Call: "c1"}, shown(file))
	h := tierstest.Play(t, qa.Decider(), history...)
	p := h.Last("ConversationShortened").Payload.(events.ConversationShortened)
	require.Equal(t, []any{4, "", "c1"}, []any{p.Tier, p.Ticket, p.Call})
	require.Equal(t, []events.ShortenedView{{Part: 2, Name: "a.go", Size: 60_000, Head: 8000}}, p.Views)
	none := tierstest.Play(t, qa.Decider(), given(failedAt("a.go:3: boom"), windowed(150),
		events.PatchRequested{Call: "c1"}, shown(file))...)
	require.Contains(t, none.Last("PatchSkipped").Payload.(events.PatchSkipped).Reason, "context_too_long")
}
