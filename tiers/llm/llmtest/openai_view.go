package llmtest

import (
	"cmp"
	"strings"
)

// readChat checks a request for a completion and says what it asks.
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

// add takes a message; results that stand beside each other are one message.
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

// prompt is what the model reads, in its order: tools, then messages.
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
