package openai

import (
	"bytes"
	"cmp"
	"encoding/json"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// response reads the events of one stream of the Responses API; see
// https://platform.openai.com/docs/api-reference/responses-streaming.
type response struct {
	reading
	items []item // finished items
	texts int    // messages begun
	size  int    // size of all items, in bytes
	cut   bool   // the reply ended at its limit
}

// responseEvent is an event with the fields that we read.
type responseEvent struct {
	Type     string          `json:"type"`
	Delta    json.RawMessage `json:"delta"`
	Item     item            `json:"item"`
	Response struct {
		Model   string          `json:"model"`
		Usage   json.RawMessage `json:"usage"`
		Details struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
	} `json:"response"`
}

func (a *response) take(data []byte) ([]llm.Chunk, error) {
	if data = bytes.TrimSpace(data); len(data) == 0 || bytes.Equal(data, []byte("[DONE]")) {
		return nil, nil
	}
	var e responseEvent
	if json.Unmarshal(data, &e) != nil {
		return nil, llm.Incomplete("an event of the stream is not valid JSON of the Responses API")
	}
	if e.Type == "error" || e.Type == "response.failed" || e.Type == "" {
		return nil, a.broken(data)
	}
	a.model = cmp.Or(e.Response.Model, a.model)
	if used := responseUsage(e.Response.Usage); used != nil {
		a.usage = used
	}
	switch e.Type {
	case "response.output_item.added":
		if e.Item.is("message") {
			return a.next(), nil
		}
	case "response.output_text.delta":
		return a.text(e.Delta), nil
	case "response.output_item.done":
		return nil, a.finished(e.Item, len(data))
	case "response.completed":
		a.done = true
	case "response.incomplete":
		if e.Response.Details.Reason == "content_filter" {
			return nil, refused("the server's content filter stopped the answer")
		}
		a.done, a.cut = true, true
	}
	return nil, nil
}

// next begins a message, separated by a blank line from the one before.
func (a *response) next() []llm.Chunk {
	if a.texts++; a.texts == 1 || a.said.Len() == 0 {
		return nil
	}
	return []llm.Chunk{llm.TextDelta("\n\n")}
}

func (a *response) text(delta json.RawMessage) []llm.Chunk {
	var piece string
	if json.Unmarshal(delta, &piece) != nil || piece == "" {
		return nil
	}
	a.said.WriteString(piece)
	return []llm.Chunk{llm.TextDelta(piece)}
}

// finished keeps a finished item.
func (a *response) finished(it item, size int) error {
	if a.size += size; a.size > llm.MaxText+llm.MaxRaw {
		return llm.Incomplete("the items of the reply have more than %d bytes", llm.MaxText+llm.MaxRaw)
	}
	if it.is("message") && a.refusal.Len() < llm.MaxMessage {
		a.refusal.WriteString(clip(it.said("refusal", "refusal")))
	}
	if it.is("function_call") && callsIn(a.items) == llm.MaxCalls {
		return llm.Incomplete("the reply has more than %d tool calls", llm.MaxCalls)
	}
	a.items = append(a.items, it)
	return nil
}

// broken returns the error that an event reports, for the stream or for the response.
func (a *response) broken(data []byte) error {
	var outer struct {
		Message  string          `json:"message"`
		Code     json.RawMessage `json:"code"`
		Response struct {
			Error json.RawMessage `json:"error"`
		} `json:"response"`
	}
	_ = json.Unmarshal(data, &outer) // it was decoded before
	if outer.Message != "" {
		t := told{Message: outer.Message, Code: word(outer.Code)}
		return &llm.Error{Kind: t.streamKind(), Message: "the server ended the answer with an error: " + clip(t.Message)}
	}
	wrapped := data
	if len(outer.Response.Error) > 0 {
		wrapped = append(append([]byte(`{"error":`), outer.Response.Error...), '}')
	}
	if err := errorIn(wrapped); err != nil {
		return err
	}
	return llm.Incomplete("the server ended the answer with an error but gave no reason")
}

func (a *response) end(err error) ([]llm.Chunk, error) {
	switch {
	case err != nil:
		return nil, err
	case !a.done:
		return nil, llm.Incomplete("the answer ended without response.completed")
	case a.refusal.Len() > 0:
		return nil, refused(a.refusal.String())
	}
	return a.whole(), nil
}

// whole returns the last chunks of a complete reply. If the reply was cut off, only its last call
// is incomplete.
func (a *response) whole() []llm.Chunk {
	var out []llm.Chunk
	n, total := 0, callsIn(a.items)
	for _, it := range a.items {
		if !it.is("function_call") {
			continue
		}
		out = append(out, llm.CallBegin{Index: n, Name: it.text("name")}, llm.CallArgs{Index: n, Text: it.text("arguments")})
		if !a.cut || n < total-1 || it.text("status") == "completed" {
			out = append(out, llm.CallEnd{Index: n})
		}
		a.said.WriteString(it.text("name") + it.text("arguments"))
		n++
	}
	return append(out, a.closing(a.cut, n, a.server.responseOpaque(a.request.Model, a.items))...)
}

// responseUsage converts the vendor's usage and removes double counting; nil if nothing was
// counted.
func responseUsage(raw json.RawMessage) *events.Usage {
	var u *struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		Out struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
	if json.Unmarshal(raw, &u) != nil || u == nil {
		return nil
	}
	write := within(u.Details.Written, max(0, u.Input-u.Details.Cached))
	return &events.Usage{
		Input: max(0, u.Input-u.Details.Cached-write), CacheRead: u.Details.Cached, CacheWrite: write, Output: u.Output,
		Thinking: u.Out.Reasoning,
	}
}
