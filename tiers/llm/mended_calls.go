package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"manualslop/events"
)

// Mended returns the calls with arguments converted to the types that their tools ask for, where
// the model wrote the right value in the wrong type: "1" for 1, "true" for true, 1 for "1". It
// converts only top-level arguments, and only if the conversion is unambiguous.
func Mended(calls []events.ToolCall, tools []Tool) []events.ToolCall {
	out := slices.Clone(calls)
	for i, c := range out {
		at := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == c.Name })
		if at >= 0 && c.Malformed == "" {
			out[i].Args = mended(c.Args, tools[at].Schema)
		}
	}
	return out
}

func mended(args, schema json.RawMessage) json.RawMessage {
	var form struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &form) != nil || json.Unmarshal(args, &members) != nil {
		return args
	}
	changed := false
	// order-independent: each member is converted by itself
	for name, v := range members {
		if wants, single := form.Properties[name].Type.(string); single {
			if right, slip := inType(bytes.TrimSpace(v), wants); slip {
				members[name], changed = right, true
			}
		}
	}
	if !changed {
		return args
	}
	return encode(members)
}

// inType returns a value converted to the wanted type. It returns false if the value already has
// that type or the conversion is ambiguous.
func inType(v json.RawMessage, wants string) (json.RawMessage, bool) {
	var text string
	quoted := json.Unmarshal(v, &text) == nil && len(v) > 0 && v[0] == '"'
	isBool := func(s string) bool { return s == "true" || s == "false" }
	switch wants {
	case "integer":
		return json.RawMessage(text), quoted && isNumber(text) && !strings.ContainsAny(text, ".eE")
	case "number":
		return json.RawMessage(text), quoted && isNumber(text)
	case "boolean":
		return json.RawMessage(text), quoted && isBool(text)
	case "string":
		return encode(string(v)), !quoted && (isNumber(string(v)) || isBool(string(v)))
	}
	return nil, false
}

// isNumber reports whether a text is a JSON number.
func isNumber(s string) bool {
	return s != "" && strings.IndexByte("-0123456789", s[0]) >= 0 && json.Valid([]byte(s))
}
