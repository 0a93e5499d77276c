package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/llmtest"
)

func TestVectorsOfABatch(t *testing.T) {
	t.Parallel()
	s := llmtest.Gemini(t, llmtest.Options{})
	p := gemini.Provider{Endpoint: s.Endpoint()}
	model, most := p.EmbedLimits()
	texts := make([]string, most)
	for i := range texts {
		texts[i] = strings.Repeat("a", llm.MaxEmbedText)
	}
	got, err := p.Embed(t.Context(), llm.EmbedRequest{Model: model, Texts: texts})
	require.NoError(t, err)
	require.Len(t, got.Vectors, most)
	require.Len(t, got.Vectors[0], llm.EmbedDimensions)
	require.Equal(t, events.Usage{Input: 50_000, Estimated: true}, got.Usage, "the API reports no tokens")
	require.Equal(t, "RETRIEVAL_DOCUMENT", s.Embeddings()[0].Task)

	_, err = p.Embed(t.Context(), llm.EmbedRequest{Model: model, Query: true, Texts: []string{"where?"}})
	require.NoError(t, err)
	require.Equal(t, "CODE_RETRIEVAL_QUERY", s.Embeddings()[1].Task)
	_, err = p.Embed(t.Context(), llm.EmbedRequest{Model: "models/gemini-embedding-2", Query: true,
		Texts: []string{"where?"}})
	require.NoError(t, err)
	require.Empty(t, s.Embeddings()[2].Task, "the second generation takes no task type")
	require.Empty(t, s.Refused())

	_, err = p.Embed(t.Context(), llm.EmbedRequest{Model: model, Texts: append(texts, "a")})
	require.ErrorContains(t, err, "gemini embeds 1 to 100 texts in a request, got 101")
	require.Len(t, s.Embeddings(), 3)
}

func TestEmbeddingsFailLikeReplies(t *testing.T) {
	t.Parallel()
	_, err := gemini.Provider{}.Embed(t.Context(), llm.EmbedRequest{Model: "gemini-embedding-001", Texts: []string{"a"}})
	require.Equal(t, events.ModelAuth, llm.AsError(err).Kind)
	for _, kind := range []string{events.ModelAuth, events.ModelRateLimited, events.ModelOverloaded} {
		s := llmtest.Gemini(t, llmtest.Options{EmbedError: func(llmtest.Embedding) string { return kind }})
		_, err := gemini.Provider{Endpoint: s.Endpoint()}.Embed(t.Context(), llm.EmbedRequest{
			Model: "gemini-embedding-001", Texts: []string{"a"}})
		require.Equal(t, kind, llm.AsError(err).Kind)
		require.NotContains(t, err.Error(), llmtest.Key)
	}
}
