package contributor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/contributor"
	"manualslop/tiers/conversation"
	"manualslop/tiers/tierstest"
)

// windowed is a run of up to nine rounds on models with a context window of so
// many tokens; 0: not known.
func windowed(window int64) []events.Payload {
	return given(events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "m*",
		ContextWindow: window}}},
		opened(func(s *events.Settings) { s.Tiers[0].MaxRounds = 9 }), starts(1), context())
}

// longRound is a round whose one result has so many bytes.
func longRound(bytes int64) []events.Payload {
	return given(reply("I look.", read), approve(0), settle(0, events.ToolDone, "x", func(p *events.ToolSettled) {
		p.SHA256, p.TextBlob = "ab", &events.BlobRef{SHA256: "ab", Size: bytes}
	}), reread())
}

// promptTokens measures the newest prompt from outside.
func promptTokens(h *tierstest.History) int64 {
	replies := tiers.Replies{}
	for _, e := range h.Events() {
		if p, ok := e.Payload.(events.ModelReplied); ok {
			replies.Note(e.ID, p)
		}
	}
	bytes := replies.Prompt(h.LastRequest().Manifest) + int64(len("read_file")+len("null")+len("run_powershell")+
		len("null"))
	return (bytes + 3) / 4
}

func play(t testing.TB, history ...any) *tierstest.History {
	t.Helper()
	return tierstest.Play(t, contributor.Decider(), given(history...)...)
}

func TestAPromptThatFitsExactlyIsLeftAlone(t *testing.T) {
	t.Parallel()
	rounds := given(longRound(40_000), longRound(10_000), longRound(20_000))
	const reply = 100 // of the settings
	tokens := promptTokens(play(t, windowed(1<<20), rounds))
	exact := play(t, windowed(tokens+reply), rounds)
	require.Empty(t, tierstest.All[events.ConversationShortened](exact))
	over := play(t, windowed(tokens+reply-1), rounds)
	shortened := tierstest.All[events.ConversationShortened](over)
	require.Len(t, shortened, 1)
	p := shortened[0]
	require.Equal(t, events.ShortenedForWindow, p.Reason)
	require.Equal(t, tokens, p.Before)
	require.Equal(t, tokens-1, p.Limit)
	require.Empty(t, p.DroppedRounds)
	require.Len(t, p.Shortened, 1, "the oldest one brings it below 70 %")
	require.EqualValues(t, 40_000, p.Shortened[0].Size)
	require.Equal(t, "read_file", p.Shortened[0].Tool)
	require.LessOrEqual(t, p.After, p.Limit*7/10)
	require.Equal(t, p.After, promptTokens(over))
	tool := over.LastRequest().Manifest[3]
	require.Equal(t, conversation.ResultHead, tool.Head)
	require.EqualValues(t, 40_000, tool.Size, "the digest and the size stay those of the whole")
	require.Contains(t, tool.Suffix, "the first 8000 characters of 40000 bytes")
}

func TestRoundsGoWholeAndOldestFirst(t *testing.T) {
	t.Parallel()
	rounds := given(longRound(7000), longRound(7000), longRound(7000), longRound(7000))
	h := play(t, windowed(7000), rounds)
	shortened := tierstest.All[events.ConversationShortened](h)
	require.Len(t, shortened, 1)
	require.Empty(t, shortened[0].Shortened, "none is long enough to be cut")
	require.NotEmpty(t, shortened[0].DroppedRounds)
	require.Equal(t, 1, shortened[0].DroppedRounds[0])
	manifest := h.LastRequest().Manifest
	require.Equal(t, "system", manifest[0].Role)
	require.Contains(t, manifest[1].Text, "Mend it")
	require.Equal(t, "assistant", manifest[2].Role)
	require.Contains(t, manifest[3].Prefix, "left out to make room")
	open := ""
	for _, p := range manifest[2:] {
		switch p.Role {
		case "assistant":
			require.Empty(t, open)
			open = p.Role
		case "tool":
			require.NotEmpty(t, open, "no result without its call")
			open = ""
		}
	}
	require.Empty(t, open)
}

func TestWhatCannotFitEndsTheRun(t *testing.T) {
	t.Parallel()
	h := play(t, windowed(150))
	p := h.Last("TicketResolved").Payload.(events.TicketResolved)
	require.Equal(t, events.ResolvedBlocked, p.Outcome)
	require.Contains(t, p.Reason, "nothing more can be left out")
	unknown := play(t, windowed(0), longRound(4*conversation.DefaultWindow))
	require.Len(t, tierstest.All[events.ConversationShortened](unknown), 1,
		"a window that is not known is taken for a small one, and at last the newest result is cut, too")
}

