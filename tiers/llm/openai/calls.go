package openai

import (
	"bytes"
	"strings"

	openai "github.com/openai/openai-go/v3"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// calls are the tool calls of a reply while their pieces come in.
type calls struct {
	list []*draft
	at   map[int64]int // the wire's index to the newest call under it
}

// draft is a call while its pieces come in.
type draft struct {
	id, name string
	args     []byte
	looks    int // at whether the arguments are whole
}

// maxLooks limits the looks at the arguments of one call, each of which reads
// all of them; pieces after these belong to the call.
const maxLooks = 256

// take reads one piece. A piece belongs to the newest call under its index,
// unless it opens another one there: with its own id, as Ollama does it under
// index 0 for every call, or with a name where the arguments so far are whole
// already.
func (c *calls) take(piece openai.ChatCompletionChunkChoiceDeltaToolCall) error {
	i, known := c.at[piece.Index]
	if !piece.JSON.Index.Valid() {
		i, known = len(c.list)-1, len(c.list) > 0
	}
	if !known || c.list[i].opensAnother(piece) {
		if len(c.list) == llm.MaxCalls {
			return llm.Incomplete("the reply has more than %d tool calls", llm.MaxCalls)
		}
		if c.at == nil {
			c.at = map[int64]int{}
		}
		i = len(c.list)
		c.list, c.at[piece.Index] = append(c.list, &draft{}), i
	}
	c.list[i].add(piece)
	return nil
}

// opensAnother reports whether a piece under the index of d is of another call.
func (d *draft) opensAnother(piece openai.ChatCompletionChunkChoiceDeltaToolCall) bool {
	if piece.ID != "" && d.id != "" {
		return piece.ID != d.id
	}
	if piece.Function.Name == "" || d.name == "" || d.looks == maxLooks || !bytes.HasSuffix(bytes.TrimSpace(d.args),
		[]byte("}")) {
		return false
	}
	d.looks++
	return isObject(string(d.args))
}

// add puts a piece to its call. Arguments may come as an object too, instead of
// a text that holds one. Those over the limit grow to one byte past it.
func (d *draft) add(piece openai.ChatCompletionChunkChoiceDeltaToolCall) {
	if d.id == "" {
		d.id = clip(piece.ID)
	}
	if d.name == "" {
		d.name = piece.Function.Name[:min(len(piece.Function.Name), llm.MaxToolName+1)]
	}
	text := piece.Function.Arguments
	if raw := piece.Function.JSON.Arguments.Raw(); strings.HasPrefix(raw, "{") {
		text = raw
	}
	room := events.MaxArgs + 1 - len(d.args)
	d.args = append(d.args, text[:min(len(text), max(room, 0))]...)
}

// whole returns the calls as their server said them.
func (c *calls) whole() []called {
	var out []called
	for _, d := range c.list {
		out = append(out, called{ID: d.id, Type: "function", Function: calledFunction{d.name, string(d.args)}})
	}
	return out
}
