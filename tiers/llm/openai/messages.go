package openai

import (
	"encoding/json"
	"strings"

	"manualslop/tiers/llm"
)

// message is one message on the wire.
type message struct {
	Role       string   `json:"role"`
	Content    *string  `json:"content"` // null only beside calls
	ToolCallID string   `json:"tool_call_id,omitempty"`
	ToolCalls  []called `json:"tool_calls,omitempty"`
	thought
}

// called is a call in an assistant message.
type called struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function calledFunction `json:"function"`
}

type calledFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON as a text
}

const (
	// noOutput stands for a result without text, which some servers refuse.
	noOutput = "(no output)"
	// noText stands for the text of calls alone where a server insists on one;
	// words would teach the model to say them.
	noText = " "
	// maxName limits a function's name on the wire.
	maxName = 64
)

// messages returns the conversation on the wire.
func (s Server) messages(r llm.Request) []message {
	c := conversation{server: s, origin: s.origin(r.Model), ids: map[string]string{}, taken: map[string]bool{}}
	if system := r.System(); system != "" {
		c.say(s.SystemRole, system)
	}
	for _, m := range r.Conversation() {
		switch m.Role {
		case llm.RoleUser:
			c.say("user", m.Prose())
		case llm.RoleAssistant:
			c.assistant(m)
		case llm.RoleTool:
			c.results(m)
		}
	}
	return c.out
}

// conversation is the wire's messages while they are made.
type conversation struct {
	server Server
	origin string
	ids    map[string]string // of calls: ours to that on the wire
	taken  map[string]bool   // ids on the wire
	out    []message
}

func (c *conversation) say(role, text string) {
	if text != "" {
		c.out = append(c.out, message{Role: role, Content: &text})
	}
}

// assistant adds a reply: its own message where this server and model wrote it,
// else its text and calls.
func (c *conversation) assistant(m llm.Message) {
	text, calls, own := m.Prose(), m.Calls(), c.own(m)
	out := message{Role: "assistant", thought: own.thought}
	for i, call := range calls {
		out.ToolCalls = append(out.ToolCalls, c.call(call, own.call(i)))
	}
	switch {
	case strings.TrimSpace(text) != "":
		out.Content = &text
	case len(calls) == 0:
		if out.thought.empty() {
			return // nothing of it can be said to this server
		}
		out.Content = new(string)
	case c.server.NeedsContent:
		space := noText
		out.Content = &space
	}
	if c.server.Back == BackWithCalls && len(calls) > 0 {
		out.thought.insist()
	}
	c.out = append(c.out, out)
}

// own returns what this server said itself in a message; the zero value if it
// did not.
func (c *conversation) own(m llm.Message) said {
	var own said
	if json.Unmarshal(m.OpaqueOf(c.origin), &own) != nil || len(own.ToolCalls) != len(m.Calls()) {
		return said{}
	}
	return own
}

// call returns a call under the id that its server gave it, where it is the
// first of that id, and else under ours. Arguments are the server's own where
// they are an object: others of ours stand in for what no server would read.
func (c *conversation) call(ours llm.Call, theirs called) called {
	out := called{ID: ours.ID, Type: "function", Function: calledFunction{wireName(ours.Name), string(ours.Args)}}
	if theirs.ID != "" && !c.taken[theirs.ID] {
		out.ID = theirs.ID
	}
	c.taken[out.ID] = true
	c.ids[ours.ID] = out.ID
	if isObject(theirs.Function.Arguments) {
		out.Function.Arguments = theirs.Function.Arguments
	}
	return out
}

// results adds a message for each result, and the block of changed files to the
// last of them.
func (c *conversation) results(m llm.Message) {
	alone, results := resultsOf(m)
	for _, text := range alone {
		c.say("user", text)
	}
	for _, r := range results {
		c.out = append(c.out, message{Role: "tool", Content: &r.Text, ToolCallID: c.ids[r.Call]})
	}
}

// resultsOf returns the results in a message of the tools, text after one put
// into the last of them, and texts that come before any.
func resultsOf(m llm.Message) (alone []string, results []llm.Result) {
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Result:
			if strings.TrimSpace(b.Text) == "" {
				b.Text = noOutput
			}
			results = append(results, b)
		case llm.Text:
			if last := len(results) - 1; last >= 0 {
				results[last].Text += "\n\n" + string(b)
			} else {
				alone = append(alone, string(b))
			}
		case llm.Call, llm.Opaque: // never of the tools
		}
	}
	return alone, results
}

// wireName returns the name of a function as servers take it, whatever a model
// wrote.
func wireName(name string) string { return llm.PlainName(name, "", maxName) }

func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{") && json.Valid([]byte(s))
}
