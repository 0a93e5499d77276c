package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

// model is what the fakes have.
const model = "gpt-5-mini"

// at is the provider of a flavour on a fake of it.
func at(t *testing.T, s *llmtest.Server, flavour string) openai.Provider {
	t.Helper()
	server, ok := openai.Find(flavour)
	require.True(t, ok)
	return openai.Provider{Server: server, Endpoint: s.Endpoint()}
}

func start(t *testing.T, flavour string, turns ...llmtest.Turn) (*llmtest.Server, openai.Provider) {
	t.Helper()
	s := llmtest.OpenAI(t, flavour, llmtest.Options{Turns: turns})
	return s, at(t, s, flavour)
}

func readFile() llm.Tool {
	return llm.Tool{Name: "read_file", Description: "Reads a file.",
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text(text)}}
}

func asking(messages ...llm.Message) llm.Request {
	system := llm.Message{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You are terse.")}}
	return llm.Request{Model: model, Messages: append([]llm.Message{system}, messages...), Tools: []llm.Tool{readFile()}}
}

func ask(t *testing.T, p openai.Provider, r llm.Request) (llm.Reply, error) {
	t.Helper()
	return llm.Collect(p.Stream(t.Context(), r), nil)
}

// then is the request behind a reply: the reply under the ids of its request,
// and a result for each call.
func then(t *testing.T, r llm.Request, number string, reply llm.Reply) llm.Request {
	t.Helper()
	said := llm.Message{Role: llm.RoleAssistant}
	if len(reply.Raw) > 0 {
		var o llm.Opaque
		require.NoError(t, json.Unmarshal(reply.Raw, &o))
		said.Blocks = append(said.Blocks, o)
	}
	if reply.Text != "" {
		said.Blocks = append(said.Blocks, llm.Text(reply.Text))
	}
	results := llm.Message{Role: llm.RoleTool}
	for i, c := range reply.Calls {
		id := events.CallID(number, i)
		said.Blocks = append(said.Blocks, llm.Call{ID: id, Name: c.Name, Args: c.Args})
		results.Blocks = append(results.Blocks, llm.Result{Call: id, Name: c.Name, Text: "result of " + id})
	}
	r.Messages = append(append([]llm.Message{}, r.Messages...), said)
	if len(results.Blocks) > 0 {
		r.Messages = append(r.Messages, results)
	}
	return r
}
