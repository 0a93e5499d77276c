package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"manualslop/tiers/llm"
)

// message is one message of the request.
type message struct {
	Role       string   `json:"role"`
	Content    any      `json:"content"` // *string, null only with calls; or []contentPart
	ToolCallID string   `json:"tool_call_id,omitempty"`
	ToolCalls  []called `json:"tool_calls,omitempty"`
	thought
}

// contentPart is a text or an image in a user message.
type contentPart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail"`
}

// imageDetail is the level of detail at which models view images.
const imageDetail = "high"

// imageLimits returns the limits for images in requests to a model; see
// https://platform.openai.com/docs/guides/images-vision.
func (s Server) imageLimits(model string) llm.ImageLimits {
	return llm.ImageLimits{Vendor: s.Name, None: s.Blind || s.family(model).Blind, Count: 500, Each: 20 << 20,
		All: 50 << 20}
}

// pieces returns the texts and images of a message in order. Consecutive texts are joined by blank
// lines.
func pieces(m llm.Message) []llm.Block {
	var out []llm.Block
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Text:
			if last := len(out) - 1; last >= 0 {
				if before, is := out[last].(llm.Text); is {
					out[last] = before + "\n\n" + b
					continue
				}
			}
			out = append(out, b)
		case llm.Image:
			out = append(out, b)
		case llm.Call, llm.Result, llm.Opaque: // a user message has none of these
		}
	}
	return out
}

// called is a call in an assistant message.
type called struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function calledFunction `json:"function"`
}

type calledFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON in a string
}

const (
	// noOutput replaces the empty text of a result, which some servers reject.
	noOutput = "(no output)"
	// noText replaces the missing text of a message with only calls, for servers that require one;
	// a word would teach the model to say it.
	noText = " "
	// maxName limits a function's name in the API.
	maxName = 64
)

// messages returns the conversation in the API's format.
func (s Server) messages(r llm.Request) []message {
	c := conversation{server: s, origin: s.origin(r.Model), ids: map[string]string{}, taken: map[string]bool{}}
	if system := r.System(); system != "" {
		c.say(s.SystemRole, system)
	}
	for _, m := range r.Conversation() {
		switch m.Role {
		case llm.RoleUser:
			c.user(m)
		case llm.RoleAssistant:
			c.assistant(m)
		case llm.RoleTool:
			c.results(m)
		}
	}
	return c.out
}

// conversation is a list of messages that is being built.
type conversation struct {
	server Server
	origin string
	ids    map[string]string // our call id to the id on the wire
	taken  map[string]bool   // ids in use on the wire
	out    []message
}

func (c *conversation) say(role, text string) {
	if text != "" {
		c.out = append(c.out, message{Role: role, Content: &text})
	}
}

// user adds a user message, in parts if it has images.
func (c *conversation) user(m llm.Message) {
	said := pieces(m)
	if !slices.ContainsFunc(said, isImage) {
		c.say("user", m.Prose())
		return
	}
	parts := make([]contentPart, len(said))
	for i, b := range said {
		switch b := b.(type) {
		case llm.Text:
			parts[i] = contentPart{Type: "text", Text: string(b)}
		case llm.Image:
			parts[i] = contentPart{Type: "image_url", ImageURL: &imageURL{b.DataURL(), imageDetail}}
		case llm.Call, llm.Result, llm.Opaque: // never returned by pieces
		}
	}
	c.out = append(c.out, message{Role: "user", Content: parts})
}

func isImage(b llm.Block) bool { _, is := b.(llm.Image); return is }

// assistant adds a reply: verbatim if this server and model wrote it, else its text and calls.
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
			return // nothing of it can be sent to this server
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

// own returns the server's own form of a message; the zero value if this server did not write it.
func (c *conversation) own(m llm.Message) said {
	var own said
	if json.Unmarshal(m.OpaqueOf(c.origin), &own) != nil || len(own.ToolCalls) != len(m.Calls()) {
		return said{}
	}
	return own
}

// call returns a call with the id that its server gave it, unless that id is already in use; then
// it gets ours. The arguments are the server's own if they are an object, else ours, because no
// server would accept the others.
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

// results adds a message for each result. The block of changed files goes into the last one.
func (c *conversation) results(m llm.Message) {
	alone, results := resultsOf(m)
	for _, text := range alone {
		c.say("user", text)
	}
	for _, r := range results {
		c.out = append(c.out, message{Role: "tool", Content: &r.Text, ToolCallID: c.ids[r.Call]})
	}
}

// resultsOf returns the results in a tool message, with the text that follows them appended to the
// last one, and the texts that come before any result.
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
		case llm.Call, llm.Opaque, llm.Image: // a tool message has none of these
		}
	}
	return alone, results
}

// wireName returns a function name in a form that servers accept, whatever the model wrote.
func wireName(name string) string { return llm.PlainName(name, "", maxName) }

func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{") && json.Valid([]byte(s))
}
