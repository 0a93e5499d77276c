package acp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/program"
)

// protocol is our side of the exchange in one attempt.
type protocol struct {
	folder string
	wanted int    // number of the answer that comes next
	model  string // the agent's current model, if it names one
}

// Begin introduces us as a client without a file system or a terminal.
func (p *protocol) Begin(t *program.Transcript) {
	type files struct {
		Read  bool `json:"readTextFile"`
		Write bool `json:"writeTextFile"`
	}
	type capabilities struct {
		Files    files `json:"fs"`
		Terminal bool  `json:"terminal"`
	}
	type client struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	p.wanted = initialized
	call(t, initialized, "initialize", struct {
		Version      int          `json:"protocolVersion"`
		Capabilities capabilities `json:"clientCapabilities"`
		Client       client       `json:"clientInfo"`
	}{version, capabilities{}, client{"slop", "1"}})
}

// Exit ignores the code, because the protocol defines no exit codes.
func (*protocol) Exit(int) string { return events.ModelIncomplete }

// Line handles one message.
func (p *protocol) Line(t *program.Transcript, line []byte) {
	var m message
	if !t.Read(line, &m) {
		return
	}
	switch {
	case m.asks() && m.Method == "session/request_permission":
		p.permission(t, &m)
	case m.asks():
		refuse(t, &m)
	case m.Method == "session/update":
		p.update(t, &m)
	case m.Method != "":
	case string(m.ID) != strconv.Itoa(p.wanted):
	case m.Error != nil:
		p.failed(t, m.Error)
	default:
		p.answered(t, &m)
	}
}

// failed ends the attempt with an error of the agent.
func (p *protocol) failed(t *program.Transcript, e *rpcError) {
	said := cmp.Or(e.Message, "no reason was given")
	if len(e.Data) > 0 && string(e.Data) != "null" {
		said += " " + string(e.Data)
	}
	kind := ""
	if e.Code == codeAuth {
		kind = events.ModelAuth
	}
	t.Fail(kind, said)
}

// answered handles an answer and takes the next step.
func (p *protocol) answered(t *program.Transcript, m *message) {
	switch p.wanted {
	case initialized:
		p.begun(t, m)
	case opened:
		p.session(t, m)
	case chosen:
		p.model = t.Request().Model
		p.prompt(t)
	case prompted:
		p.done(t, m)
	}
}

func (p *protocol) begun(t *program.Transcript, m *message) {
	var said struct {
		Version int `json:"protocolVersion"`
	}
	if !t.Read(m.Result, &said) {
		return
	}
	if said.Version != version {
		t.Fail(events.ModelInvalidRequest, fmt.Sprintf("the agent uses protocol version %d, expected %d", said.Version,
			version))
		return
	}
	p.wanted = opened
	call(t, opened, "session/new", struct {
		Folder  string   `json:"cwd"`
		Servers []string `json:"mcpServers"`
	}{p.folder, []string{}})
}

// session handles the new session, and selects the request's model if the agent offers a choice.
func (p *protocol) session(t *program.Transcript, m *message) {
	var said struct {
		ID     string `json:"sessionId"`
		Models struct {
			Current   string `json:"currentModelId"`
			Available []struct {
				ID string `json:"modelId"`
			} `json:"availableModels"`
		} `json:"models"`
	}
	if !t.Read(m.Result, &said) {
		return
	}
	if said.ID == "" {
		t.Break("the agent opened a session without an id")
		return
	}
	t.Session, p.model = said.ID, said.Models.Current
	var names []string
	for _, a := range said.Models.Available {
		names = append(names, a.ID)
	}
	model := t.Request().Model
	switch {
	case model == "" || model == OwnModel || model == p.model || len(names) == 0:
		p.prompt(t)
	case !slices.Contains(names, model):
		t.Fail(events.ModelInvalidRequest, fmt.Sprintf("the agent has no model %q; choose one of %s, or %s for "+
			"the agent's default",
			model, strings.Join(names, ", "), OwnModel))
	default:
		p.wanted = chosen
		call(t, chosen, "session/set_model", struct {
			Session string `json:"sessionId"`
			Model   string `json:"modelId"`
		}{said.ID, model})
	}
}

