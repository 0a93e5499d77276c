package contributor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/basis"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

// wordy is a session that has every text of this program.
func wordy() []events.Payload {
	return given(events.SessionOpened{Basis: basis.Of("test"), Settings: events.Settings{Tiers: []events.TierSettings{
		{Tier: 3, Provider: "p", Models: []string{"m"}, MaxRounds: 10}}, Tracked: []string{"a.go"}}},
		events.ToolsOffered{Tools: []events.ToolOffer{{Name: "read_file", Effect: "reads"}}})
}

// shorter asks for the summary of the discussion main.
func shorter(words string, change ...func(*events.TurnRequested)) events.TurnRequested {
	p := events.TurnRequested{Discussion: "main", Text: words, Compact: true, Entries: []events.TurnEntry{
		{Entry: "1", Role: "User", From: "1", SHA256: "ab", Size: 1},
		{Entry: "2", Role: "Tool", Tool: "read_file", From: "2", SHA256: "cd", Size: 2, Tier: 3},
		{Entry: "3", Role: "Summary", From: "3", SHA256: "ef", Size: 2, Tier: 3}}}
	for _, c := range change {
		c(&p)
	}
	return p
}

func TestADiscussionIsMadeShorterWithoutToolsAndFiles(t *testing.T) {
	t.Parallel()
	for words, last := range map[string]string{"": "", "the names": "The user says what to keep:\n"} {
		tierstest.Run(t, contributor.Decider(), scenarios{{Name: words, Given: wordy(), When: shorter(words),
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				t.Helper()
				require.Empty(t, p.Tools)
				require.Equal(t, "m", p.Model)
				require.True(t, strings.HasPrefix(tierstest.TextOf(t, contributor.Texts(), p.Manifest[0]),
					"You make a discussion"))
				require.Len(t, p.Manifest, 6)
				require.Equal(t, []string{"ab", "cd", "ef"}, []string{p.Manifest[2].SHA256, p.Manifest[3].SHA256,
					p.Manifest[4].SHA256})
				require.NotEmpty(t, p.Manifest[3].Fence)
				require.Equal(t, "[Summary]\n", p.Manifest[4].Prefix)
				require.True(t, strings.HasSuffix(p.Manifest[5].Prefix, last))
				require.Equal(t, words != "", p.Manifest[5].SHA256 == events.Digest([]byte(words)))
			}))}})
	}
}

func TestATurnWithoutRoomNamesWhatMakesItsDiscussionShorter(t *testing.T) {
	t.Parallel()
	tooLong := failed(events.ModelContextTooLong)
	advice := "make the discussion shorter: /compact in slop chat"
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "a turn", Given: given(opened(), says(), context()), When: tooLong,
			Then: given(turnEnds(events.TurnFailed, advice))},
		{Name: "not a summary", Given: given(wordy(), shorter("")), When: tooLong,
			Then: given(tierstest.Check(func(t testing.TB, p events.TurnEnded) {
				require.Contains(t, p.Reason, "context_too_long")
				require.NotContains(t, p.Reason, advice)
			}))},
	})
}

func TestMakingADiscussionShorterEnds(t *testing.T) {
	t.Parallel()
	asked := given(wordy(), shorter(""))
	killed := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.TicketKilled{Ticket: events.TurnTicket(h.LastID("TurnRequested")), Attempt: 1, By: "ada"}
	})
	old := basis.Of("old")
	for i, text := range old.Texts {
		if text.Name == "compact" {
			old.Texts = append(old.Texts[:i:i], old.Texts[i+1:]...)
			break
		}
	}
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "with the summary", Given: asked, When: reply("They talked."), Then: given(turnEnds(events.TurnDone, ""))},
		{Name: "not with an empty one", Given: asked, When: reply(""), Then: given(tierstest.Check(func(testing.TB,
			events.ModelRequested) {
		}))},
		{Name: "where the model calls a tool", Given: asked, When: reply("", events.ToolCall{ID: "c1", Name: "read_file",
			Args: []byte(`{}`)}), Then: given(turnEnds(events.TurnFailed, "none was offered"))},
		{Name: "where its model fails", Given: asked, When: failed(events.ModelAuth),
			Then: given(turnEnds(events.TurnFailed, "auth: oh"))},
		{Name: "where a person stops it", Given: asked, When: killed, Then: given(turnEnds(events.TurnStopped, "ada"))},
		{Name: "at once where a turn goes on", Given: asked, When: shorter(""),
			Then: given(turnEnds(events.TurnRefused, "another turn"))},
		{Name: "and no other turn begins meanwhile", Given: asked, When: says(),
			Then: given(turnEnds(events.TurnRefused, "another turn"))},
		{Name: "at once where there is nothing", Given: wordy(), When: shorter("", func(p *events.TurnRequested) {
			p.Entries = nil
		}), Then: given(turnEnds(events.TurnRefused, "nothing that a summary could replace"))},
		{Name: "at once where the session lacks the words", Given: given(wordy(), events.DecisionsUpgraded{Basis: old}),
			When: shorter(""), Then: given(turnEnds(events.TurnRefused, "slop sessions upgrade"))},
	})
}
