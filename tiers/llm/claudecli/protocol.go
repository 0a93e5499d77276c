package claudecli

import (
	"cmp"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// message covers every kind of line that is read.
type message struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`
	Model     string `json:"model"`
	Parent    string `json:"parent_tool_use_id"` // set in lines of a subagent

	Event   streamEvent `json:"event"`   // of stream_event
	Message turn        `json:"message"` // of assistant
	Error   string      `json:"error"`   // of assistant: the program's error code

	RequestID string `json:"request_id"` // of control_request
	Request   struct {
		Subtype  string `json:"subtype"`
		ToolName string `json:"tool_name"`
	} `json:"request"`

	IsError bool     `json:"is_error"` // of result
	Result  string   `json:"result"`
	Errors  []string `json:"errors"`
	Stop    string   `json:"stop_reason"`
	Cost    *float64 `json:"total_cost_usd"`
	Usage   *usage   `json:"usage"`
}

// streamEvent is an event of the vendor's own stream.
type streamEvent struct {
	Type  string `json:"type"`
	Delta struct {
		Type string `json:"type"`
		Text string `json:"text"`
		Stop string `json:"stop_reason"`
	} `json:"delta"`
}

// turn is a message of the model, or a part of one.
type turn struct {
	Model   string `json:"model"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
		Name string `json:"name"`
	} `json:"content"`
}

// usage counts tokens with the names of the vendor's API.
type usage struct {
	Input      int64 `json:"input_tokens"` // without cached tokens
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Creation   struct {
		Hour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// protocol reads the program's output.
type protocol struct {
	partial bool   // text arrived as stream_event; the assistant line repeats it
	spoke   bool   // some text arrived
	stop    string // why the model stopped
	wrong   string // the program's error code
}

// Begin sends the prompt.
func (*protocol) Begin(t *program.Transcript) {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type words struct {
		Role    string `json:"role"`
		Content []text `json:"content"`
	}
	var content []text // one block per turn: vendors cache a prompt up to the end of a block
	for _, block := range program.Blocks(t.Request()) {
		content = append(content, text{"text", block})
	}
	t.Send(struct {
		Type    string  `json:"type"`
		Message words   `json:"message"`
		Parent  *string `json:"parent_tool_use_id"`
		Session string  `json:"session_id"`
	}{Type: "user", Message: words{"user", content}})
}

// Exit ignores the code, because the program has one exit code for all failures.
func (*protocol) Exit(int) string { return events.ModelIncomplete }

// Line handles one line.
func (p *protocol) Line(t *program.Transcript, line []byte) {
	var m message
	if !t.ReadOf(line, &m, "system", "stream_event", "assistant", "control_request", "result") {
		return
	}
	switch m.Type {
	case "system":
		if m.Subtype == "init" {
			t.Session, t.Model = m.SessionID, m.Model
		}
	case "stream_event":
		p.event(t, &m)
	case "assistant":
		p.assistant(t, &m)
	case "control_request":
		answer(t, &m)
	case "result":
		p.result(t, &m)
	}
}

func (p *protocol) event(t *program.Transcript, m *message) {
	switch {
	case m.Parent != "":
	case m.Event.Type == "content_block_delta" && m.Event.Delta.Type == "text_delta":
		p.partial = true
		p.say(t, m.Event.Delta.Text)
	case m.Event.Type == "message_delta":
		p.stop = cmp.Or(m.Event.Delta.Stop, p.stop)
	}
}

func (p *protocol) say(t *program.Transcript, words string) {
	p.spoke = p.spoke || words != ""
	t.Say(words)
}

// assistant handles a line with complete blocks.
func (p *protocol) assistant(t *program.Transcript, m *message) {
	p.wrong = cmp.Or(m.Error, p.wrong)
	for _, b := range m.Message.Content {
		switch {
		case strings.HasSuffix(b.Type, "tool_use"):
			t.Own(b.Name)
		case b.Type == "text" && m.Parent == "" && !p.partial:
			p.say(t, b.Text)
		case b.Type == "text" && m.Parent == "":
			p.partial = false
		}
	}
}

// answer refuses a control request of the program.
func answer(t *program.Transcript, m *message) {
	type body struct {
		Subtype   string            `json:"subtype"`
		RequestID string            `json:"request_id"` // must be here, not next to type
		Response  map[string]string `json:"response,omitempty"`
		Error     string            `json:"error,omitempty"`
	}
	out := body{Subtype: "error", RequestID: m.RequestID, Error: "only text is supported here"}
	if m.Request.Subtype == "can_use_tool" {
		out = body{Subtype: "success", RequestID: m.RequestID, Response: map[string]string{
			"behavior": "deny", "message": "This tool is switched off. Use the tools that the prompt describes, in the way it " +
				"describes.",
		}}
	}
	t.Send(struct {
		Type     string `json:"type"`
		Response body   `json:"response"`
	}{"control_response", out})
}

// result handles the last line.
func (p *protocol) result(t *program.Transcript, m *message) {
	t.Session = cmp.Or(m.SessionID, t.Session)
	t.Usage = counted(m)
	stop := cmp.Or(m.Stop, p.stop)
	said := cmp.Or(m.Result, strings.Join(m.Errors, "; "), m.Subtype, "no reason was given")
	switch {
	case stop == "refusal":
		t.Fail(events.ModelRefused, said)
	case stop == "model_context_window_exceeded":
		t.Fail(events.ModelContextTooLong, said)
	case m.IsError || m.Subtype != "success":
		t.Fail(wrongKind(p.wrong), said)
	default:
		if !p.spoke {
			t.Say(m.Result)
		}
		reason := llm.FinishStop
		if stop == "max_tokens" {
			reason = llm.FinishMaxTokens
		}
		t.End(reason)
	}
}

// wrongKind returns the kind of error for the program's error code; empty if the code is unknown.
func wrongKind(word string) string {
	switch word {
	case "authentication_failed", "oauth_org_not_allowed", "billing_error":
		return events.ModelAuth
	case "rate_limit":
		return events.ModelRateLimited
	case "overloaded", "server_error":
		return events.ModelOverloaded
	case "invalid_request", "model_not_found":
		return events.ModelInvalidRequest
	}
	return ""
}

// counted returns the program's token counts; nil if they are missing or implausible.
func counted(m *message) *events.Usage {
	u := m.Usage
	if u == nil || !program.Plausible(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Creation.Hour) ||
		u.Input+u.CacheRead+u.CacheWrite+u.Output == 0 {
		return nil
	}
	return &events.Usage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		CacheWriteHour:   min(u.Creation.Hour, u.CacheWrite),
		CostMicroDollars: llm.MicroDollars(m.Cost),
	}
}
