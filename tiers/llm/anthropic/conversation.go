package anthropic

import (
	"encoding/json"

	"manualslop/tiers/llm"
)

// message is one turn: of the user, with results and texts, or of the assistant.
type message struct {
	role    string
	content []*block
}

// turn is a message on the wire: each of its blocks is a *block, or one of the vendor's blocks
// verbatim.
type turn struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

// block is one block of content.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      any             `json:"content,omitempty"` // of a result: its text, or []part
	IsError      bool            `json:"is_error,omitempty"`
	Source       *source         `json:"source,omitempty"` // for an image
	CacheControl *mark           `json:"cache_control,omitempty"`

	verbatim json.RawMessage // a block of the vendor, sent instead of all other fields
}

// source holds the bytes of an image.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// part is a text in a result.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// conversation holds the messages in the vendor's format.
type conversation struct {
	messages []message
	ids      map[string]string // our call id to the id on the wire
	// refreshed means that the last block is the block of changed files.
	refreshed bool
	// unthought means that the newest reply has calls but no thinking blocks of this model.
	unthought bool
}

func newConversation(r llm.Request) *conversation {
	c := &conversation{messages: []message{}, ids: map[string]string{}}
	own := ownReplies(r)
	for i, m := range r.Conversation() {
		if m.Role == llm.RoleAssistant {
			c.assistant(m, own[i])
			continue
		}
		c.put("user", c.portable(m)...)
	}
	if msgs := r.Conversation(); len(msgs) > 0 {
		c.refreshed = msgs[len(msgs)-1].Refreshed
	}
	return c
}

// put adds blocks to the last message, or to a new one if that has another role.
func (c *conversation) put(role string, blocks ...*block) {
	if len(blocks) == 0 {
		return
	}
	if n := len(c.messages); n == 0 || c.messages[n-1].role != role {
		c.messages = append(c.messages, message{role: role})
	}
	m := &c.messages[len(c.messages)-1]
	m.content = append(m.content, blocks...)
}

// turns returns the messages as they are sent.
func (c *conversation) turns() []turn {
	out := make([]turn, len(c.messages))
	for i, m := range c.messages {
		blocks := make([]any, len(m.content))
		for n, b := range m.content {
			if blocks[n] = b; b.verbatim != nil {
				blocks[n] = b.verbatim
			}
		}
		out[i] = turn{m.role, blocks}
	}
	return out
}

// assistant adds a reply: verbatim if this model wrote it, else its portable part.
func (c *conversation) assistant(m llm.Message, own *ownReply) {
	if own == nil {
		c.unthought = len(m.Calls()) > 0
		c.put("assistant", c.portable(m)...)
		return
	}
	c.unthought = false
	for ours, theirs := range own.ids {
		c.ids[ours] = theirs
	}
	c.put("assistant", own.blocks...)
}

// portable converts a message's blocks to the vendor's format. Text after results goes into the
// last result, because as a separate block it can cause empty replies. See
// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons.
func (c *conversation) portable(m llm.Message) []*block {
	var out []*block
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Text:
			switch last := len(out) - 1; {
			case blank(string(b)):
			case last >= 0 && out[last].Type == "tool_result":
				out[last].follow(string(b))
			default:
				out = append(out, &block{Type: "text", Text: string(b)})
			}
		case llm.Image:
			out = append(out, &block{Type: "image", Source: &source{"base64", b.Media, b.Base64()}})
		case llm.Call:
			out = append(out, &block{Type: "tool_use", ID: wireName(b.ID), Name: wireName(b.Name), Input: b.Args})
		case llm.Result:
			out = append(out, c.result(b))
		case llm.Opaque: // written by another model
		}
	}
	return out
}

// silentFailure replaces the text of a failure that has none; the API does not accept an empty
// one.
const silentFailure = "(failed without a word)"

// follow appends text to a result.
func (b *block) follow(text string) {
	var parts []part
	if own, is := b.Content.(string); is && own != "" {
		parts = append(parts, part{"text", own})
	}
	b.Content = append(parts, part{"text", text})
}

func (c *conversation) result(b llm.Result) *block {
	id, known := c.ids[b.Call]
	if !known {
		id = wireName(b.Call)
	}
	out := &block{Type: "tool_result", ToolUseID: id, Content: b.Text, IsError: b.Failed}
	if blank(b.Text) {
		out.Content = nil
		if b.Failed {
			out.Content = silentFailure
		}
	}
	return out
}

// maxName limits the names of tools and call ids in the API, in bytes.
const maxName = 128

// wireName returns a name in a form that the API accepts.
func wireName(s string) string { return llm.PlainName(s, "", maxName) }

// mark sets the four breakpoints: at the last tool, the last system block, and the last block of
// the two newest user turns that the next request will repeat unchanged. The block of changed
// files, and a result that holds it, do not qualify.
func (c *conversation) mark(b *body) {
	if n := len(b.Tools); n > 0 {
		b.Tools[n-1].CacheControl = breakpoint()
	}
	if n := len(b.System); n > 0 {
		b.System[n-1].CacheControl = breakpoint()
	}
	const sliding = 2
	marked, skip := 0, 0
	if c.refreshed {
		skip = 1
	}
	for i := len(c.messages) - 1; i >= 0 && marked < sliding; i-- {
		m := c.messages[i]
		if n := len(m.content) - skip; m.role == "user" && n > 0 {
			m.content[n-1].CacheControl = breakpoint()
			marked++
		}
		skip = 0
	}
}
