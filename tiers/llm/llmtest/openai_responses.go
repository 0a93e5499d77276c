package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
)

// responsesRequest is a request of the Responses API.
type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        []responsesItem `json:"input"`
	Tools        []responsesTool `json:"tools"`
	Stream       bool            `json:"stream"`
	Store        *bool           `json:"store"`
	Include      []string        `json:"include"`
	Previous     string          `json:"previous_response_id"`
	MaxOutput    *int            `json:"max_output_tokens"`
	Temperature  *float64        `json:"temperature"`
	TopP         *float64        `json:"top_p"`
	Reasoning    *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
}

// responsesItem is one input item; its type decides which of its fields are used.
type responsesItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
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
	Strict     *bool           `json:"strict"`
}

// readResponses checks a request for a response and returns its view.
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
	v := View{Model: r.Model, System: r.Instructions, Limit: limitOf(r.MaxOutput), wire: r}
	for _, t := range r.Tools {
		v.Tools = append(v.Tools, firstOf(t.Name, t.Type))
	}
	for _, item := range r.Input {
		v.addItem(item)
	}
	return v, nil
}

// check returns an error if the Responses API would reject the request. Sources:
// https://platform.openai.com/docs/api-reference/responses/create,
// https://platform.openai.com/docs/guides/reasoning and the reports named
// at the checks.
func (r responsesRequest) check() *refusal {
	for _, check := range []func() *refusal{r.checkShape, r.checkTools, r.checkReasoning, r.checkItems, r.checkCalls} {
		if bad := check(); bad != nil {
			return bad
		}
	}
	return nil
}

func (r responsesRequest) checkShape() *refusal {
	switch {
	case !r.Stream:
		return badChat("this server only streams")
	case len(r.Input) == 0:
		return badChat("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.")
	case r.Previous != "":
		return badChat("Previous response with id '%s' not found.", r.Previous)
	}
	if r.MaxOutput != nil && *r.MaxOutput < 16 {
		return badChat("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d instead.", *r.MaxOutput)
	}
	return nil
}

// checkTools checks the functions, which are strict unless they say otherwise.
func (r responsesRequest) checkTools() *refusal {
	for i, t := range r.Tools {
		if t.Type != "function" {
			continue
		}
		var schema struct {
			AdditionalProperties *bool `json:"additionalProperties"`
		}
		switch {
		case !functionName.MatchString(t.Name):
			return badChat("Invalid 'tools[%d].name': string does not match pattern.", i)
		case t.Strict != nil && !*t.Strict:
		case json.Unmarshal(t.Parameters, &schema) != nil || schema.AdditionalProperties == nil ||
			*schema.AdditionalProperties:
			return badChat("Invalid schema for function '%s': In context=(), "+
				"'additionalProperties' is required to be supplied and to be false.", t.Name)
		}
	}
	return nil
}

// checkReasoning rejects what reasoning models do not accept.
func (r responsesRequest) checkReasoning() *refusal {
	efforts := openAIEfforts(r.Model)
	switch {
	case efforts == nil:
		return nil
	case r.Temperature != nil:
		return badChat("Unsupported parameter: 'temperature' is not supported with this model.")
	case r.TopP != nil:
		return badChat("Unsupported parameter: 'top_p' is not supported with this model.")
	case r.Reasoning != nil && r.Reasoning.Effort != "" && !slices.Contains(efforts, r.Reasoning.Effort):
		return badChat("Unsupported value: '%s' is not supported with the '%s' model. Supported values are: %v.",
			r.Reasoning.Effort, r.Model, efforts)
	}
	return nil
}

