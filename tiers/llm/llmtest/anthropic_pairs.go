package llmtest

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
)

// checkAnthropicPairs checks that each call has its result in the next message, before any text,
// and that there are no other results.
func checkAnthropicPairs(q *anthropicRequest) *refusal {
	var open []string // calls of the previous assistant message
	seen := map[string]bool{}
	for i, m := range q.Messages {
		results := resultsOf(m)
		if bad := matchResults(i, open, results); bad != nil {
			return bad
		}
		if bad := resultsFirst(i, m); bad != nil {
			return bad
		}
		open = nil
		for _, b := range m.blocks {
			if b.Type != "tool_use" {
				continue
			}
			if seen[b.ID] {
				return refuse(fmt.Sprintf("messages.%d: `tool_use` ids must be unique", i))
			}
			seen[b.ID] = true
			open = append(open, b.ID)
		}
	}
	return nil
}

func resultsOf(m anthropicMessage) (ids []string) {
	for _, b := range m.blocks {
		if b.Type == "tool_result" {
			ids = append(ids, b.ToolUseID)
		}
	}
	return ids
}

func matchResults(i int, open, results []string) *refusal {
	for _, id := range open {
		if !slices.Contains(results, id) {
			return refuse(fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: "+
				"%s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, id))
		}
	}
	for j, id := range results {
		if !slices.Contains(open, id) {
			return refuse(fmt.Sprintf("messages.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each "+
				"`tool_result` block must have a corresponding `tool_use` block in the previous message.", i, id))
		}
		if slices.Contains(results[:j], id) {
			return refuse(fmt.Sprintf("messages.%d: each tool_use must have a single result. Found multiple `tool_result` "+
				"blocks with id: %s", i, id))
		}
	}
	return nil
}

// resultsFirst rejects a result that follows other content.
func resultsFirst(i int, m anthropicMessage) *refusal {
	other := false
	for _, b := range m.blocks {
		if b.Type == "tool_result" && other {
			return refuse(fmt.Sprintf("messages.%d: `tool_result` blocks must come first in the content of a user message", i))
		}
		other = other || b.Type != "tool_result"
	}
	return nil
}

// textBehindResults reports whether the newest message has text after results. The vendor
// documents that as a cause of empty replies; the fake always replies empty then. See
// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons,
// "Empty responses with end_turn".
func (q *anthropicRequest) textBehindResults() bool {
	newest := q.Messages[len(q.Messages)-1]
	return len(resultsOf(newest)) > 0 && newest.blocks[len(newest.blocks)-1].Type == "text"
}

// sign returns the signature of a model's thinking.
func sign(model, thought string) string {
	return "sig_" + events.Digest([]byte(model+"\n"+thought))
}

// isSigned reports whether data ends with a valid signature.
func isSigned(model, data string) bool {
	at := len(data) - len(sign("", ""))
	return at >= 0 && data[at:] == sign(model, data[:at])
}

// remember stores the thinking blocks that came before a call.
func (a *anthropic) remember(call string, blocks []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.thoughts[call] = blocks
}

// before returns the thinking blocks that came before a call; false if this model did not make the
// call.
func (a *anthropic) before(call string) ([]string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	blocks, ok := a.thoughts[call]
	return blocks, ok
}

// checkThoughts checks that thinking blocks come back unchanged.
func (a *anthropic) checkThoughts(q *anthropicRequest) *refusal {
	last := -1
	for i, m := range q.Messages {
		if m.Role != "assistant" {
			continue
		}
		last = i
		for j, b := range m.blocks {
			path := fmt.Sprintf("messages.%d.content.%d", i, j)
			if bad := q.checkSignature(path, i, j); bad != nil {
				return bad
			}
			if b.Type == "redacted_thinking" && !isSigned(q.Model, b.Data) {
				return refuse(path + ": Invalid `data` in `redacted_thinking` block")
			}
		}
	}
	if last < 0 {
		return nil
	}
	return a.checkLoop(q, last)
}

// anthropicBinds reports whether a model binds its thinking to the conversation before it:
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking. The
// API enforces it for accounts created on or after 2026-08-31, and so does the fake.
func anthropicBinds(model string) bool {
	return slices.ContainsFunc([]string{"-5-5", "fable-5-", "mythos-5-"},
		func(n string) bool { return strings.Contains(model, n) })
}

// before returns a short digest of everything before a block, without cache marks.
func (q *anthropicRequest) before(message, block int) string {
	n := len(q.Tools) + len(q.system) + block
	for _, m := range q.Messages[:message] {
		n += len(m.blocks)
	}
	var all []string
	for _, p := range q.pieces()[:n] {
		all = append(all, p.raw)
	}
	return events.Digest([]byte(strings.Join(all, "\n")))[:16]
}

// checkSignature checks that the model signed a thinking block. If the model binds its thinking
// and the request does not ask to drop such blocks, it also checks that nothing before the block
// changed.
func (q *anthropicRequest) checkSignature(path string, message, block int) *refusal {
	b := q.Messages[message].blocks[block]
	if b.Type != "thinking" {
		return nil
	}
	given, own := strings.CutPrefix(b.Signature, sign(q.Model, b.Thinking))
	binds := anthropicBinds(q.Model)
	drops := q.Thinking != nil && q.Thinking.Binding != nil && q.Thinking.Binding.Mismatch == "drop_block"
	switch {
	case !own || !binds && given != "":
		return refuse(path + ": Invalid `signature` in `thinking` block")
	case binds && !drops && given != q.before(message, block):
		return refuse(path + ": Invalid `signature` in `thinking` block. The block is bound to a different conversation. " +
			"Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".")
	}
	return nil
}

// checkLoop checks the newest assistant message, whose calls have just been answered.
func (a *anthropic) checkLoop(q *anthropicRequest, last int) *refusal {
	m := q.Messages[last]
	var here []string
	var calls int
	for _, b := range m.blocks {
		switch b.Type {
		case "thinking", "redacted_thinking":
			here = append(here, b.raw)
		case "tool_use":
			calls++
			if given, ok := a.before(q.Model + " " + b.ID); ok && !slices.Equal(given, here) {
				return refuse(fmt.Sprintf("messages.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message "+
					"cannot be modified. These blocks must remain as they were in the original response.", last))
			}
		}
	}
	thought := m.blocks[0].Type == "thinking" || m.blocks[0].Type == "redacted_thinking"
	if calls > 0 && q.Thinking != nil && q.Thinking.Type == "enabled" && !thought {
		return refuse(fmt.Sprintf("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. "+
			"When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the "+
			"lastmost set of `tool_use` and `tool_result` blocks).", last, m.blocks[0].Type))
	}
	return nil
}
