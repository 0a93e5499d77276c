package geminicli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// MaxTools bounds the tool_use lines of a run.
const MaxTools = 256

// transcript is what the program has said so far.
type transcript struct {
	request llm.Request
	offered map[string]bool
	text    strings.Builder
	number  int // lines so far
	session string
	model   string
	used    []use
	noted   string   // the last error line
	result  *message // nil until it comes
	broken  error    // why the output cannot be read
}

// use is a tool_use line.
type use struct {
	id, name string
	args     string
	ran      bool // by the program itself
}

func newTranscript(r llm.Request) *transcript {
	t := &transcript{request: r, offered: make(map[string]bool, len(r.Tools))}
	for _, tool := range r.Tools {
		t.offered[tool.Name] = true
	}
	return t
}

// take folds a line and returns what the assistant says in it.
func (t *transcript) take(text []byte) string {
	t.number++
	text = bytes.TrimSpace(text)
	if t.broken != nil || t.result != nil || len(text) == 0 || text[0] != '{' {
		return ""
	}
	var kind struct {
		Type json.RawMessage `json:"type"`
	}
	var m message
	if err := json.Unmarshal(text, &kind); err != nil {
		t.broken = fmt.Errorf("line %d is not JSON: %w", t.number, err)
		return ""
	}
	if !known(words(kind.Type)) {
		return ""
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.broken = fmt.Errorf("line %d of the type %s does not have its shape: %w", t.number, words(kind.Type), err)
		return ""
	}
	return t.fold(&m)
}

func known(kind string) bool {
	return slices.Contains([]string{"init", "message", "chunk", "tool_use", "tool_result", "error", "result"}, kind)
}

func (t *transcript) fold(m *message) string {
	switch m.Type {
	case "init":
		t.session, t.model = clip(m.SessionID, 256), clip(m.Model, 256)
	case "message":
		if m.Role == "assistant" {
			return t.say(words(m.Content, m.Text))
		}
	case "chunk":
		if m.Role == "" || m.Role == "assistant" {
			return t.say(words(m.Content, m.Text))
		}
	case "tool_use":
		t.used = append(t.used, use{id: cmp.Or(m.ToolID, m.ID), name: cmp.Or(m.ToolName, m.Name), args: parametersOf(m)})
		if len(t.used) > MaxTools {
			t.broken = fmt.Errorf("the program has over %d tool_use lines", MaxTools)
		}
	case "tool_result":
		t.ran(cmp.Or(m.ToolID, m.ID), cmp.Or(m.ToolName, m.Name))
	case "error":
		t.noted = words(m.Message, m.Error)
	case "result":
		t.result = m
	}
	return ""
}

func (t *transcript) say(s string) string {
	t.text.WriteString(s)
	return s
}

// ran marks the call that a result is of. A result that fits no call in
// particular is of the newest one.
func (t *transcript) ran(id, name string) {
	for i := len(t.used) - 1; i >= 0; i-- {
		u := &t.used[i]
		if !u.ran && (id == "" || u.id == "" || u.id == id) && (name == "" || u.name == name) {
			u.ran = true
			return
		}
	}
}

// ours are the calls that name a tool of the request and that the program did
// not run itself.
func (t *transcript) ours() []use {
	var out []use
	for _, u := range t.used {
		if t.offered[u.name] && !u.ran {
			out = append(out, u)
		}
	}
	return out
}

// others are the names of the tools that are none of our calls.
func (t *transcript) others() []string {
	var out []string
	for _, u := range t.used {
		if !t.offered[u.name] || u.ran {
			out = append(out, clip(u.name, llm.MaxToolName))
		}
	}
	return out
}

// rest is what stands behind the text: calls of ours and the usage.
func (t *transcript) rest() []llm.Chunk {
	if t.result == nil || t.result.Status != "success" {
		return nil
	}
	var out []llm.Chunk
	for i, u := range t.ours() {
		out = append(out, llm.CallBegin{Index: i, Name: u.name}, llm.CallArgs{Index: i, Text: u.args}, llm.CallEnd{Index: i})
	}
	return append(out, llm.Usage(t.usage()))
}

// usage is what the program counted, else an estimate.
func (t *transcript) usage() events.Usage {
	said := t.text.String()
	for _, u := range t.ours() {
		said += u.name + u.args
	}
	guess := llm.Estimate(t.request, said)
	s := t.result.Stats
	if s == nil {
		return guess
	}
	total, output := cmp.Or(s.Total, s.TotalShort), cmp.Or(s.Output, s.OutputShort)
	cached := cmp.Or(s.Cached, s.CachedTokens)
	input := s.Input - cached
	if s.Input == 0 {
		input = s.Uncached
	}
	switch {
	case min(total, output, cached, input, s.Input) < 0:
		return guess
	case input+cached > 0 && output > 0:
		return events.Usage{Input: input, Output: output, CacheRead: cached}
	case total > 0:
		out := min(guess.Output, total)
		return events.Usage{Input: total - out, Output: out, Estimated: true}
	}
	return guess
}

// parametersOf is the text of a call's arguments; none are an empty object.
func parametersOf(m *message) string {
	for _, raw := range []json.RawMessage{m.Parameters, m.Args} {
		if len(raw) > 0 && string(raw) != "null" {
			return string(raw)
		}
	}
	return "{}"
}

// clip keeps a text within a number of bytes and valid UTF-8.
func clip(s string, limit int) string {
	return strings.ToValidUTF8(s[:min(len(s), limit)], "")
}
