package openai

import (
	"bytes"
	"strings"

	openai "github.com/openai/openai-go/v3"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// calls holds the tool calls of a reply whose pieces are still arriving.
type calls struct {
	list []*draft
	at   map[int64]int // index on the wire to the newest call with that index
}

// draft is a call whose pieces are still arriving.
type draft struct {
	id, name string
	args     []byte
	looks    int // number of checks whether the arguments are complete
}

// maxLooks limits the checks of the arguments of one call, since each check reads all of them.
// After that, every further piece is added to the same call.
const maxLooks = 256

// take handles one piece. A piece belongs to the newest call with its index, unless it starts
// another one: if it has a different id, since Ollama uses index 0 for every call, or if it has a
// name and the arguments so far are already complete.
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

// opensAnother reports whether a piece with the index of d starts another call.
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

// add adds a piece to its call. Arguments may also arrive as an object instead of a string that
// holds one. Arguments over the limit are kept up to one byte past it.
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

// whole returns the calls as the server sent them.
func (c *calls) whole() []called {
	var out []called
	for _, d := range c.list {
		out = append(out, called{ID: d.id, Type: "function", Function: calledFunction{d.name, string(d.args)}})
	}
	return out
}
