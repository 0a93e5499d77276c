package llmtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// chatRequest is a request as a Chat Completions server parses it.
type chatRequest struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Tools         []chatTool    `json:"tools"`
	Parallel      bool          `json:"parallel_tool_calls"`
	MaxTokens     *int          `json:"max_tokens"`
	MaxCompletion *int          `json:"max_completion_tokens"`
	Split         bool          `json:"reasoning_split"`
	Stream        bool          `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Thinking *struct {
		Type string `json:"type"`
	} `json:"thinking"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	Effort      string   `json:"reasoning_effort"`
}

type chatMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	ToolCallID       string          `json:"tool_call_id"`
	ToolCalls        []chatCall      `json:"tool_calls"`
	ReasoningContent *string         `json:"reasoning_content"`
	Reasoning        *string         `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// text returns the content as text; empty if it is null or missing.
func (m chatMessage) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var texts []string
	for _, p := range m.parts() {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// chatPart is a part of a user's content.
type chatPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

// parts returns the parts of a content that is a list; nil for any other content.
func (m chatMessage) parts() []chatPart {
	var out []chatPart
	_ = json.Unmarshal(m.Content, &out) // checkContent has checked it
	return out
}

func badChat(format string, args ...any) *refusal { return refuse(fmt.Sprintf(format, args...)) }

// readChat parses and checks a request as a server of this flavour does.
func (f Flavour) readChat(body []byte) (chatRequest, *refusal) {
	var r chatRequest
	if f.KnownFieldsOnly {
		if bad := onlyKnown(body); bad != nil {
			return r, bad
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return r, badChat("We could not parse the JSON body of your request: %v", err)
	}
	for _, check := range []func(chatRequest) *refusal{f.checkShape, f.checkReasoning, f.checkTools, f.checkTurns,
		f.checkMessages} {
		if bad := check(r); bad != nil {
			return r, bad
		}
	}
	return r, nil
}

// onlyKnown rejects fields that OpenAI does not document.
func onlyKnown(body []byte) *refusal {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return nil // parsed again and rejected by the caller
	}
	known := []string{
		"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "max_completion_tokens", "max_tokens",
		"temperature", "top_p", "stream", "stream_options",
		"reasoning_effort", "response_format", "prompt_cache_key", "seed", "stop", "user", "n",
	}
	for key := range top {
		if !slices.Contains(known, key) {
			return badChat("Unrecognized request argument supplied: %s", key)
		}
	}
	if bytes.Contains(body, []byte(`"reasoning_content":`)) || bytes.Contains(body, []byte(`"reasoning_details":`)) {
		return badChat("Unknown parameter: 'messages[].reasoning'.")
	}
	return nil
}

func (f Flavour) checkShape(r chatRequest) *refusal {
	switch {
	case len(r.Messages) == 0:
		return badChat("Invalid 'messages': empty array.")
	case !r.Stream:
		return badChat("this server only streams")
	case f.CompletionTokens && r.MaxTokens != nil:
		return badChat("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' " +
			"instead.")
	case r.MaxTokens != nil && *r.MaxTokens < 1, r.MaxCompletion != nil && *r.MaxCompletion < 1:
		return badChat("max_tokens must be at least 1")
	}
	return nil
}

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (f Flavour) checkTools(r chatRequest) *refusal {
	if f.MaxTools > 0 && len(r.Tools) > f.MaxTools {
		return badChat("Invalid 'tools': array too long. Expected an array with maximum length %d.", f.MaxTools)
	}
	if r.Parallel && len(r.Tools) == 0 {
		return badChat("Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are " +
			"specified.")
	}
	seen := map[string]bool{}
	for i, t := range r.Tools {
		var schema map[string]any
		switch {
		case t.Type != "function" || !functionName.MatchString(t.Function.Name):
			return badChat("Invalid 'tools[%d].function.name': string does not match pattern.", i)
		case seen[t.Function.Name]:
			return badChat("Tool names must be unique: %s", t.Function.Name)
		case json.Unmarshal(t.Function.Parameters, &schema) != nil || schema["type"] != "object":
			return badChat("Invalid schema for function '%s': schema must have type 'object'.", t.Function.Name)
		}
		seen[t.Function.Name] = true
	}
	return nil
}

// checkTurns checks that calls and results match.
func (f Flavour) checkTurns(r chatRequest) *refusal {
	var open []string
	for i, m := range r.Messages {
		if m.Role == "tool" {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return badChat("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "+
					"'tool_calls' (messages[%d]).", i)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return badChat("An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
				"'tool_call_id'. The following tool_call_ids did not have response messages: %v", open)
		}
		for _, c := range m.ToolCalls {
			if slices.Contains(open, c.ID) {
				return badChat("Duplicate tool call id %q in messages[%d].", c.ID, i)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return badChat("An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
			"'tool_call_id'. The following tool_call_ids did not have response messages: %v", open)
	}
	return nil
}

func (f Flavour) checkMessages(r chatRequest) *refusal {
	for i, m := range r.Messages {
		if bad := f.checkRole(i, m); bad != nil {
			return bad
		}
		if bad := f.checkContent(i, m); bad != nil {
			return bad
		}
		if bad := f.checkCalls(i, m); bad != nil {
			return bad
		}
		if bad := f.checkThoughts(i, m); bad != nil {
			return bad
		}
		thinks := r.Thinking == nil || r.Thinking.Type != "disabled"
		if f.ReasoningBack && thinks && len(m.ToolCalls) > 0 && m.ReasoningContent == nil {
			return badChat("The `reasoning_content` in the thinking mode must be passed back to the API. (messages[%d])", i)
		}
	}
	return nil
}

// checkThoughts rejects reasoning in a field that this server does not read.
func (f Flavour) checkThoughts(i int, m chatMessage) *refusal {
	told := map[string]bool{
		"reasoning_content": m.ReasoningContent != nil && *m.ReasoningContent != "",
		"reasoning":         m.Reasoning != nil && *m.Reasoning != "",
		"reasoning_details": len(m.ReasoningDetails) > 0,
	}
	for _, field := range []string{"reasoning_content", "reasoning", "reasoning_details"} {
		if told[field] && (!f.ThoughtsBack || f.Reasoning != field || m.Role != "assistant") {
			return badChat("llmtest: %s does not support %s in messages[%d]", f.Name, field, i)
		}
	}
	return nil
}

func (f Flavour) checkRole(i int, m chatMessage) *refusal {
	allowed := []string{"system", "user", "assistant", "tool"}
	if f.Name == "openai" {
		allowed = append(allowed, "developer")
	}
	switch {
	case !slices.Contains(allowed, m.Role):
		return badChat("Invalid value: '%s'. Supported values are: %v (messages[%d].role).", m.Role, allowed, i)
	case m.Role == "system" && i > 0 && f.StopsWithCalls: // as templates of local models do
		return badChat("System message must be at the beginning.")
	case len(m.ToolCalls) > 0 && m.Role != "assistant":
		return badChat("'tool_calls' is only allowed for role 'assistant' (messages[%d]).", i)
	}
	return nil
}

func (f Flavour) checkContent(i int, m chatMessage) *refusal {
	var s *string
	if len(m.Content) > 0 && json.Unmarshal(m.Content, &s) != nil {
		return checkChatParts(i, m)
	}
	switch {
	case f.Content && (s == nil || *s == ""):
		return badChat("Invalid request content: Each message must have at least one content element.")
	case s == nil && len(m.ToolCalls) == 0:
		return badChat("Invalid value for 'content': expected a string, got null. (messages[%d])", i)
	case s != nil && *s == "" && m.Role == "user":
		return badChat("user messages must not be empty (messages[%d])", i)
	}
	return nil
}

// checkChatParts checks content parts; only user messages may have images.
func checkChatParts(i int, m chatMessage) *refusal {
	if m.Role != "user" || len(m.parts()) == 0 {
		return badChat("Invalid value for 'content': expected a string (messages[%d])", i)
	}
	for j, p := range m.parts() {
		switch {
		case p.Type == "text" && p.Text != "":
		case p.Type == "image_url" && p.ImageURL != nil && slices.Contains([]string{"", "low", "high", "auto"},
			p.ImageURL.Detail):
			if _, reason := imageAt(p.ImageURL.URL); reason != "" {
				return badChat("Invalid image in messages[%d].content[%d]: %s", i, j, reason)
			}
		default:
			return badChat("Invalid value in messages[%d].content[%d]: '%s'.", i, j, p.Type)
		}
	}
	return nil
}

// maxChatID is OpenAI's limit for the id of a call.
const maxChatID = 40

func (f Flavour) checkCalls(i int, m chatMessage) *refusal {
	for j, c := range m.ToolCalls {
		var args map[string]any
		switch {
		case c.ID == "" || len(c.ID) > maxChatID:
			return badChat("Invalid 'messages[%d].tool_calls[%d].id': string of 1 to %d characters expected.", i, j, maxChatID)
		case c.Type != "function" || !functionName.MatchString(c.Function.Name):
			return badChat("Invalid 'messages[%d].tool_calls[%d].function.name': string does not match pattern.", i, j)
		case json.Unmarshal([]byte(c.Function.Arguments), &args) != nil:
			return badChat("Failed to parse tool call arguments as JSON (messages[%d].tool_calls[%d]).", i, j)
		}
	}
	return nil
}

// readChat checks a request for a completion and returns its view.
func (w *openAI) readChat(body []byte) (View, *refusal) {
	r, bad := w.flavour.readChat(body)
	if bad != nil {
		return View{}, bad
	}
	if bad := w.known(r.Model); bad != nil {
		return View{}, bad
	}
	v := View{Model: r.Model, Limit: cmp.Or(limitOf(r.MaxTokens), limitOf(r.MaxCompletion)), wire: r}
	for _, t := range r.Tools {
		v.Tools = append(v.Tools, t.Function.Name)
	}
	for i, m := range r.Messages {
		if i == 0 && (m.Role == "system" || m.Role == "developer") {
			v.System = m.text()
			continue
		}
		v.add(m)
	}
	return v, nil
}

// add adds a message; consecutive results become one message.
func (v *View) add(m chatMessage) {
	if m.Role == "tool" {
		v.addResult(Result{Call: m.ToolCallID, Text: m.text()})
		return
	}
	out := Said{Role: "user", Text: m.text()}
	if m.Role == "assistant" {
		out.Role = "assistant"
		out.Opaque = m.ReasoningContent != nil && *m.ReasoningContent != "" || m.Reasoning != nil ||
			len(m.ReasoningDetails) > 0
	}
	for _, p := range m.parts() {
		if p.ImageURL != nil {
			shown, _ := imageAt(p.ImageURL.URL) // it was checked before
			out.Images = append(out.Images, shown)
		}
	}
	for _, c := range m.ToolCalls {
		out.Calls = append(out.Calls, Call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	v.Messages = append(v.Messages, out)
}

func (v *View) addResult(r Result) {
	last := len(v.Messages) - 1
	if last < 0 || len(v.Messages[last].Results) == 0 {
		v.Messages = append(v.Messages, Said{Role: "user"})
		last++
	}
	m := &v.Messages[last]
	m.Results = append(m.Results, r)
	m.Text = strings.TrimPrefix(m.Text+"\n"+r.Text, "\n")
}

// prompt returns the model's input in order: tools, then messages.
func (r chatRequest) prompt() string {
	var b strings.Builder
	b.WriteString(r.Model)
	for _, t := range r.Tools {
		b.Write(mustJSON(t))
	}
	for _, m := range r.Messages {
		b.Write(mustJSON(m))
	}
	return b.String()
}
