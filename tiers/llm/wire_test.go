package llm_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// plainWire is the neutral form by way of JSON text.
func plainWire(t testing.TB, r llm.Request) ([]byte, error) {
	t.Helper()
	type block struct {
		Kind   string          `json:"kind"`
		ID     string          `json:"id,omitempty"`
		Call   string          `json:"call,omitempty"`
		Name   string          `json:"name,omitempty"`
		Text   string          `json:"text,omitempty"`
		Args   json.RawMessage `json:"args,omitempty"`
		Failed bool            `json:"failed,omitempty"`
		Origin string          `json:"origin,omitempty"`
		Data   json.RawMessage `json:"data,omitempty"`
	}
	type message struct {
		Role   string  `json:"role"`
		Blocks []block `json:"blocks"`
	}
	out := struct {
		Model    string             `json:"model"`
		Params   events.ModelParams `json:"params"`
		Messages []message          `json:"messages"`
		Tools    []llm.Tool         `json:"tools,omitempty"`
	}{Model: r.Model, Params: r.Params, Messages: []message{}, Tools: r.Tools}
	for _, m := range r.Messages {
		blocks := []block{}
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case llm.Text:
				blocks = append(blocks, block{Kind: "text", Text: string(b)})
			case llm.Call:
				blocks = append(blocks, block{Kind: "call", ID: b.ID, Name: b.Name, Args: b.Args})
			case llm.Result:
				blocks = append(blocks, block{Kind: "result", Call: b.Call, Name: b.Name, Text: b.Text, Failed: b.Failed})
			case llm.Opaque:
				blocks = append(blocks, block{Kind: "opaque", Origin: b.Origin, Data: b.Data})
			}
		}
		out.Messages = append(out.Messages, message{m.Role, blocks})
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return events.Canonical(raw)
}

func TestTheNeutralBodyIsTheCanonicalJSONOfTheRequest(t *testing.T) {
	t.Parallel()
	texts := []string{"", "a", "<b>&\"\\/\u2028\x00\x1f\n", "ü\U0001F600", "bad \xff byte"}
	documents := []string{"", `{}`, `{"b":1.50,"a":[true,null,"\u003c\ud83d\ude00"]}`, ` { "z" : 1e3 , "é" : -0 } `,
		`123456789012345678901`}
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 7))
		text := func() string { return texts[random.IntN(len(texts))] }
		document := func() json.RawMessage { return json.RawMessage(documents[random.IntN(len(documents))]) }
		hot := float64(random.IntN(20)) / 10
		r := llm.Request{Model: text(), Params: events.ModelParams{MaxOutputTokens: random.IntN(3), Effort: text()}}
		if random.IntN(2) == 0 {
			r.Params.Temperature = &hot
		}
		for range random.IntN(4) {
			m := llm.Message{Role: text()}
			for range random.IntN(4) {
				m.Blocks = append(m.Blocks, []llm.Block{
					llm.Text(text()), llm.Call{ID: text(), Name: text(), Args: document()},
					llm.Result{Call: text(), Name: text(), Text: text(), Failed: random.IntN(2) == 0}, llm.Opaque{Origin: text(),
						Data: document()},
				}[random.IntN(4)])
			}
			r.Messages = append(r.Messages, m)
		}
		for range random.IntN(3) {
			r.Tools = append(r.Tools, llm.Tool{Name: text(), Description: text(), Schema: document()})
		}
		for i := range r.Tools {
			if len(r.Tools[i].Schema) == 0 {
				r.Tools[i].Schema = nil // what was never said; an empty text is no JSON
			}
		}
		want, err := plainWire(t, r)
		require.NoError(t, err)
		got, err := r.Wire()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "seed %d", seed)
	}
}

func TestWhatIsNoJSONHasNoNeutralBody(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"{", `{"a":1,"a":2}`, `"`, "x"} {
		for name, r := range map[string]llm.Request{
			"schema":    {Tools: []llm.Tool{{Name: "a", Schema: json.RawMessage(bad)}}},
			"arguments": {Messages: []llm.Message{{Blocks: []llm.Block{llm.Call{Args: json.RawMessage(bad)}}}}},
			"opaque":    {Messages: []llm.Message{{Blocks: []llm.Block{llm.Opaque{Data: json.RawMessage(bad)}}}}},
		} {
			_, err := r.Wire()
			require.Error(t, err, "%s %s", name, bad)
		}
	}
}

func TestARequestHasTheToolsThatWereOfferedWhenItWasMade(t *testing.T) {
	t.Parallel()
	var r llm.Record
	asked := events.ModelRequested{Tools: []string{"a"}, Manifest: []events.Part{{Role: "user", Text: "hi"}}}
	digest, err := events.ManifestDigest(asked.Manifest)
	require.NoError(t, err)
	asked.SHA256 = digest
	schemas := []string{`{"b":1,"a":2}`, `{"c":3}`, `{"d"`}
	for _, schema := range schemas {
		r.Take(&events.Event{Payload: events.ToolsOffered{Tools: []events.ToolOffer{{Name: "a", Description: "A.",
			Schema: json.RawMessage(schema)}}}})
		r.Take(&events.Event{ID: schema, Payload: asked})
	}
	for _, schema := range schemas {
		for range 2 {
			got, err := r.Request(schema, asked, nil)
			require.NoError(t, err)
			require.Equal(t, schema, string(got.Tools[0].Schema))
			want, wantErr := plainWire(t, got)
			wire, err := got.Wire()
			require.Equal(t, wantErr == nil, err == nil)
			require.Equal(t, string(want), string(wire))
		}
	}
}
