package events

import "encoding/json"

// projectPrompt is the key project.system_prompt of a project document after
// changes to it, as RFC 7386 has them. What is no text, or longer than
// MaxSystemPrompt, is none.
func projectPrompt(was string, changes json.RawMessage) string {
	var document map[string]json.RawMessage
	if json.Unmarshal(changes, &document) != nil {
		return was
	}
	project, given := document["project"]
	if !given {
		return was
	}
	var table map[string]json.RawMessage
	if json.Unmarshal(project, &table) != nil || table == nil {
		return "" // null, or no table any more
	}
	raw, given := table["system_prompt"]
	if !given {
		return was
	}
	var text string
	if json.Unmarshal(raw, &text) != nil || checkPrompt(text) != nil {
		return ""
	}
	return text
}
