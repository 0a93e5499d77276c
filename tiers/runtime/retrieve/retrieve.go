// Package retrieve answers an [events.Retrieval]: it joins the search of tools/retrieval with the
// embeddings of a provider.
//
// # Contract
//
//   - A failing provider does not make a retrieval fail: the passages are then ranked by their
//     words, and [events.Retrieved] says why.
//   - The usage of all attempts that the provider answered is reported, even if a later one failed.
//   - A request that is rate limited, overloaded or lost on the network is repeated a few times; the log
//     holds only the sum.
package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tools/retrieval"
	"manualslop/tools/sandbox"
)

// Limits of one request for embeddings.
const (
	maxTries = 4
	// firstPause is the wait before the second try; it doubles.
	firstPause = time.Second
	// maxPause limits the wait that a server asks for: a user waits for the answer.
	maxPause = 30 * time.Second
)

// Retriever finds passages. It is safe for concurrent use.
type Retriever struct {
	Finder    *retrieval.Finder
	Providers map[string]llm.Provider
	// Pause waits for a while, or until ctx ends.
	Pause func(ctx context.Context, d time.Duration) error
}

// Find returns the passages of a workspace that fit a question, best first. It fails only if the
// workspace cannot be read or ctx ends.
func (r *Retriever) Find(ctx context.Context, ws *sandbox.Workspace, want events.Retrieval) (events.Retrieved,
	[]retrieval.Passage, error) {
	var by retrieval.Embedder
	var m *model
	out := events.Retrieved{Source: events.RetrieveText}
	if want.Source == events.RetrieveVectors {
		m = &model{pause: r.Pause}
		out.Provider = events.ProviderName(want.Provider)
		if out.Model, out.Problem = m.choose(r.Providers[out.Provider], out.Provider, want.Model); out.Problem == "" {
			by = m
		}
	}
	found, err := r.Finder.Find(ctx, ws, by, want.Query, cmp.Or(want.TopK, events.DefaultTopK))
	if m != nil && m.used {
		usage := m.usage
		out.Usage = &usage
	}
	out.Files, out.Passages, out.LeftOut = found.Seen.Files, found.Seen.Passages, found.Seen.LeftOut
	out.Embedded = found.Embedded
	if found.Meaning {
		out.Source = events.RetrieveVectors
	}
	if found.Problem != nil {
		out.Problem = found.Problem.Error()
	}
	return out, found.Passages, err
}

// model is one embedding model, and the usage of the requests to it.
type model struct {
	from     llm.Embedder
	provider string
	name     string
	batch    int
	pause    func(context.Context, time.Duration) error

	mu    sync.Mutex
	used  bool
	usage events.Usage
}

// choose sets the model of a provider; an empty name is its default. It returns why that is not
// possible.
func (m *model) choose(p llm.Provider, provider, name string) (chosen, problem string) {
	from, ok := p.(llm.Embedder)
	switch {
	case p == nil:
		return name, fmt.Sprintf("unknown provider %q", provider)
	case !ok:
		return name, provider + " has no embeddings"
	}
	own, batch := from.EmbedLimits()
	m.from, m.provider, m.name, m.batch = from, provider, cmp.Or(name, own), batch
	switch {
	case batch == 0:
		return m.name, provider + " has no embeddings"
	case m.name == "":
		return "", provider + " has no default model for embeddings: set model in [retrieval]"
	}
	return m.name, ""
}

// Name identifies the model.
func (m *model) Name() string { return m.provider + "/" + m.name }

// Batch returns how many texts a request takes.
func (m *model) Batch() int { return m.batch }

// Embed returns the vectors of texts, and repeats a request that may succeed later.
func (m *model) Embed(ctx context.Context, query bool, texts []string) ([][]float32, error) {
	for try := 1; ; try++ {
		got, err := m.from.Embed(ctx, llm.EmbedRequest{Model: m.name, Query: query, Texts: texts})
		if err == nil {
			m.pay(got.Usage)
			return got.Vectors, nil
		}
		failed := llm.AsError(err)
		if try == maxTries || !passes(failed.Kind) {
			return nil, failed
		}
		if err := m.pause(ctx, min(cmp.Or(failed.RetryAfter, firstPause<<(try-1)), maxPause)); err != nil {
			return nil, err
		}
	}
}

func (m *model) pay(u events.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = true
	m.usage.Input += u.Input
	m.usage.Estimated = m.usage.Estimated || u.Estimated
}

// passes reports whether an error of this kind may pass by waiting.
func passes(kind string) bool {
	return kind == events.ModelRateLimited || kind == events.ModelOverloaded || kind == events.ModelNetwork
}
