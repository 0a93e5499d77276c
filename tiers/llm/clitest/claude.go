package clitest

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// claude plays Claude Code with JSON streams in both directions.
func claude(f *fake) error {
	o, err := claudeOptions(f.args)
	if err != nil {
		return err
	}
	if os.Getenv("CLAUDECODE") != "" {
		return rejects(1, "Error: Claude Code cannot be launched inside another Claude Code session.")
	}
	for _, off := range []string{"ATTACHMENTS", "AUTO_MEMORY", "CLAUDE_MDS"} {
		if os.Getenv("CLAUDE_CODE_DISABLE_"+off) != "1" {
			return rejects(1, "clitest: the program would add other text to the prompt: %s", off)
		}
	}
	in := bufio.NewReaderSize(f.in, 16<<20)
	prompt, err := userMessage(in)
	if err != nil {
		return err
	}
	t, err := f.next(prompt)
	if err != nil {
		return err
	}
	line(`{"type":"system","subtype":"init","session_id":"k-1","model":%s,"tools":[]}`, quote(o["--model"]))
	if tools, off := o["--tools"]; f.fault == OwnTool || !off || tools != "" {
		line(`{"type":"assistant","message":{"model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]},"parent_tool_use_id":null,"session_id":"k-1"}`)
		line(`{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t1"}}`)
		if err := denied(in, "r1"); err != nil {
			return err
		}
	}
	all := pieces(t.text)
	for i, p := range all {
		if i == cut(all) {
			if err := f.broke(); err != nil {
				return err
			}
		}
		line(`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}},"parent_tool_use_id":null,"session_id":"k-1"}`, quote(p))
	}
	line(`{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":%s}]},"parent_tool_use_id":null,"session_id":"k-1"}`, quote(t.text))
	claudeResult(t)
	if _, err := in.ReadByte(); err == nil {
		return rejects(1, "clitest: there is more input after the result")
	}
	return nil
}

// claudeResult writes the last line.
func claudeResult(t turn) {
	if t.failed != "" {
		line(`{"type":"result","subtype":"success","is_error":true,"result":%s,"session_id":"k-1","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0}}`, quote(complaint(t.failed)))
		return
	}
	u := t.usage
	line(`{"type":"result","subtype":"success","is_error":false,"result":%s,"session_id":"k-1","total_cost_usd":0.0123456,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}}`,
		quote(t.text), u.Input, u.CacheWrite, u.CacheRead, u.Output)
}

// textBlock is a part of a prompt.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// wholeText joins the texts of a prompt; empty if a part is not text.
func wholeText(blocks []textBlock) string {
	var out strings.Builder
	for _, b := range blocks {
		if b.Type != "text" || b.Text == "" {
			return ""
		}
		out.WriteString(b.Text)
	}
	return out.String()
}

// userMessage reads the prompt.
func userMessage(in *bufio.Reader) (string, error) {
	raw, err := in.ReadBytes('\n')
	if err != nil {
		return "", rejects(1, "Error: Input must be provided")
	}
	var m struct {
		Type    string `json:"type"`
		Message struct {
			Role    string      `json:"role"`
			Content []textBlock `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Type != "user" || m.Message.Role != "user" ||
		wholeText(m.Message.Content) == "" {
		return "", rejects(1, "Error: Expected message type 'user' with a role and content")
	}
	return wholeText(m.Message.Content), nil
}

// denied reads the answer to a control request. The real program waits forever for an answer
// without request_id inside response.
func denied(in *bufio.Reader, id string) error {
	raw, err := in.ReadBytes('\n')
	if err != nil {
		return rejects(1, "clitest: no answer to a control request")
	}
	var m struct {
		Type     string `json:"type"`
		Response struct {
			Subtype   string `json:"subtype"`
			RequestID string `json:"request_id"`
			Response  struct {
				Behavior string `json:"behavior"`
				Message  string `json:"message"`
			} `json:"response"`
		} `json:"response"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Type != "control_response" || m.Response.RequestID != id ||
		m.Response.Subtype != "success" {
		return rejects(1, "clitest: the program would wait forever: %s", raw)
	}
	if m.Response.Response.Behavior != "deny" || m.Response.Response.Message == "" {
		return rejects(1, "clitest: the program was allowed to use its tool: %s", raw)
	}
	return nil
}

// claudeOptions rejects options that the program does not know, and combinations that it does not
// accept.
func claudeOptions(args []string) (map[string]string, error) {
	with := []string{"--output-format", "--input-format", "--permission-prompt-tool", "--tools", "--setting-sources",
		"--system-prompt", "--model"}
	alone := []string{"-p", "--verbose", "--include-partial-messages", "--strict-mcp-config", "--disable-slash-commands",
		"--no-session-persistence"}
	o := map[string]string{}
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		switch {
		case slices.Contains(with, name) && joined:
		case slices.Contains(with, name):
			if len(args) == 0 {
				return nil, rejects(1, "error: option '%s' argument missing", name)
			}
			value, args = args[0], args[1:]
		case !slices.Contains(alone, name):
			return nil, rejects(1, "error: unknown option '%s'", name)
		}
		o[name] = value
	}
	_, print := o["-p"]
	_, verbose := o["--verbose"]
	switch {
	case !print || o["--output-format"] != "stream-json":
		return nil, rejects(1, "clitest: the program would not write lines of JSON")
	case !verbose:
		return nil, rejects(1, "Error: When using --print, --output-format=stream-json requires --verbose")
	case o["--input-format"] != "stream-json" || o["--permission-prompt-tool"] != "stdio":
		return nil, rejects(1, "clitest: the program would not ask for permission")
	}
	return o, nil
}