func (p *protocol) prompt(t *program.Transcript) {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var content []text // one block per turn: vendors cache a prompt up to the end of a block
	for _, block := range program.Blocks(t.Request()) {
		content = append(content, text{"text", block})
	}
	p.wanted, t.Model = prompted, p.model
	call(t, prompted, "session/prompt", struct {
		Session string `json:"sessionId"`
		Prompt  []text `json:"prompt"`
	}{t.Session, content})
}

// tokens holds counts in two spellings: that of a protocol draft and that of the gemini command
// line.
type tokens struct {
	Input      int64 `json:"inputTokens"` // without cached tokens
	Output     int64 `json:"outputTokens"`
	Thought    int64 `json:"thoughtTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
}

// done handles the answer to the prompt.
func (p *protocol) done(t *program.Transcript, m *message) {
	var said struct {
		Reason string  `json:"stopReason"`
		Usage  *tokens `json:"usage"`
		Meta   struct {
			Quota struct {
				Tokens struct {
					Input  int64 `json:"input_tokens"`
					Output int64 `json:"output_tokens"`
				} `json:"token_count"`
			} `json:"quota"`
		} `json:"_meta"`
	}
	if !t.Read(m.Result, &said) {
		return
	}
	counted := said.Usage
	if counted == nil {
		counted = &tokens{Input: said.Meta.Quota.Tokens.Input, Output: said.Meta.Quota.Tokens.Output}
	}
	t.Usage = counted.usage()
	switch said.Reason {
	case "end_turn":
		t.End(llm.FinishStop)
	case "max_tokens":
		t.End(llm.FinishMaxTokens)
	case "refusal":
		t.Fail(events.ModelRefused, "the model refused")
	case "max_turn_requests":
		t.Fail(events.ModelInvalidRequest, "the agent made too many model requests in one turn")
	default:
		t.Fail(events.ModelIncomplete, fmt.Sprintf("the turn ended with the unknown reason %q", said.Reason))
	}
}

// usage returns nil if the agent's counts are missing or implausible.
func (c tokens) usage() *events.Usage {
	if !program.Plausible(c.Input, c.Output, c.Thought, c.CacheRead, c.CacheWrite) || c.Output == 0 || c.Input+c.CacheRead+
		c.CacheWrite == 0 {
		return nil
	}
	return &events.Usage{Input: c.Input, Output: c.Output + c.Thought, Thinking: c.Thought, CacheRead: c.CacheRead,
		CacheWrite: c.CacheWrite}
}

// update handles a notification of our session.
func (p *protocol) update(t *program.Transcript, m *message) {
	var said struct {
		Session string `json:"sessionId"`
		Update  struct {
			Kind    string          `json:"sessionUpdate"`
			Content json.RawMessage `json:"content"` // a block, or a list of blocks for a tool
			Title   string          `json:"title"`
			Tool    string          `json:"kind"`
		} `json:"update"`
	}
	if !t.Read(m.Params, &said) || said.Session != t.Session || p.wanted != prompted {
		return
	}
	switch said.Update.Kind {
	case "agent_message_chunk":
		var block struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if t.Read(said.Update.Content, &block) && block.Type == "text" {
			t.Say(block.Text)
		}
	case "tool_call":
		t.Own(cmp.Or(said.Update.Title, said.Update.Tool, "unnamed"))
	}
}

// permission refuses a permission request of the agent.
func (p *protocol) permission(t *program.Transcript, m *message) {
	var asked struct {
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	if !t.Read(m.Params, &asked) {
		return
	}
	type outcome struct {
		Outcome string `json:"outcome"`
		Option  string `json:"optionId,omitempty"`
	}
	out := outcome{Outcome: "cancelled"}
	for _, o := range asked.Options {
		if o.Kind == "reject_once" && o.ID != "" {
			out = outcome{"selected", o.ID}
			break
		}
	}
	answer(t, m.ID, struct {
		Outcome outcome `json:"outcome"`
	}{out})
}
