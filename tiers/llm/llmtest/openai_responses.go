package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// responsesRequest is a request of the Responses API as Codex writes it.
type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        []responsesItem `json:"input"`
	Tools        []responsesTool `json:"tools"`
	Stream       bool            `json:"stream"`
	Previous     string          `json:"previous_response_id"`
}

// responsesItem is one item of the input; which of its fields count depends on
// its type.
type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
	Encrypted string          `json:"encrypted_content"`
}

type responsesTool struct {
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

// readResponses checks a request for a response and says what it asks.
func (w *openAI) readResponses(body []byte) (View, *refusal) {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return View{}, badChat("We could not parse the JSON body of your request: %v", err)
	}
	if bad := w.known(r.Model); bad != nil {
		return View{}, bad
	}
	if bad := r.check(); bad != nil {
		return View{}, bad
	}
	v := View{Model: r.Model, System: r.Instructions, wire: r}
	for _, t := range r.Tools {
		v.Tools = append(v.Tools, firstOf(t.Name, t.Type))
	}
	for _, item := range r.Input {
		v.addItem(item)
	}
	return v, nil
}

// check is what the Responses API refuses.
func (r responsesRequest) check() *refusal {
	switch {
	case !r.Stream:
		return badChat("this server only streams")
	case len(r.Input) == 0:
		return badChat("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.")
	case r.Previous != "":
		return badChat("Previous response with id '%s' not found.", r.Previous)
	}
	for i, t := range r.Tools {
		if t.Type == "function" && !functionName.MatchString(t.Name) {
			return badChat("Invalid 'tools[%d].name': string does not match pattern.", i)
		}
	}
	return r.checkCalls()
}

// checkCalls holds calls and their outputs together.
func (r responsesRequest) checkCalls() *refusal {
	var open []string
	for i, item := range r.Input {
		switch item.Type {
		case "function_call", "custom_tool_call":
			if item.CallID == "" || item.Name == "" {
				return badChat("Missing required parameter: 'input[%d].call_id'.", i)
			}
			open = append(open, item.CallID)
		case "function_call_output", "custom_tool_call_output":
			at := slices.Index(open, item.CallID)
			if at < 0 {
				return badChat("No tool call found for function call output with call_id %s.", item.CallID)
			}
			open = slices.Delete(open, at, at+1)
		case "", "message":
			if !slices.Contains([]string{"user", "assistant", "system", "developer"}, item.Role) {
				return badChat("Invalid value: '%s' (input[%d].role).", item.Role, i)
			}
		}
	}
	if len(open) > 0 {
		return badChat("No tool output found for function call %s.", open[0])
	}
	return nil
}

func (v *View) addItem(item responsesItem) {
	switch item.Type {
	case "", "message":
		role := "user"
		if item.Role == "assistant" {
			role = "assistant"
		}
		v.Messages = append(v.Messages, Said{Role: role, Text: itemText(item.Content)})
	case "function_call", "custom_tool_call":
		v.Messages = append(v.Messages, Said{Role: "assistant", Calls: []Call{{item.CallID, item.Name, item.Arguments + item.Input}}})
	case "function_call_output", "custom_tool_call_output":
		v.addResult(Result{Call: item.CallID, Text: itemText(item.Output)})
	case "reasoning":
		v.Messages = append(v.Messages, Said{Role: "assistant", Opaque: item.Encrypted != ""})
	}
}

// itemText is a content that is a text, or a list of parts that hold texts.
func itemText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n")
}

// prompt is what the model reads, in its order.
func (r responsesRequest) prompt() string {
	return fmt.Sprintf("%s%s%s%s", r.Model, mustJSON(r.Tools), r.Instructions, mustJSON(r.Input))
}