// checkItems checks each item on its own. If nothing is stored, the API rejects every id that it
// has to look up: https://github.com/vercel/ai/issues/7543,
// https://github.com/maximhq/bifrost/issues/5410.
func (r responsesRequest) checkItems() *refusal {
	stored := r.Store == nil || *r.Store
	for i, item := range r.Input {
		switch {
		// codex 0.169 sends ids for messages of the user and the developer
		case item.ID != "" && item.Role != "user" && item.Role != "developer" && !stored:
			return badChat("Item with id '%s' not found. Items are not persisted when `store` is set to false. "+
				"Try again with `store` set to true, or remove this item from your input.", item.ID)
		case item.Type == "reasoning" && !isSigned(r.Model, item.Encrypted):
			return badChat("The encrypted content for item rs could not be verified. " +
				"Reason: Encrypted content could not be decrypted or parsed.")
		case item.Type == "reasoning" && (i+1 == len(r.Input) || !r.Input[i+1].byModel()):
			return badChat("Item of type 'reasoning' was provided without its required following item.")
		case item.Type == "function_call" && !json.Valid([]byte(item.Arguments)):
			return badChat("Invalid 'input[%d].arguments': expected JSON.", i)
		case len(imagesOf(item.Content)) > 0 && item.Role != "user":
			return badChat("Invalid 'input[%d].content': only users have images.", i)
		case item.byModel() && item.Type == "message" && itemText(item.Content) == "":
			return badChat("Invalid 'input[%d].content': empty text.", i)
		}
		for _, p := range imagesOf(item.Content) {
			if _, reason := imageAt(p.ImageURL); reason != "" || !slices.Contains([]string{"low", "high", "auto"}, p.Detail) {
				return badChat("Invalid 'input[%d].content': %s", i, firstOf(reason, "the detail is not known"))
			}
		}
	}
	return nil
}

// byModel reports whether an item is part of a reply.
func (i responsesItem) byModel() bool {
	return i.Role == "assistant" || slices.Contains([]string{"reasoning", "function_call", "custom_tool_call"}, i.Type)
}

