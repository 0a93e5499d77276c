package clitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// agent plays an agent of the protocol.
type agent struct {
	*fake
	in      *bufio.Reader
	session bool
	model   string
}

// rpc is a message from the client.
type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  params          `json:"params"`
	Result  struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	} `json:"result"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// params holds the parameters of all methods.
type params struct {
	Version      *int `json:"protocolVersion"`
	Capabilities *struct {
		Files map[string]bool `json:"fs"`
	} `json:"clientCapabilities"`
	Folder  string      `json:"cwd"`
	Servers *[]string   `json:"mcpServers"`
	Session string      `json:"sessionId"`
	Model   string      `json:"modelId"`
	Prompt  []textBlock `json:"prompt"`
}

// acp plays an agent that is started with --acp.
func acp(f *fake) error {
	if !slices.Equal(f.args, []string{"--acp"}) {
		return rejects(1, "clitest: usage: agent --acp")
	}
	a := &agent{fake: f, in: bufio.NewReaderSize(f.in, 16<<20), model: "auto"}
	begun := false
	for {
		m, err := a.read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		p := m.Params
		switch {
		case m.Method == "initialize" && p.Version != nil && p.Capabilities != nil:
			begun = true
			line(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":false},"authMethods":[]}}`, m.ID)
		case m.Method == "session/new" && begun && p.Folder != "" && p.Folder[0] == '/' && p.Servers != nil:
			a.session = true
			line(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"a-1","models":{"currentModelId":"auto","availableModels":[{"modelId":"auto","name":"Auto"},{"modelId":"m1","name":"M"},{"modelId":"m2","name":"M"},{"modelId":"m3","name":"M"},{"modelId":"m4","name":"M"}]}}}`, m.ID)
		case m.Method == "session/set_model" && a.session && p.Session == "a-1" && p.Model != "":
			a.model = p.Model
			line(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		case m.Method == "session/prompt" && a.session && p.Session == "a-1" && wholeText(p.Prompt) != "":
			if err := a.prompt(m.ID, wholeText(p.Prompt)); err != nil {
				return err
			}
		default:
			line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Invalid params"}}`, m.ID)
		}
	}
}

func (a *agent) read() (rpc, error) {
	raw, err := a.in.ReadBytes('\n')
	if err != nil {
		return rpc{}, io.EOF
	}
	var m rpc
	if json.Unmarshal(raw, &m) != nil || m.Version != "2.0" {
		return rpc{}, rejects(1, "Parse error: %s", raw)
	}
	return m, nil
}

// prompt answers a prompt.
func (a *agent) prompt(id json.RawMessage, prompt string) error {
	t, err := a.next(prompt)
	if err != nil {
		return err
	}
	if a.fault == OwnTool || !slices.Equal(ownTools(), []string{"glob"}) {
		if err := a.useTools(); err != nil {
			return err
		}
	}
	update := func(inside string) {
		line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a-1","update":{%s}}}`, inside)
	}
	update(`"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}`)
	all := pieces(t.text)
	for i, p := range all {
		if i == cut(all) {
			if err := a.broke(); err != nil {
				return err
			}
		}
		update(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + quote(p) + `}`)
	}
	if t.failed != "" {
		line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"Internal failure","data":{"details":%s}}}`, id,
			quote(complaint(t.failed)))
		return nil
	}
	line(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":%d,"output_tokens":%d}}}}}`, id, t.usage.Input, t.usage.Output)
	return nil
}

// useTools asks permission for one of the agent's tools, and reads a file through the client.
func (a *agent) useTools() error {
	line(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a-1","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Bash","kind":"execute","status":"pending","content":[]}}}`)
	for i, options := range []string{
		`[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`,
		`[{"optionId":"yes","name":"Allow","kind":"allow_always"}]`} {
		line(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"a-1","toolCall":{"toolCallId":"t1","title":"Bash"},"options":%s}}`, i, options)
		m, err := a.read()
		if err != nil {
			return err
		}
		want := [][2]string{{"selected", "no"}, {"cancelled", ""}}[i]
		if got := m.Result.Outcome; string(m.ID) != fmt.Sprint(i) || [2]string{got.Outcome, got.Option} != want {
			return rejects(1, "clitest: the agent was allowed to use its tool: %+v", m)
		}
	}
	line(`{"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{"sessionId":"a-1","path":"/etc/hostname"}}`)
	m, err := a.read()
	if err != nil {
		return err
	}
	if string(m.ID) != `"f"` || m.Error == nil || m.Error.Code != -32601 {
		return rejects(1, "clitest: the agent was given a file: %+v", m)
	}
	return nil
}
