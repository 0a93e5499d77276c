package planner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/planner"
	"manualslop/tiers/tierstest"
)

// windowed is a session whose models take so many tokens, of which 100 are for
// the reply.
func windowed(tokens int64) []events.Payload {
	return then(opened(), events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "m*",
		ContextWindow: tokens}}}, goal())
}

// wide is a project with long documents.
func wide() events.Payload {
	return built(events.View{Path: "AGENTS.md", View: "raw", SHA256: "rr", Size: 12_000, Blob: true},
		events.View{Path: ".", View: "tree", SHA256: "aa", Size: 40_000, Blob: true}, events.View{Path: "README.md",
			View: "raw", SHA256: "bb", Size: 30_000, Blob: true})
}

func play(t testing.TB, history ...events.Payload) *tierstest.History {
	t.Helper()
	return tierstest.Play(t, planner.Decider(), history...)
}

// tokens is the measure of the newest prompt, from outside.
func tokens(h *tierstest.History) int64 {
	return (tiers.Replies{}.Prompt(h.LastRequest().Manifest) + 3) / 4
}

func TestALongPromptOfTierOneIsShortenedAndKeepsTheGoal(t *testing.T) {
	t.Parallel()
	const reply = 100
	all := tokens(play(t, after(windowed(1<<20), wide())...))
	require.Empty(t, tierstest.All[events.ConversationShortened](play(t, after(windowed(all+reply), wide())...)),
		"at the limit")
	h := play(t, after(windowed(all+reply-1), wide())...)
	shortened := tierstest.All[events.ConversationShortened](h)
	require.Len(t, shortened, 1)
	require.Equal(t, events.ConversationShortened{Tier: 1, Goal: shortened[0].Goal, Round: 1,
		Reason: events.ShortenedForWindow, Before: all, Limit: all - 1, After: tokens(h),
		Views: []events.ShortenedView{{Part: 3, Name: "README.md", Size: 30_000, Head: 8000}, {Part: 2, Name: "Project files",
			Size: 40_000, Head: 8000}}}, shortened[0])
	require.NotEmpty(t, shortened[0].Goal)
	m := h.LastRequest()
	require.Contains(t, m.Manifest[4].Text, "Mend the parser")

	least := play(t, after(windowed(4000), wide())...).Last("ModelRequested").Payload.(events.ModelRequested)
	require.Contains(t, least.Manifest[2].Text, "left out to make room: 40000 bytes")
	require.Equal(t, 8000, least.Manifest[1].Head, "of the project's rules the beginning stays")
	require.Contains(t, least.Manifest[4].Text, "Mend the parser")
	end := play(t, after(windowed(1000), wide())...)
	require.Contains(t, end.Last("PlanningFailed").Payload.(events.PlanningFailed).Error,
		"nothing more can be left out: give tier 1 a model with a larger context window")
	require.Empty(t, tierstest.All[events.ModelRequested](end))
}

func TestAPlanThatItsProviderFindsTooLongIsAskedForWithLess(t *testing.T) {
	t.Parallel()
	history := after(windowed(1<<20), wide())
	for n := 1; n <= 3; n++ {
		history = append(history, failedWith(events.ModelContextTooLong))
		h := play(t, history...)
		require.Len(t, tierstest.All[events.ConversationShortened](h), n)
		require.Len(t, tierstest.All[events.ModelRequested](h), n+1)
	}
	h := play(t, append(history, failedWith(events.ModelContextTooLong))...)
	require.Contains(t, h.Last("PlanningFailed").Payload.(events.PlanningFailed).Error, "context_too_long: boom")
	require.Len(t, tierstest.All[events.ModelRequested](h), 4, "no more than that")

	mended := play(t, append(history, replied("no plan"), replied(`[{"description":"a"}]`))...)
	require.Len(t, tierstest.All[events.TracksProposed](mended), 1, "a shortened conversation goes on")
}

func TestAnEarlierReplyThatCouldNotBeUsedGivesWayToTheNewest(t *testing.T) {
	t.Parallel()
	long := tierstest.With(func(h *tierstest.History) events.Payload {
		text := make([]byte, 80_000)
		return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: string(text), SHA256: events.Digest(text),
			Finish: "stop"}
	})
	h := play(t, after(windowed(50_000), wide(), long, long)...)
	require.Equal(t, []int{1}, h.Last("ConversationShortened").Payload.(events.ConversationShortened).DroppedRounds)
	m := h.LastRequest().Manifest
	require.Equal(t, "assistant", m[5].Role)
	require.Contains(t, m[6].Prefix, "rounds 1 to 1 of this conversation were left out")
	require.Contains(t, m[6].Text, "could not be used")
	require.Len(t, m, 7)
}

func TestLongPromptsObeyTheLaws(t *testing.T) {
	t.Parallel()
	histories := [][]events.Payload{
		after(windowed(20_000), wide(), replied("no"), failedWith(events.ModelContextTooLong),
			failedWith(events.ModelOverloaded), replied(`[{"description":"a"}]`)),
		after(windowed(1000), wide()),
	}
	tierstest.Laws(t, planner.Decider(), histories...)
	tierstest.SilentAfterClose(t, planner.Decider(), histories...)
}
