package retrieve_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
	"manualslop/tiers/runtime/retrieve"
	"manualslop/tools/retrieval"
	"manualslop/tools/sandbox"
)

// fixture is a workspace with two files, and a fake of OpenAI.
type fixture struct {
	t      *testing.T
	ws     *sandbox.Workspace
	fake   *llmtest.Server
	pauses []time.Duration
	*retrieve.Retriever
}

func setup(t *testing.T, flavour string, o llmtest.Options) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range map[string]string{"a.txt": "how to greet a person\n", "b.txt": "how to close a door\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	f := &fixture{t: t, fake: llmtest.OpenAI(t, flavour, o)}
	f.ws, err = sandbox.Open(sandbox.Config{Primary: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.ws.Close()) })
	server, ok := openai.Find(flavour)
	require.True(t, ok)
	f.Retriever = &retrieve.Retriever{
		Finder: &retrieval.Finder{Folder: t.TempDir(), Mask: func(b []byte) []byte { return b }},
		Providers: map[string]llm.Provider{flavour: openai.Provider{Server: server, Endpoint: f.fake.Endpoint()},
			anthropic.Name: anthropic.Provider{}},
		Pause: func(_ context.Context, d time.Duration) error { f.pauses = append(f.pauses, d); return nil },
	}
	return f
}

func (f *fixture) find(want events.Retrieval) (events.Retrieved, []retrieval.Passage) {
	f.t.Helper()
	want.Query = "greet"
	got, passages, err := f.Find(f.t.Context(), f.ws, want)
	require.NoError(f.t, err)
	return got, passages
}

func TestVectorsOfAProviderAndWhatTheyCost(t *testing.T) {
	t.Parallel()
	f := setup(t, "openai", llmtest.Options{})
	got, passages := f.find(events.Retrieval{Source: events.RetrieveVectors, Provider: "OpenAI"})
	require.Equal(t, events.Retrieved{Source: events.RetrieveVectors, Provider: "openai", Model: "text-embedding-3-small",
		Files: 2, Passages: 2, Embedded: 2, Usage: &events.Usage{Input: 16}}, got)
	require.Equal(t, "a.txt", passages[0].Path)

	got, _ = f.find(events.Retrieval{Source: events.RetrieveVectors, Provider: "openai", TopK: 1})
	require.Zero(t, got.Embedded)
	require.Equal(t, &events.Usage{Input: 2}, got.Usage, "only the question is embedded again")

	got, _ = f.find(events.Retrieval{Source: events.RetrieveVectors, Provider: "openai", Model: "text-embedding-3-large"})
	require.Equal(t, 2, got.Embedded, "vectors of another model are not used")

	got, passages = f.find(events.Retrieval{Source: events.RetrieveText})
	require.Equal(t, events.Retrieved{Source: events.RetrieveText, Files: 2, Passages: 2}, got)
	require.Len(t, passages, 1)
}

func TestWordsRankWhereThereAreNoVectors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ flavour, provider, problem string }{
		"an unknown provider":            {"openai", "nobody", `unknown provider "nobody"`},
		"one without embeddings":         {"openai", "anthropic", "anthropic has no embeddings"},
		"a server without embeddings":    {"deepseek", "deepseek", "deepseek has no embeddings"},
		"a server without default model": {"vllm", "vllm", "set model in [retrieval]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, c.flavour, llmtest.Options{})
			got, passages := f.find(events.Retrieval{Source: events.RetrieveVectors, Provider: c.provider})
			require.Equal(t, events.RetrieveText, got.Source)
			require.Contains(t, got.Problem, c.problem)
			require.Nil(t, got.Usage)
			require.Equal(t, "a.txt", passages[0].Path)
		})
	}
}

func TestARequestThatMaySucceedLaterIsRepeated(t *testing.T) {
	t.Parallel()
	fails := 3
	f := setup(t, "openai", llmtest.Options{EmbedError: func(llmtest.Embedding) string {
		if fails--; fails >= 0 {
			return events.ModelOverloaded
		}
		return ""
	}})
	got, _ := f.find(events.Retrieval{Source: events.RetrieveVectors, Provider: "openai"})
	require.Equal(t, events.RetrieveVectors, got.Source)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, f.pauses)

	fails, f.pauses = 4, nil
	got, passages := f.find(events.Retrieval{Source: events.RetrieveVectors, Provider: "openai"})
	require.Equal(t, events.RetrieveText, got.Source)
	require.Contains(t, got.Problem, "(overloaded)")
	require.Len(t, f.pauses, 3)
	require.Len(t, passages, 1)
}

func TestAWrongKeyIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	f := setup(t, "openai", llmtest.Options{EmbedError: func(llmtest.Embedding) string { return events.ModelAuth }})
	got, _ := f.find(events.Retrieval{Source: events.RetrieveVectors, Provider: "openai"})
	require.Contains(t, got.Problem, "(auth)")
	require.NotContains(t, got.Problem, llmtest.Key)
	require.Empty(t, f.pauses)
}

func TestAStopIsNoProblemOfTheProvider(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	f := setup(t, "openai", llmtest.Options{EmbedError: func(llmtest.Embedding) string {
		cancel(stopped)
		return events.ModelOverloaded
	}})
	f.Pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	_, _, err := f.Find(ctx, f.ws, events.Retrieval{Source: events.RetrieveVectors, Provider: "openai", Query: "a"})
	require.ErrorIs(t, err, stopped)
}
