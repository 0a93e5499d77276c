package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// anthropicRequest is a request of the Messages API, with the fields that the fake knows.
type anthropicRequest struct {
	Model         string             `json:"model"`
	MaxTokens     *int64             `json:"max_tokens"`
	Messages      []anthropicMessage `json:"messages"`
	System        json.RawMessage    `json:"system"`
	Tools         []anthropicTool    `json:"tools"`
	Stream        bool               `json:"stream"`
	Temperature   *float64           `json:"temperature"`
	TopP          *float64           `json:"top_p"`
	StopSequences []string           `json:"stop_sequences"`
	Thinking      *anthropicThinking `json:"thinking"`
	ToolChoice    json.RawMessage    `json:"tool_choice"`
	Metadata      json.RawMessage    `json:"metadata"`
	// ContextManagement requires the beta context-management-2025-06-27.
	ContextManagement json.RawMessage `json:"context_management"`
	OutputConfig      *struct {
		Effort string `json:"effort"`
	} `json:"output_config"`

	system []anthropicBlock
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`

	blocks []anthropicBlock
}

type anthropicTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	CacheControl *anthropicMark  `json:"cache_control"`
}

type anthropicThinking struct {
	Type    string `json:"type"`
	Budget  int64  `json:"budget_tokens"`
	Display string `json:"display"`
	// Binding requires the beta thinking-binding-controls-2026-08-01.
	Binding *struct {
		Mismatch string `json:"prefix_mismatch_behavior"`
	} `json:"block_binding"`
}

type anthropicMark struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// anthropicBlock is a content block of any type.
type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	Source    *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
	CacheControl *anthropicMark `json:"cache_control"`

	raw  string           // as sent, without its cache mark
	text string           // its text
	list []anthropicBlock // the blocks of a result
}

// decodeStrict decodes one JSON value and rejects unknown fields.
func decodeStrict(body []byte, v any) *refusal {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return refuse("the request body is not valid: " + strings.ReplaceAll(err.Error(), "json: unknown field",
			"Extra inputs are not permitted:"))
	}
	if d.More() {
		return refuse("the request body is not valid JSON")
	}
	return nil
}

// parse parses fields that may be a string or a list of blocks.
func (q *anthropicRequest) parse() (bad *refusal) {
	if len(q.System) > 0 {
		if q.system, bad = anthropicBlocks("system", q.System); bad != nil {
			return bad
		}
	}
	for i := range q.Messages {
		m := &q.Messages[i]
		if m.blocks, bad = anthropicBlocks(fmt.Sprintf("messages.%d.content", i), m.Content); bad != nil {
			return bad
		}
	}
	return nil
}

func anthropicBlocks(path string, raw json.RawMessage) ([]anthropicBlock, *refusal) {
	var text string
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return nil, refuse(path + ": Field required")
	}
	if json.Unmarshal(raw, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text, text: text, raw: text}}, nil
	}
	var each []json.RawMessage
	if err := json.Unmarshal(raw, &each); err != nil {
		return nil, refuse(path + ": Input should be a valid list")
	}
	out := make([]anthropicBlock, len(each))
	for i, r := range each {
		b := &out[i]
		if bad := decodeStrict(r, b); bad != nil {
			return nil, refuse(fmt.Sprintf("%s.%d: %s", path, i, bad.message))
		}
		if bad := b.parse(fmt.Sprintf("%s.%d", path, i), r); bad != nil {
			return nil, bad
		}
	}
	return out, nil
}

// parse parses a block's content and removes its cache mark from the raw bytes.
func (b *anthropicBlock) parse(path string, raw json.RawMessage) *refusal {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return refuse(path + ": Input should be an object")
	}
	delete(fields, "cache_control")
	b.raw, b.text = string(mustJSON(fields)), b.Text
	if b.Type != "tool_result" || len(b.Content) == 0 {
		return nil
	}
	list, bad := anthropicBlocks(path+".content", b.Content)
	if bad != nil {
		return bad
	}
	b.list = list
	for _, inner := range list {
		b.text += inner.text
	}
	return nil
}

// view returns the request in the vendor-neutral form.
func (q *anthropicRequest) view() View {
	v := View{Model: q.Model, Limit: int(*q.MaxTokens), wire: q}
	var system []string
	for _, b := range q.system {
		system = append(system, b.Text)
	}
	v.System = strings.Join(system, "\n\n")
	for _, t := range q.Tools {
		v.Tools = append(v.Tools, t.Name)
	}
	for _, m := range q.Messages {
		v.Messages = append(v.Messages, m.said())
	}
	return v
}

func (m anthropicMessage) said() Said {
	s := Said{Role: m.Role}
	var texts []string
	for _, b := range m.blocks {
		switch b.Type {
		case "text":
			texts = append(texts, b.text)
		case "image":
			shown, _ := imageOf(b.Source.MediaType, b.Source.Data) // it was checked before
			s.Images = append(s.Images, shown)
		case "tool_result":
			texts = append(texts, b.text)
			s.Results = append(s.Results, Result{Call: b.ToolUseID, Text: b.text, Failed: b.IsError})
		case "tool_use":
			s.Calls = append(s.Calls, Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		case "thinking", "redacted_thinking":
			s.Opaque = true
		}
	}
	s.Text = strings.Join(texts, "\n")
	return s
}
