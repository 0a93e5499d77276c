package approval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

func TestADiffThatDoesNotFitIsNamed(t *testing.T) {
	t.Parallel()
	built := func(n int) events.Payload {
		return events.PreviewBuilt{Call: "c1", Diff: strings.Repeat("x", n-2)} // two quotes
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "at the limit", Given: given(begin(), edit), When: built(approval.MaxDiff),
			Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				require.Len(t, p.Diff, approval.MaxDiff-2)
				require.Empty(t, p.Note)
			}))},
		{Name: "one byte over", Given: given(begin(), edit), When: built(approval.MaxDiff + 1),
			Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				require.Empty(t, p.Diff)
				require.Equal(t, "the diff is too long to be shown", p.Note)
			}))},
		{Name: "an error", Given: given(begin(), edit), When: events.PreviewBuilt{Call: "c1", Error: "x" + strings.Repeat("é",
			approval.MaxNote)}, Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
			require.LessOrEqual(t, len(p.Note), approval.MaxNote+len("…"))
			require.True(t, strings.HasSuffix(p.Note, "é…"), "the cut is between characters")
		}))},
	})
}

// TestTheLargestFactsFitOneEvent puts together the largest of everything: a
// fact that no log takes would stall the session.
func TestTheLargestFactsFitOneEvent(t *testing.T) {
	t.Parallel()
	big := wants("c1", "mcp__fs__write", argsOf(events.MaxArgs))
	longRule := events.Rule{Tool: "odd", Action: "deny", Source: strings.Repeat("<", 100<<10)}
	reason := because(strings.Repeat("<", approval.MaxReason))
	names := events.ToolsOffered{}
	for range 400 {
		names.Tools = append(names.Tools, events.ToolOffer{Name: strings.Repeat("x", 100) +
			string(rune('a'+len(names.Tools)%26)), Effect: "reads"})
	}
	h := tierstest.Play(t, approval.Decider(), given(begin(spawnApproval, rules(longRule)),
		big, events.PreviewBuilt{Call: "c1", Diff: strings.Repeat("<", events.MaxInline), DiffBlob: &events.BlobRef{
			SHA256: "ab"}, Error: strings.Repeat("<", 50<<10)},
		answer(askID("tool", 4), "yes", editing(argsOf(events.MaxArgs)), reason),
		wants("c2", "odd", argsOf(events.MaxArgs)),
		events.AskPosted{RequestID: "r-1", Data: json.RawMessage(argsOf(approval.MaxPosted))},
		answer("r-1", "no", responding(argsOf(approval.MaxPosted)), reason),
		start, answer(askID("spawn", 9), "yes", editing(prompt(approval.MaxPrompt)), reason),
		events.SpawnRequested{Ticket: "T-1", Attempt: 2, Prompt: strings.Repeat("<", 64<<10)},
		events.TicketBlocked{Ticket: "T-1", Reason: strings.Repeat("<", 80<<10)},
		answer(strings.Repeat("<", 80<<10), "yes"),
		wants("c3", strings.Repeat("<", 64<<10), `{}`),
		names, wants("c4", "rm", `{}`),
	)...)
	own := 0
	for _, e := range h.Events() {
		if e.Actor != events.ActorApproval {
			continue
		}
		own++
		b, err := json.Marshal(e)
		require.NoError(t, err)
		require.LessOrEqual(t, len(b), events.MaxEventBytes, e.Type)
	}
	require.Greater(t, own, 14)
}
