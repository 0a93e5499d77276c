package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

func sameTexts(n int, text string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = text
	}
	return out
}

func TestVectorsComeInTheOrderOfTheTexts(t *testing.T) {
	t.Parallel()
	s := llmtest.OpenAI(t, "openai", llmtest.Options{})
	p := at(t, s, "openai")
	model, most := p.EmbedLimits()
	require.Equal(t, 96, most)
	got, err := p.Embed(t.Context(), llm.EmbedRequest{Model: model, Texts: []string{"open a file", "close the door"}})
	require.NoError(t, err)
	require.Len(t, got.Vectors, 2)
	require.Len(t, got.Vectors[0], llm.EmbedDimensions)
	require.Equal(t, events.Usage{Input: 7}, got.Usage)
	again, err := p.Embed(t.Context(), llm.EmbedRequest{Model: model, Texts: []string{"close the door"}})
	require.NoError(t, err)
	require.Equal(t, got.Vectors[1], again.Vectors[0], "the fake answers in reverse order, with indexes")
	sum := 0.0
	for _, x := range got.Vectors[0] {
		sum += float64(x) * float64(x)
	}
	require.InDelta(t, 1, sum, 1e-5)
	require.Empty(t, s.Refused())
}

func TestRequestsThatServersWouldRejectAreNotSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flavour, model string
		texts          []string
		want           string
	}{
		"no texts":         {"openai", "text-embedding-3-small", nil, "embeds 1 to 96 texts"},
		"too many":         {"openai", "text-embedding-3-small", sameTexts(97, "a"), "embeds 1 to 96 texts"},
		"too many of qwen": {"qwen", "text-embedding-v4", sameTexts(11, "a"), "embeds 1 to 10 texts"},
		"an empty text":    {"openai", "text-embedding-3-small", []string{"a", ""}, "must have 1 to 2000 bytes, got 0"},
		"a long text": {"openai", "text-embedding-3-small", []string{strings.Repeat("a", llm.MaxEmbedText+1)},
			"must have 1 to 2000 bytes, got 2001"},
		"no model":      {"vllm", "", []string{"a"}, "no default model for embeddings"},
		"no embeddings": {"deepseek", "m", []string{"a"}, "deepseek has no embeddings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.OpenAI(t, c.flavour, llmtest.Options{})
			_, err := at(t, s, c.flavour).Embed(t.Context(), llm.EmbedRequest{Model: c.model, Texts: c.texts})
			require.ErrorContains(t, err, c.want)
			require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind)
			require.Empty(t, s.Embeddings())
			require.Empty(t, s.Refused())
		})
	}
	most := strings.Repeat("a", llm.MaxEmbedText)
	for _, flavour := range []string{"openai", "qwen", "llama"} {
		s := llmtest.OpenAI(t, flavour, llmtest.Options{})
		p := at(t, s, flavour)
		model, texts := p.EmbedLimits()
		_, err := p.Embed(t.Context(), llm.EmbedRequest{Model: model, Texts: sameTexts(texts, most)})
		require.NoError(t, err, flavour)
	}
}

func TestLocalModelsAreToldWhatATextIsFor(t *testing.T) {
	t.Parallel()
	s := llmtest.OpenAI(t, "llama", llmtest.Options{})
	p := at(t, s, "llama")
	for _, query := range []bool{false, true} {
		_, err := p.Embed(t.Context(), llm.EmbedRequest{Model: "nomic-embed-text", Query: query, Texts: []string{"a"}})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"search_document: a"}, s.Embeddings()[0].Texts)
	require.Equal(t, []string{"search_query: a"}, s.Embeddings()[1].Texts)
}

func TestVectorsThatCannotBeComparedAreRejected(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([][]float32) [][]float32{
		"too few":        func(v [][]float32) [][]float32 { return v[:1] },
		"too many":       func(v [][]float32) [][]float32 { return append(v, v[0]) },
		"another length": func(v [][]float32) [][]float32 { return [][]float32{v[0], v[1][:5]} },
		"no numbers":     func(v [][]float32) [][]float32 { return [][]float32{{}, {}} },
		"all zero":       func(v [][]float32) [][]float32 { return [][]float32{v[0], make([]float32, len(v[0]))} },
		"too long": func(v [][]float32) [][]float32 {
			long := make([]float32, llm.MaxEmbedDimensions+1)
			long[0] = 1
			return [][]float32{long, long}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.OpenAI(t, "openai", llmtest.Options{Vectors: func(_ llmtest.Embedding,
				v [][]float32) [][]float32 {
				return change(v)
			}})
			_, err := at(t, s, "openai").Embed(t.Context(), llm.EmbedRequest{Model: "text-embedding-3-small",
				Texts: []string{"a", "b"}})
			require.Error(t, err)
			require.Equal(t, events.ModelIncomplete, llm.AsError(err).Kind)
		})
	}
}

func TestFailedEmbeddingsHaveAKindAndNoKey(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{events.ModelAuth, events.ModelRateLimited, events.ModelOverloaded} {
		s := llmtest.OpenAI(t, "openai", llmtest.Options{EmbedError: func(llmtest.Embedding) string { return kind }})
		_, err := at(t, s, "openai").Embed(t.Context(), llm.EmbedRequest{Model: "text-embedding-3-small",
			Texts: []string{"a"}})
		require.Equal(t, kind, llm.AsError(err).Kind)
		require.NotContains(t, err.Error(), llmtest.Key)
	}
	_, err := openai.Provider{Server: openai.Servers()[0]}.Embed(t.Context(), llm.EmbedRequest{
		Model: "text-embedding-3-small", Texts: []string{"a"}})
	require.Equal(t, events.ModelAuth, llm.AsError(err).Kind, "a missing key")
}
