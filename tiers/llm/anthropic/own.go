package anthropic

import (
	"encoding/json"

	"manualslop/tiers/llm"
)

// ownReply is a reply of the model that is asked, as it wrote it.
type ownReply struct {
	blocks []*block
	calls  []*block          // those of blocks that are calls
	ours   []string          // our ids of the calls
	ids    map[string]string // our id of a call to that on the wire
}

// origin returns whose opaque blocks a model takes back: its own.
func origin(model string) string { return Name + ":" + model }

// ownReplies returns the replies of a conversation that go back verbatim, by
// their place. An id that occurs twice in the conversation, or in one reply,
// gives way to ours, because the vendor wants them unique.
func ownReplies(r llm.Request) map[int]*ownReply {
	out, times := map[int]*ownReply{}, map[string]int{}
	for i, m := range r.Conversation() {
		if own := readOwn(m.OpaqueOf(origin(r.Model)), m); own != nil {
			out[i] = own
			for _, c := range own.calls {
				times[c.ID]++
			}
		}
	}
	// order-independent: each reply is changed by itself
	for _, own := range out {
		own.rename(times)
	}
	return out
}

// readOwn reads what the vendor wrote; nil if that is nothing, or if it does not
// fit the calls of the message, which then go from their portable part.
func readOwn(data json.RawMessage, m llm.Message) *ownReply {
	var each []json.RawMessage
	if json.Unmarshal(data, &each) != nil || len(each) == 0 {
		return nil
	}
	own := &ownReply{ids: map[string]string{}}
	for _, c := range m.Calls() {
		own.ours = append(own.ours, c.ID)
	}
	for _, raw := range each {
		var b block
		if json.Unmarshal(raw, &b) != nil {
			return nil
		}
		if b.Type != "tool_use" {
			own.blocks = append(own.blocks, &block{Type: b.Type, verbatim: raw})
			continue
		}
		if b.ID == "" {
			return nil
		}
		own.blocks, own.calls = append(own.blocks, &b), append(own.calls, &b)
	}
	if len(own.calls) != len(own.ours) {
		return nil
	}
	return own
}

// rename gives calls our ids where theirs occur more than once.
func (o *ownReply) rename(times map[string]int) {
	for i, c := range o.calls {
		if times[c.ID] > 1 {
			c.ID = wireName(o.ours[i])
		}
		o.ids[o.ours[i]] = c.ID
	}
}
