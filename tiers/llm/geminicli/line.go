package geminicli

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// message covers every kind of line, in both spellings.
type message struct {
	Type string `json:"type"`

	SessionID string `json:"session_id"`
	Model     string `json:"model"`

	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Text    json.RawMessage `json:"text"`
	Message json.RawMessage `json:"message"` // of an error

	Name       string          `json:"name"`
	ToolName   string          `json:"tool_name"`
	ID         string          `json:"id"`
	ToolID     string          `json:"tool_id"`
	Parameters json.RawMessage `json:"parameters"`
	Args       json.RawMessage `json:"args"`

	Status string          `json:"status"`
	Error  json.RawMessage `json:"error"`
	Stats  *stats          `json:"stats"`
}

// stats are the program's token counts.
type stats struct {
	Total        int64 `json:"total_tokens"` // including thinking tokens
	TotalShort   int64 `json:"total"`
	Input        int64 `json:"input_tokens"`  // including cached tokens
	Output       int64 `json:"output_tokens"` // without thinking tokens
	OutputShort  int64 `json:"output"`
	Cached       int64 `json:"cached"`
	CachedTokens int64 `json:"cached_tokens"`
	Uncached     int64 `json:"input"`
}

// words returns the first text: a JSON string, or the joined texts of a list of strings and
// objects with a text.
func words(raws ...json.RawMessage) string {
	for _, raw := range raws {
		var text string
		var list []json.RawMessage
		var object struct {
			Text    json.RawMessage `json:"text"`
			Message json.RawMessage `json:"message"`
		}
		switch {
		case len(raw) == 0 || string(raw) == "null":
		case json.Unmarshal(raw, &text) == nil:
			return text
		case json.Unmarshal(raw, &list) == nil:
			var all strings.Builder
			for _, item := range list {
				all.WriteString(words(item))
			}
			return all.String()
		case json.Unmarshal(raw, &object) == nil:
			return words(object.Text, object.Message)
		}
	}
	return ""
}

// protocol reads the program's output, in both spellings.
type protocol struct{}

// Begin does nothing: the prompt is the program's standard input.
func (protocol) Begin(*program.Transcript) {}

// Exit returns the kind of error for an exit code of the program.
func (protocol) Exit(code int) string {
	switch code {
	case 41: // no way to authenticate
		return events.ModelAuth
	case 42, 44, 52, 53: // bad input, sandbox, configuration, too many turns
		return events.ModelInvalidRequest
	}
	return events.ModelIncomplete
}

// Line handles one line.
func (protocol) Line(t *program.Transcript, line []byte) {
	var kind struct {
		Type json.RawMessage `json:"type"`
	}
	var m message
	if !t.Read(line, &kind) || !known(words(kind.Type)) || !t.Read(line, &m) {
		return
	}
	switch m.Type {
	case "init":
		t.Session, t.Model = m.SessionID, m.Model
	case "message":
		if m.Role == "assistant" {
			t.Say(words(m.Content, m.Text))
		}
	case "chunk":
		if m.Role == "" || m.Role == "assistant" {
			t.Say(words(m.Content, m.Text))
		}
	case "tool_use":
		t.Call(cmp.Or(m.ToolID, m.ID), cmp.Or(m.ToolName, m.Name), parametersOf(&m))
	case "tool_result":
		t.Ran(cmp.Or(m.ToolID, m.ID), cmp.Or(m.ToolName, m.Name))
	case "error":
		t.Note(words(m.Message, m.Error))
	case "result":
		finish(t, &m)
	}
}

func known(kind string) bool {
	return slices.Contains([]string{"init", "message", "chunk", "tool_use", "tool_result", "error", "result"}, kind)
}

// finish handles the result line.
func finish(t *program.Transcript, m *message) {
	if m.Status != "success" {
		if m.Stats != nil {
			t.Usage = usage(m.Stats, events.Usage{})
		}
		said := cmp.Or(words(m.Error), words(m.Message), "no reason was given")
		t.Fail(program.KindOf(string(m.Error)+" "+said), said)
		return
	}
	t.Usage = usage(m.Stats, t.Guess())
	t.End(llm.FinishStop)
}

// usage returns the program's counts, or the guess if they are missing.
func usage(s *stats, guess events.Usage) *events.Usage {
	if s == nil {
		return &guess
	}
	total, output := cmp.Or(s.Total, s.TotalShort), cmp.Or(s.Output, s.OutputShort)
	cached := cmp.Or(s.Cached, s.CachedTokens)
	input := s.Input - cached
	if s.Input == 0 {
		input = s.Uncached
	}
	switch {
	case !program.Plausible(total, output, cached, input, s.Input):
		return &guess
	case input+cached > 0 && output > 0:
		thought := thoughts(s)
		return &events.Usage{Input: input, Output: output + thought, Thinking: thought, CacheRead: cached}
	case total > 0:
		out := min(guess.Output, total)
		return &events.Usage{Input: total - out, Output: out, Estimated: true}
	}
	return &guess
}

// thoughts returns the number of thinking tokens. The current program counts them only in its
// total; they cost as much as output tokens.
func thoughts(s *stats) int64 {
	if s.Input == 0 || s.Output == 0 {
		return 0
	}
	return max(0, s.Total-s.Input-s.Output)
}

// parametersOf returns the text of a call's arguments, or an empty object if there are none.
func parametersOf(m *message) string {
	for _, raw := range []json.RawMessage{m.Parameters, m.Args} {
		if len(raw) > 0 && string(raw) != "null" {
			return string(raw)
		}
	}
	return "{}"
}