func TestAProviderThatFindsAPromptTooLongIsGivenShorterOnesAFewTimes(t *testing.T) {
	t.Parallel()
	var rounds []events.Payload
	for range 8 {
		rounds = given(rounds, longRound(40_000))
	}
	rounds = given(windowed(1<<20), rounds)
	last := int64(1 << 20)
	for n := 1; n <= conversation.MaxRefusals; n++ {
		rounds = given(rounds, failed(events.ModelContextTooLong))
		h := play(t, rounds)
		shortened := tierstest.All[events.ConversationShortened](h)
		require.Len(t, shortened, n)
		require.Equal(t, events.ShortenedForVendor, shortened[n-1].Reason)
		require.Less(t, shortened[n-1].After, last)
		last = shortened[n-1].After
		require.Equal(t, 9, h.LastRequest().Round)
	}
	again := play(t, rounds, failed(events.ModelContextTooLong))
	require.Contains(t, again.Last("TicketResolved").Payload.(events.TicketResolved).Reason,
		"it was shortened 3 times: give tier 3 a model with a larger context window")
	nothing := play(t, windowed(1<<20), failed(events.ModelContextTooLong))
	require.Contains(t, nothing.Last("TicketResolved").Payload.(events.TicketResolved).Reason,
		"context_too_long: oh; nothing more can be left out")
}

// TestTheBlockOfChangedFilesKnowsWhatTheProviderRefused is about a model whose
// window nobody knows: a block that has its share of the window assumed would be
// over what the model takes, and nothing leaves it out.
func TestTheBlockOfChangedFilesKnowsWhatTheProviderRefused(t *testing.T) {
	t.Parallel()
	rounds := given(windowed(0), longRound(20_000), longRound(20_000), failed(events.ModelContextTooLong))
	taken := tierstest.All[events.ConversationShortened](play(t, rounds))[0].Limit
	changed := events.FileUpdate{Path: "a.go", Before: "1", After: "2", Diff: strings.Repeat("+",
		int(taken*tiers.BytesPerToken))}
	h := play(t, rounds, reply("I look.", read), ran(0, "text"), reread(changed))
	require.Empty(t, tierstest.All[events.TicketResolved](h))
	last := h.LastRequest()
	require.Equal(t, 4, last.Round)
	require.Contains(t, last.Manifest[len(last.Manifest)-1].Text, "its diff does not fit here")
}

func TestTheProvidersCountStandsBeforeTheEstimate(t *testing.T) {
	t.Parallel()
	counted := func(factor int64) int {
		rounds := given(windowed(30_000), longRound(40_000))
		estimate := promptTokens(play(t, rounds))
		busy := tierstest.With(func(h *tierstest.History) events.Payload {
			id := h.LastID("ModelRequested")
			return events.ModelReplied{Request: id, Text: "I look.", SHA256: events.Digest([]byte("I look.")),
				Finish: "tool_calls", Usage: events.Usage{Input: estimate * factor},
				Calls: []events.ToolCall{{ID: events.CallID(id, 0), Name: read.Name, Args: read.Args}}}
		})
		return len(tierstest.All[events.ConversationShortened](play(t, rounds, busy, ran(0, "text"), reread())))
	}
	require.Equal(t, 0, counted(1))
	require.Equal(t, 1, counted(3))
	require.Equal(t, 0, counted(9), "that cannot be the count of this prompt")
}

func TestADeniedRequestEndsTheRunForGood(t *testing.T) {
	t.Parallel()
	denied := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ModelDenied{Request: h.LastID("ModelRequested"), Ticket: "T-1", Reason: "the budget is spent",
			By: "ada"}
	})
	h := play(t, round1(func(s *events.Settings) { s.Budget = &events.BudgetSettings{TicketMicroDollars: 1} }), denied)
	require.True(t, h.LastRequest().Guarded)
	require.Equal(t, events.TicketResolved{Ticket: "T-1", Attempt: 1, Outcome: events.ResolvedBlocked,
		Reason: "budget: the budget is spent", Final: true}, h.Last("TicketResolved").Payload)
	require.False(t, play(t, round1()).Last("ModelRequested").Payload.(events.ModelRequested).Guarded)
}