// checkCalls checks that calls and their outputs match.
func (r responsesRequest) checkCalls() *refusal {
	var open []string
	for i, item := range r.Input {
		switch item.Type {
		case "function_call", "custom_tool_call":
			if item.CallID == "" || item.Name == "" {
				return badChat("Missing required parameter: 'input[%d].call_id'.", i)
			}
			if len(item.CallID) > 64 { // https://github.com/decolua/9router/issues/393
				return badChat("Invalid 'input[%d].call_id': string too long. Expected a string with maximum length 64, but got "+
					"a string with length %d instead.", i, len(item.CallID))
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
	switch {
	case item.byModel():
		m := v.reply()
		m.Text = strings.TrimPrefix(m.Text+"\n"+itemText(item.Content), "\n")
		m.Opaque = m.Opaque || item.Encrypted != ""
		if item.CallID != "" {
			m.Calls = append(m.Calls, Call{item.CallID, item.Name, item.Arguments + item.Input})
		}
	case item.Type == "", item.Type == "message":
		out := Said{Role: "user", Text: itemText(item.Content)}
		for _, p := range imagesOf(item.Content) {
			shown, _ := imageAt(p.ImageURL) // it was checked before
			out.Images = append(out.Images, shown)
		}
		v.Messages = append(v.Messages, out)
	case item.Type == "function_call_output", item.Type == "custom_tool_call_output":
		v.addResult(Result{Call: item.CallID, Text: itemText(item.Output)})
	}
}

// reply returns the last message if it is the assistant's, else a new one, because the items of a
// reply are consecutive.
func (v *View) reply() *Said {
	if n := len(v.Messages); n == 0 || v.Messages[n-1].Role != "assistant" {
		v.Messages = append(v.Messages, Said{Role: "assistant"})
	}
	return &v.Messages[len(v.Messages)-1]
}

// responsesPart is a part of a content.
type responsesPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
	Detail   string `json:"detail"`
}

// imagesOf returns the images of a content.
func imagesOf(raw json.RawMessage) (out []responsesPart) {
	var parts []responsesPart
	_ = json.Unmarshal(raw, &parts) // of a text, there are none
	for _, p := range parts {
		if p.Type == "input_image" {
			out = append(out, p)
		}
	}
	return out
}

// itemText returns the text of a content that is a string or a list of parts with texts.
func itemText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []responsesPart
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	var texts []string
	for _, p := range parts {
		if p.Type != "input_image" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// prompt returns the model's input in order.
func (r responsesRequest) prompt() string {
	return fmt.Sprintf("%s%s%s%s", r.Model, mustJSON(r.Tools), r.Instructions, mustJSON(r.Input))
}

// responseID is the id of every response.
const responseID = "resp_llmtest"

// responsesStream builds the events of a response.
type responsesStream struct {
	model string
	turn  Turn
	out   []string
	items []any
}

// responsesFrames returns the events of a complete response.
func responsesFrames(r responsesRequest, t Turn, u events.Usage) []string {
	s := &responsesStream{model: r.Model, turn: t}
	s.event("response.created", map[string]any{"response": s.response("in_progress", nil)})
	if t.Fault == UnknownEvents {
		s.event("response.notice", map[string]any{"notice": []int{1, 2}})
	}
	if t.Thinking != "" && slices.Contains(r.Include, "reasoning.encrypted_content") {
		s.item(map[string]any{"type": "reasoning", "id": "rs_llmtest", "summary": []any{}, "encrypted_content": t.Thinking +
			sign(r.Model, t.Thinking)})
	}
	switch {
	case t.Fault == Refusal:
		s.message(map[string]any{"type": "refusal", "refusal": "I cannot help with that."}, nil)
	case t.Text != "":
		s.message(map[string]any{"type": "output_text", "text": t.Text, "annotations": []any{}}, t.pieces(t.Text))
	}
	for i, c := range t.Calls {
		s.call(i, c)
	}
	s.end(u)
	return s.out
}

func (s *responsesStream) response(status string, usage any) map[string]any {
	out := map[string]any{"id": responseID, "object": "response", "created_at": 1700000000, "model": s.model,
		"status": status, "output": s.items}
	if s.items == nil {
		out["output"] = []any{}
	}
	if usage != nil {
		out["usage"] = usage
	}
	return out
}

func (s *responsesStream) event(name string, fields map[string]any) {
	fields["type"], fields["sequence_number"] = name, len(s.out)
	s.out = append(s.out, "event: "+name+"\n"+chatEvent(fields))
}

// item writes an item in one piece.
func (s *responsesStream) item(item map[string]any) {
	s.event("response.output_item.added", map[string]any{"output_index": len(s.items), "item": item})
	s.event("response.output_item.done", map[string]any{"output_index": len(s.items), "item": item})
	s.items = append(s.items, item)
}

// message writes a message with one part, after the pieces of that part.
func (s *responsesStream) message(part map[string]any, pieces []string) {
	at, id := len(s.items), fmt.Sprintf("msg_llmtest_%d", len(s.items))
	item := func(status string, content []any) map[string]any {
		return map[string]any{"type": "message", "id": id, "role": "assistant", "status": status, "content": content}
	}
	s.event("response.output_item.added", map[string]any{"output_index": at, "item": item("in_progress", []any{})})
	for _, piece := range pieces {
		s.event("response.output_text.delta", map[string]any{"output_index": at, "item_id": id, "content_index": 0,
			"delta": piece})
	}
	done := item("completed", []any{part})
	s.event("response.output_item.done", map[string]any{"output_index": at, "item": done})
	s.items = append(s.items, done)
}

// call writes a function call.
func (s *responsesStream) call(i int, c Call) {
	at, id := len(s.items), fmt.Sprintf("fc_llmtest_%d", i)
	item := func(status, arguments string) map[string]any {
		return map[string]any{"type": "function_call", "id": id, "call_id": c.ID, "name": c.Name, "arguments": arguments,
			"status": status}
	}
	s.event("response.output_item.added", map[string]any{"output_index": at, "item": item("in_progress", "")})
	for _, piece := range s.turn.pieces(c.Args) {
		s.event("response.function_call_arguments.delta", map[string]any{"output_index": at, "item_id": id, "delta": piece})
	}
	status := "completed"
	if s.turn.Fault == CutInCall && i == len(s.turn.Calls)-1 {
		status = "incomplete"
	}
	done := item(status, c.Args)
	s.event("response.output_item.done", map[string]any{"output_index": at, "item": done})
	s.items = append(s.items, done)
}

// end writes the last event.
func (s *responsesStream) end(u events.Usage) {
	usage := map[string]any{
		"input_tokens": u.Prompt(), "input_tokens_details": map[string]any{"cached_tokens": u.CacheRead},
		"output_tokens": u.Output, "output_tokens_details": map[string]any{"reasoning_tokens": u.Thinking},
		"total_tokens": u.Prompt() + u.Output,
	}
	if s.turn.Fault == NoUsage {
		usage = nil
	}
	if s.turn.Fault == CutInCall || s.turn.cut {
		out := s.response("incomplete", usage)
		out["incomplete_details"] = map[string]any{"reason": "max_output_tokens"}
		s.event("response.incomplete", map[string]any{"response": out})
		return
	}
	s.event("response.completed", map[string]any{"response": s.response("completed", usage)})
}
