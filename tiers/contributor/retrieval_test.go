package contributor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/fence"
	"manualslop/tiers/tierstest"
)

// retrieving is a turn that retrieves by words.
func retrieving(change ...func(*events.TurnRequested)) events.TurnRequested {
	return says(append([]func(*events.TurnRequested){func(p *events.TurnRequested) {
		p.Retrieval = &events.Retrieval{Source: events.RetrieveText, TopK: 3}
	}}, change...)...)
}

func TestATurnAsksForPassagesThatFitItsMessage(t *testing.T) {
	t.Parallel()
	wants := func(want *events.Retrieval) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, p events.ContextRequested) {
			t.Helper()
			require.Equal(t, want, p.Retrieval)
		}))
	}
	long := strings.Repeat("a", contributor.MaxQuery)
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "only if it is wanted", Given: opened(), When: says(), Then: wants(nil)},
		{Name: "with the message as the question", Given: opened(), When: retrieving(),
			Then: wants(&events.Retrieval{Source: events.RetrieveText, TopK: 3, Query: "What is it?"})},
		{Name: "of the longest length", Given: opened(),
			When: retrieving(func(p *events.TurnRequested) { p.Text = long }),
			Then: wants(&events.Retrieval{Source: events.RetrieveText, TopK: 3, Query: long})},
		{Name: "which is cut", Given: opened(),
			When: retrieving(func(p *events.TurnRequested) { p.Text = long + "b" }),
			Then: wants(&events.Retrieval{Source: events.RetrieveText, TopK: 3, Query: long + "…"})},
		{Name: "and never for a ticket", Given: opened(), When: starts(1), Then: wants(nil)},
	})
}

func TestATurnWithAWrongRetrievalIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		retrieval events.Retrieval
		reason    string
	}{
		"unknown source": {events.Retrieval{Source: "pinecone"}, `must be one of chroma, text, got "pinecone"`},
		"no provider":    {events.Retrieval{Source: events.RetrieveVectors}, "needs a provider of embeddings"},
		"too many passages": {events.Retrieval{Source: events.RetrieveText, TopK: events.MaxTopK + 1},
			"between 1 and 20, got 21"},
		"a negative number":  {events.Retrieval{Source: events.RetrieveText, TopK: -1}, "between 1 and 20, got -1"},
		"a long model name":  {events.Retrieval{Source: "text", Model: strings.Repeat("m", 257)}, "too long"},
		"a long provider":    {events.Retrieval{Source: "text", Provider: strings.Repeat("p", 1<<10)}, "too long"},
		"nothing but spaces": {events.Retrieval{Source: "  "}, `got "  "`},
	} {
		tierstest.Run(t, contributor.Decider(), scenarios{{Name: name, Given: opened(),
			When: retrieving(func(p *events.TurnRequested) { p.Retrieval = &c.retrieval }),
			Then: given(turnEnds(events.TurnRefused, c.reason))}})
	}
	require.NoError(t, events.Retrieval{Source: events.RetrieveVectors, Provider: "p", TopK: events.MaxTopK,
		Model: strings.Repeat("m", events.MaxModelName)}.Check())
}

func TestPassagesStandInFencesBeforeTheMessage(t *testing.T) {
	t.Parallel()
	entry := func(p *events.TurnRequested) {
		p.Entries = []events.TurnEntry{{Entry: "1", Role: "User", From: "1", SHA256: "ab", Size: 1}}
	}
	passage := func(path string, first, last int) events.View {
		return events.View{Path: path, View: events.ViewRetrieved, Text: "text of " + path, SHA256: "cd", Size: 9,
			Slice: &events.FileSlice{StartLine: first, EndLine: last}, Score: 0.5}
	}
	lost := passage("c.go", 1, 2)
	lost.Error = "it could not be stored"
	built := context(events.View{Path: "AGENTS.md", View: events.ViewRaw, Error: "gone"}, passage("a.go", 3, 40),
		passage("b\n.go", 1, 2), lost)
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "best first", Given: given(opened(), retrieving(entry)), When: built,
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				t.Helper()
				sent := p.Manifest[len(p.Manifest)-6:]
				require.Equal(t, "# Discussion\n", sent[0].Text)
				require.Equal(t, events.PartEntry, sent[1].Kind)
				require.True(t, strings.HasPrefix(sent[2].Text, "# Passages of the project's files\n"))
				require.Equal(t, "## a.go:3-40\n", sent[3].Prefix)
				require.Equal(t, "## b .go:1-2\n", sent[4].Prefix, "a path is one line")
				for i, at := range []int{1, 2} {
					part := sent[3+i]
					require.Equal(t, fence.Repo, part.Origin)
					require.NotEmpty(t, part.Fence)
					require.Equal(t, at, part.Index)
					require.Equal(t, "cd", part.SHA256)
					require.Empty(t, part.Text)
				}
				require.Equal(t, events.Digest([]byte("What is it?")), sent[5].SHA256)
			}))},
		{Name: "nothing where nothing was found", Given: given(opened(), retrieving(entry)), When: context(),
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				t.Helper()
				require.Equal(t, "# Discussion\n", p.Manifest[len(p.Manifest)-3].Text)
			}))},
	})
}
