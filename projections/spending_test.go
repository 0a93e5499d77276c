package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// spends is a request of a model and its reply.
func (s *story) spends(track, ticket, model string, input int64) {
	id := s.by(events.ActorContributor, events.ModelRequested{StreamID: "x", Track: track, Ticket: ticket, Tier: 3,
		Provider: "p", Model: model})
	s.by(events.ActorModels, events.ModelReplied{Request: id, Usage: events.Usage{Input: input, Output: 1}})
}

func TestSpendingKeepsEveryTokenWhateverItsHistoryLoses(t *testing.T) {
	t.Parallel()
	s := tell(t)
	const n = 5*projections.MaxSpendingPoints + 1
	for range n {
		s.spends("TR-1", "T-1", "m", 2)
	}
	lines := s.set.Spending()
	require.Len(t, lines, 1)
	require.Equal(t, projections.Usage{Requests: n, Input: 2 * n, Output: n}, lines[0].Usage)
	require.LessOrEqual(t, len(lines[0].History), projections.MaxSpendingPoints)
	var sum projections.Usage
	for i, p := range lines[0].History {
		sum.Requests += p.Usage.Requests
		sum.Input += p.Usage.Input
		sum.Output += p.Usage.Output
		require.True(t, i == 0 || p.At.After(lines[0].History[i-1].At))
	}
	require.Equal(t, lines[0].Usage, sum)
	require.Equal(t, at(2*n), lines[0].History[len(lines[0].History)-1].At)
}

func TestTheFirstAnswerToARequestIsPaidOnce(t *testing.T) {
	t.Parallel()
	s := tell(t)
	id := s.by(events.ActorLead, events.ModelRequested{StreamID: "Tier 2", Track: "TR-1", Tier: 2, Provider: "p",
		Model: "m"})
	s.by(events.ActorModels, events.ModelFailed{Request: id, Kind: events.ModelOverloaded, Usage: &events.Usage{Input: 7,
		Estimated: true}})
	s.by(events.ActorModels, events.ModelReplied{Request: id, Usage: events.Usage{Input: 9}})
	lines := s.set.Spending()
	require.Len(t, lines, 1)
	require.Equal(t, projections.Usage{Failed: 1, Input: 7, Estimated: true}, lines[0].Usage)
}

func TestOneSpendingLineMoreThanKeptIsSummed(t *testing.T) {
	t.Parallel()
	s := tell(t)
	for i := range projections.MaxSpendingLines {
		s.spends("TR-1", "T-"+itoa(i), "m", 1)
	}
	require.Len(t, s.set.Spending(), projections.MaxSpendingLines)
	for i := range 3 {
		s.spends("TR-1", "U-"+itoa(i), "m", 1)
	}
	s.spends("TR-1", "T-0", "m", 1)
	lines := s.set.Spending()
	require.Len(t, lines, projections.MaxSpendingLines+1)
	require.Equal(t, projections.OtherTickets, lines[projections.MaxSpendingLines].Ticket)
	require.EqualValues(t, 3, lines[projections.MaxSpendingLines].Usage.Input)
	require.EqualValues(t, 2, lines[0].Usage.Input)
}

func TestThePromptIsMeasuredByItsParts(t *testing.T) {
	t.Parallel()
	s := tell(t)
	require.Equal(t, projections.Prompt{Messages: []projections.PromptMessage{}}, s.set.Prompt())
	s.by("ada", events.ToolsOffered{Tools: []events.ToolOffer{
		{Name: "read", Description: "12345678", Schema: json.RawMessage(`{}`)}, {Name: "not offered here",
			Schema: json.RawMessage(`{}`)}}})
	id := s.by(events.ActorContributor, events.ModelRequested{StreamID: "Tier 3 (Worker): T-1", Tier: 3,
		Provider: "anthropic", Model: "m", Tools: []string{"read", "unknown"},
		Manifest: []events.Part{
			{Role: "system", Text: "123"}, {Role: "user", Text: "1", Prefix: "22", Suffix: "333"},
			{Role: "assistant", SHA256: "ab", Size: 1000, From: "e"},
			{Role: "tool", SHA256: "cd", Size: 50, Call: "c"}, {Role: "assistant", Text: "done"}, {Role: "user", Text: "x",
				Size: -9},
		}})
	require.Equal(t, projections.Prompt{
		Request: id, Stream: "Tier 3 (Worker): T-1", Tier: 3, Provider: "anthropic", Model: "m", System: 3, Tools: 14,
		History: 1061, Rounds: 2,
		Messages: []projections.PromptMessage{{"user", 6, false}, {"assistant", 1000, true}, {"tool", 50, true},
			{"assistant", 4, false}, {"user", 1, false}},
	}, s.set.Prompt())
}

func TestAPromptThatGoesOnIsMeasuredWhole(t *testing.T) {
	t.Parallel()
	s := tell(t)
	ask := func(before string, keep int, texts ...string) string {
		m := events.ModelRequested{StreamID: "x", Tier: 3, Ticket: "T-1", TicketAttempt: 1, Continues: before, Keep: keep}
		for _, text := range texts {
			m.Manifest = append(m.Manifest, events.Part{Role: "user", Text: text})
		}
		return s.by(events.ActorContributor, m)
	}
	sizes := func() (out []int64) {
		for _, m := range s.set.Prompt().Messages {
			out = append(out, m.Bytes)
		}
		return out
	}
	mine := ask("", 0, "1", "22")
	theirs := ask("", 0, "4444")
	mine = ask(mine, 2, "333", "files")
	require.Equal(t, []int64{1, 2, 3, 5}, sizes())
	ask(theirs, 1, "55555")
	require.Equal(t, []int64{4, 5}, sizes())
	mine = ask(mine, 3)
	require.Equal(t, []int64{1, 2, 3}, sizes())
	require.EqualValues(t, 6, s.set.Prompt().History)
	ask(mine, 4, "too much is kept")
	require.Equal(t, mine, s.set.Prompt().Request, "a prompt that nobody can put together is shown")
	s.by(events.ActorContributor, events.TicketResolved{Ticket: "T-1", Attempt: 1})
	ask(mine, 1, "behind the end")
	require.Equal(t, mine, s.set.Prompt().Request)
}

func TestOneMessageMoreThanKeptIsCountedOnly(t *testing.T) {
	t.Parallel()
	s := tell(t)
	parts := make([]events.Part, projections.MaxPromptMessages+1)
	for i := range parts {
		parts[i] = events.Part{Role: "user", Text: "12"}
	}
	parts[0].Text = "oldest"
	s.by(events.ActorContributor, events.ModelRequested{StreamID: "x", Tier: 3, Manifest: parts})
	p := s.set.Prompt()
	require.Len(t, p.Messages, projections.MaxPromptMessages)
	require.Equal(t, 1, p.Omitted)
	require.EqualValues(t, 2*projections.MaxPromptMessages+6, p.History)
	s.by(events.ActorContributor, events.ModelRequested{StreamID: "x", Tier: 3, Manifest: parts[:1]})
	require.Equal(t, []projections.PromptMessage{{"user", 6, false}}, s.set.Prompt().Messages)
}
