package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/fence"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/openai"
	"manualslop/tools/builtin"
)

// BenchmarkPrompt builds the prompt of a conversation of 200 rounds, of 1.4 MB:
// from the record to the neutral request, and from that to the body of each
// wire. The reference is json.Marshal of the same texts.
func BenchmarkPrompt(b *testing.B) {
	record, asked := longConversation(b, 200)
	build := func() llm.Request {
		r, err := record.Request("asked", asked, nil)
		require.NoError(b, err)
		return r
	}
	said := texts(build())
	b.Run("reference", func(b *testing.B) {
		for b.Loop() {
			raw, err := json.Marshal(said)
			require.NoError(b, err)
			b.SetBytes(int64(len(raw)))
		}
	})
	b.Run("request", func(b *testing.B) {
		for b.Loop() {
			build()
		}
	})
	b.Run("digest", func(b *testing.B) {
		for b.Loop() {
			_, err := events.ManifestDigest(asked.Manifest)
			require.NoError(b, err)
		}
	})
	deepseek, _ := openai.Find("deepseek")
	for name, body := range map[string]func(llm.Request) ([]byte, error){
		"anthropic": anthropic.Provider{}.Body, "gemini": gemini.Provider{}.Body, "neutral": llm.Request.Wire,
		"openai": openai.Provider{Server: deepseek}.Body,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				raw, err := body(build())
				require.NoError(b, err)
				b.SetBytes(int64(len(raw)))
			}
		})
	}
}

// longConversation is a session of so many rounds, as a contributor asks for the
// next one: each round calls a tool that answers with 6 kB of code.
func longConversation(t testing.TB, rounds int) (*llm.Record, events.ModelRequested) {
	t.Helper()
	record := &llm.Record{}
	take := func(id string, p events.Payload) { record.Take(&events.Event{ID: id, Payload: p}) }
	var offered events.ToolsOffered
	asked := events.ModelRequested{Tier: 3, Model: "m", Manifest: []events.Part{
		{Role: "system", Text: strings.Repeat("You write code in small steps.\n", 200)},
		{Role: "user", Text: strings.Repeat("Mend what is broken.\n", 20)},
	}}
	for _, tool := range builtin.Tools().All() {
		offered.Tools = append(offered.Tools, events.ToolOffer{Name: tool.Spec().Name, Description: tool.Spec().Text(),
			Schema: tool.Schema()})
		asked.Tools = append(asked.Tools, tool.Spec().Name)
	}
	take("offered", offered)
	for n := range rounds {
		replied, settled := fmt.Sprintf("01KDZV3M88%016d", 2*n), fmt.Sprintf("01KDZV3M88%016d", 2*n+1)
		call := events.CallID(replied, 0)
		say := strings.Repeat("I look at the next function. ", 12)
		take(replied, events.ModelReplied{Text: say, Calls: []events.ToolCall{{ID: call, Name: "read_file",
			Args: json.RawMessage(`{"path":"internal/server/handler.go"}`)}}})
		code := strings.Repeat(fmt.Sprintf("func handle%d(w http.ResponseWriter, r *http.Request) {\n\tif r.Method != "+
			"\"GET\" && len(parts[1:]) < 3 {\n\t\treturn\n\t}\n}\n", n), 50)
		take(settled, events.ToolSettled{Call: call, Text: code})
		asked.Manifest = append(asked.Manifest,
			events.Part{Role: "assistant", SHA256: events.Digest([]byte(say)), Size: int64(len(say)), From: replied},
			events.Part{Role: "tool", Call: call, SHA256: events.Digest([]byte(code)), Size: int64(len(code)), From: settled,
				Origin: fence.Repo, Fence: fence.Nonce(settled, 0)})
	}
	digest, err := events.ManifestDigest(asked.Manifest)
	require.NoError(t, err)
	asked.SHA256 = digest
	take("asked", asked)
	return record, asked
}

// texts is all that a request says, in order.
func texts(r llm.Request) []string {
	var out []string
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case llm.Text:
				out = append(out, string(b))
			case llm.Result:
				out = append(out, b.Text)
			case llm.Call:
				out = append(out, string(b.Args))
			case llm.Opaque:
				out = append(out, string(b.Data))
			}
		}
	}
	for _, t := range r.Tools {
		out = append(out, t.Description, string(t.Schema))
	}
	return out
}
