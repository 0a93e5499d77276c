package openai

import (
	"encoding/json"
	"strings"

	"manualslop/tiers/llm"
)

// responsesBody is a request of the Responses API. The server stores nothing: the input holds the
// whole conversation, and reasoning is returned encrypted. See
// https://platform.openai.com/docs/api-reference/responses/create.
type responsesBody struct {
	Model           string         `json:"model"`
	Instructions    string         `json:"instructions,omitempty"`
	Input           []any          `json:"input"`
	Tools           []responseTool `json:"tools,omitempty"`
	MaxOutputTokens int            `json:"max_output_tokens,omitempty"`
	Reasoning       *routeEffort   `json:"reasoning,omitempty"`
	Include         []string       `json:"include"`
	Store           bool           `json:"store"`
	Stream          bool           `json:"stream"`
}

// responseTool is a function. The API treats it as strict unless told otherwise, and a strict
// function must not have optional arguments.
type responseTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// encryptedReasoning asks the API to include the encrypted reasoning.
const encryptedReasoning = "reasoning.encrypted_content"

// minResponse is the minimum value of max_output_tokens.
const minResponse = 16

// responses returns the body of a request of the Responses API.
func (s Server) responses(r llm.Request) ([]byte, error) {
	if err := s.imageLimits(r.Model).Check(r); err != nil {
		return nil, err
	}
	tools, err := s.tools(r.Tools)
	if err != nil {
		return nil, err
	}
	effort, err := s.effort(r)
	if err != nil {
		return nil, err
	}
	out := responsesBody{
		Model: r.Model, Instructions: r.System(), Input: s.input(r), Include: []string{encryptedReasoning}, Stream: true,
	}
	if out.MaxOutputTokens = r.Params.MaxOutputTokens; out.MaxOutputTokens > 0 {
		out.MaxOutputTokens = max(out.MaxOutputTokens, minResponse)
	}
	if effort.ReasoningEffort != "" {
		out.Reasoning = &routeEffort{effort.ReasoningEffort}
	}
	for _, t := range tools {
		f := t.Function
		out.Tools = append(out.Tools, responseTool{Type: "function", Name: f.Name, Description: f.Description,
			Parameters: f.Parameters})
	}
	return llm.PlainJSON(out)
}

// Input items.
type (
	spoken struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []any  `json:"content"` // spokenPart or shownPart
	}
	spokenPart struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	shownPart struct {
		Type     string `json:"type"`
		ImageURL string `json:"image_url"`
		Detail   string `json:"detail"`
	}
	asked struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	output struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
)

// input returns the conversation as items.
func (s Server) input(r llm.Request) []any {
	in := input{origin: s.responseOrigin(r.Model), ids: map[string]string{}, taken: map[string]bool{}}
	for _, m := range r.Conversation() {
		switch m.Role {
		case llm.RoleUser:
			in.user(m)
		case llm.RoleAssistant:
			in.assistant(m)
		case llm.RoleTool:
			in.results(m)
		}
	}
	return in.items
}

// responseOrigin returns the origin of a model's replies on this API; only that model can decrypt
// their reasoning.
func (s Server) responseOrigin(model string) string { return s.Name + "/responses:" + model }

// input is a list of items that is being built.
type input struct {
	origin string
	ids    map[string]string // our call id to the id on the wire
	taken  map[string]bool   // ids in use on the wire
	items  []any
}

func (in *input) say(role, kind, text string) {
	if strings.TrimSpace(text) != "" {
		in.items = append(in.items, spoken{"message", role, []any{spokenPart{kind, text}}})
	}
}

// user adds a user message, in parts if it has images.
func (in *input) user(m llm.Message) {
	var parts []any
	for _, b := range pieces(m) {
		switch b := b.(type) {
		case llm.Text:
			if strings.TrimSpace(string(b)) != "" {
				parts = append(parts, spokenPart{"input_text", string(b)})
			}
		case llm.Image:
			parts = append(parts, shownPart{"input_image", b.DataURL(), imageDetail})
		case llm.Call, llm.Result, llm.Opaque: // never returned by pieces
		}
	}
	if len(parts) > 0 {
		in.items = append(in.items, spoken{"message", "user", parts})
	}
}

// assistant adds a reply: its own items if this model wrote it, else its text and calls.
func (in *input) assistant(m llm.Message) {
	calls := m.Calls()
	if own := in.own(m, calls); own != nil {
		in.items = append(in.items, own...)
		return
	}
	in.say("assistant", "output_text", m.Prose())
	for _, call := range calls {
		in.items = append(in.items, asked{"function_call", in.id(call.ID, ""), wireName(call.Name), string(call.Args)})
	}
}

// own returns the recorded items of a reply, with our arguments where the model's are not an
// object; nil for a reply that this model did not write.
func (in *input) own(m llm.Message, calls []llm.Call) []any {
	var items []item
	if json.Unmarshal(m.OpaqueOf(in.origin), &items) != nil || callsIn(items) != len(calls) {
		return nil
	}
	var out []any
	for _, it := range items {
		if it.is("function_call") {
			call := calls[0]
			calls = calls[1:]
			it.set("call_id", in.id(call.ID, it.text("call_id")))
			it.set("name", wireName(call.Name))
			if !isObject(it.text("arguments")) {
				it.set("arguments", string(call.Args))
			}
		}
		out = append(out, it)
	}
	return out
}

// maxCallID limits the id of a call. The API's own replies do not respect this limit:
// V1ki/dsh-plugin-subscriptions#29.
const maxCallID = 64

// id returns a call's id on the wire: the model's own if it is valid and not yet in use, else
// ours.
func (in *input) id(ours, theirs string) string {
	id := theirs
	if id == "" || in.taken[id] || len(id) > maxCallID {
		id = llm.PlainName(ours, "", maxCallID)
	}
	in.taken[id], in.ids[ours] = true, id
	return id
}

// results adds an output for each result. The block of changed files goes into the last one.
func (in *input) results(m llm.Message) {
	alone, results := resultsOf(m)
	for _, text := range alone {
		in.say("user", "input_text", text)
	}
	for _, r := range results {
		in.items = append(in.items, output{"function_call_output", in.ids[r.Call], r.Text})
	}
}
