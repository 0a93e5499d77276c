package llmtest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Fixture is a provider and the server that it is tested with.
type Fixture struct {
	// Start starts a server, such as [Anthropic].
	Start func(t testing.TB, o Options) *Server
	// Provider makes the adapter. Silence is how long an answer may stay silent; 0 means the
	// adapter's default.
	Provider func(e llm.Endpoint, silence time.Duration) llm.Provider
	// Model is a model of the server that thinks; Other is another model.
	Model, Other string
	// Thinks reports whether the vendor signs its thinking and needs it back.
	Thinks bool
	// Usage is a usage with every count that the vendor can report.
	Usage events.Usage
}

// shortSilence is how long tests of silence wait.
const shortSilence = 50 * time.Millisecond

// pair is a server and a provider for it.
type pair struct {
	t *testing.T
	Fixture
	*Server
	provider llm.Provider
}

func (f Fixture) pair(t *testing.T, o Options) *pair {
	t.Helper()
	s := f.Start(t, o)
	return &pair{t, f, s, f.Provider(s.Endpoint(), 0)}
}

// turns returns a pair whose server answers with turns.
func (f Fixture) turns(t *testing.T, turns ...Turn) *pair {
	t.Helper()
	return f.pair(t, Options{Turns: turns})
}

// ask makes one attempt and checks that the bytes sent are those of Body.
func (p *pair) ask(r llm.Request) (llm.Reply, []string, error) {
	p.t.Helper()
	var deltas []string
	before := len(p.Requests())
	reply, err := llm.Collect(p.provider.Stream(p.t.Context(), r), func(s string) { deltas = append(deltas, s) })
	if after := p.Requests(); len(after) > before {
		body, bad := p.provider.Body(r)
		require.NoError(p.t, bad)
		require.Equal(p.t, string(body), string(after[len(after)-1].Body), "Body is what was sent")
	}
	p.noKey(err)
	return reply, deltas, err
}

// noKey checks that neither an error nor its causes contain the key.
func (p *pair) noKey(err error) {
	p.t.Helper()
	if err == nil {
		return
	}
	var e *llm.Error
	require.ErrorAs(p.t, err, &e, "an error of a provider has a kind")
	for ; err != nil; err = errors.Unwrap(err) {
		require.NotContains(p.t, err.Error(), p.key, "no error holds the key")
	}
}

// good makes an attempt that must succeed.
func (p *pair) good(r llm.Request) llm.Reply {
	p.t.Helper()
	reply, _, err := p.ask(r)
	require.NoError(p.t, err)
	require.Empty(p.t, p.Refused())
	return reply
}

// fails makes an attempt that must fail with a kind.
func (p *pair) fails(r llm.Request, kind string) *llm.Error {
	p.t.Helper()
	reply, _, err := p.ask(r)
	var e *llm.Error
	require.ErrorAs(p.t, err, &e)
	require.Equal(p.t, kind, e.Kind, e.Message)
	require.Empty(p.t, reply.Text, "no half answer")
	require.Empty(p.t, reply.Calls, "no half answer")
	return e
}

// question returns the first request of a conversation with tools.
func (f Fixture) question(text string) llm.Request {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	return llm.Request{
		Model: f.Model, Params: events.ModelParams{MaxOutputTokens: 4096},
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You work."), llm.Text("Be brief.")}},
			{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text(text)}},
		},
		Tools: []llm.Tool{{Name: "read_file", Description: "Reads a file.", Schema: schema},
			{Name: "get_tree", Description: "Lists files.", Schema: schema}},
	}
}

// answered returns the request that follows r: with its reply and a result for each call. number
// distinguishes rounds.
func answered(r llm.Request, reply llm.Reply, number string) llm.Request {
	said := reply.Replied("01ROUND" + number)
	assistant := llm.Message{Role: llm.RoleAssistant}
	if len(said.Raw) > 0 {
		var o llm.Opaque
		if err := json.Unmarshal(said.Raw, &o); err == nil {
			assistant.Blocks = append(assistant.Blocks, o)
		}
	}
	if said.Text != "" {
		assistant.Blocks = append(assistant.Blocks, llm.Text(said.Text))
	}
	results := llm.Message{Role: llm.RoleTool}
	for i, c := range said.Calls {
		assistant.Blocks = append(assistant.Blocks, llm.Call{ID: c.ID, Name: c.Name, Args: c.Args})
		results.Blocks = append(results.Blocks, llm.Result{Call: c.ID, Name: c.Name, Text: "result of " + c.ID,
			Failed: i%2 == 1})
	}
	r.Messages = append(append([]llm.Message(nil), r.Messages...), assistant)
	if len(results.Blocks) > 0 {
		r.Messages = append(r.Messages, results)
	} else {
		r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("Go on.")}})
	}
	return r
}
