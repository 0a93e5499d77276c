package main

import (
	"encoding/json"
	"strings"
)

// onePlan is a scripted model whose plan is one ticket, T-001, and whose
// contributor gives these replies one after another; each is the JSON of a
// reply, or of a whole line where it begins with {"tier".
func onePlan(replies ...string) string {
	lines := []string{
		`{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"title\":\"One\",\"description\":\"Do it\"}]"}}`,
		`{"tier":2,"reply":{"text":"[{\"id\":\"T-001\",\"description\":\"Edit\",\"depends_on\":[]}]"}}`,
	}
	for _, r := range replies {
		if !strings.HasPrefix(r, `{"tier"`) {
			r = `{"tier":3,"ticket":"T-001","reply":` + r + `}`
		}
		lines = append(lines, r)
	}
	return strings.Join(lines, "\n") + "\n"
}

// says is a reply without calls.
func says(text string) string {
	b, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// calls is a reply that calls one tool.
func calls(tool string, args map[string]any) string {
	b, err := json.Marshal(map[string]any{"text": "I use " + tool + ".", "tool_calls": []any{map[string]any{"name": tool,
		"args": args}}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// edits is a reply that replaces one word of a file.
func edits(path, from, to string) string {
	return calls("edit_file", map[string]any{"path": path, "old_string": from, "new_string": to})
}

// when is a line of the contributor that answers only where the newest message
// holds a text.
func when(contains, reply string) string {
	b, err := json.Marshal(contains)
	if err != nil {
		panic(err)
	}
	return `{"tier":3,"ticket":"T-001","contains":` + string(b) + `,"reply":` + reply + `}`
}
