package codexcli

import (
	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// message covers every kind of line that is read.
type message struct {
	Type     string `json:"type"`
	ThreadID string `json:"thread_id"`
	Item     struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Message string `json:"message"`
		Tool    string `json:"tool"`
	} `json:"item"`
	Message string `json:"message"` // of error
	Error   struct {
		Message string `json:"message"`
	} `json:"error"` // of turn.failed
	Usage *usage `json:"usage"`
}

// usage is the program's token counts.
type usage struct {
	Input      int64 `json:"input_tokens"` // including cached tokens
	Cached     int64 `json:"cached_input_tokens"`
	CacheWrite int64 `json:"cache_write_input_tokens"`
	Output     int64 `json:"output_tokens"` // including thinking tokens
	Reasoning  int64 `json:"reasoning_output_tokens"`
}

// protocol reads the program's output.
type protocol struct{ spoke bool }

// Begin does nothing: the prompt is the program's standard input.
func (*protocol) Begin(*program.Transcript) {}

// Exit returns the kind of error for an exit code of the program; 2 means an invalid command line.
func (*protocol) Exit(code int) string {
	if code == 2 {
		return events.ModelInvalidRequest
	}
	return events.ModelIncomplete
}

// Line handles one line.
func (p *protocol) Line(t *program.Transcript, line []byte) {
	var m message
	if !t.ReadOf(line, &m, "thread.started", "item.completed", "error", "turn.completed", "turn.failed") {
		return
	}
	switch m.Type {
	case "thread.started":
		t.Session = m.ThreadID
	case "item.completed":
		p.item(t, &m)
	case "error":
		t.Note(m.Message)
	case "turn.completed":
		t.Usage = counted(m.Usage)
		t.End(llm.FinishStop)
	case "turn.failed":
		t.Note("")
		t.Fail("", m.Error.Message)
	}
}

// item handles a complete item. A blank line separates several messages of the model.
func (p *protocol) item(t *program.Transcript, m *message) {
	switch m.Item.Type {
	case "agent_message":
		if p.spoke {
			t.Say("\n\n")
		}
		p.spoke = true
		t.Say(m.Item.Text)
	case "error":
		t.Note(m.Item.Message)
	case "reasoning", "todo_list":
	case "mcp_tool_call":
		t.Own("mcp_tool_call " + m.Item.Tool)
	default: // command_execution, file_change, web_search and unknown types
		t.Own(m.Item.Type)
	}
}

// counted returns the program's token counts; nil if they are missing or implausible.
func counted(u *usage) *events.Usage {
	if u == nil || !program.Plausible(u.Input, u.Cached, u.CacheWrite, u.Output, u.Reasoning) || u.Input < u.Cached+
		u.CacheWrite || u.Input+u.Output == 0 {
		return nil
	}
	return &events.Usage{
		Input: u.Input - u.Cached - u.CacheWrite, CacheRead: u.Cached, CacheWrite: u.CacheWrite,
		Output: u.Output, Thinking: min(u.Reasoning, u.Output),
	}
}
