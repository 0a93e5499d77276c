package anthropic

import (
	"encoding/json"

	"manualslop/tiers/llm"
)

// ownReply is a reply that the requested model itself wrote, verbatim.
type ownReply struct {
	blocks []*block
	calls  []*block          // the blocks that are calls
	ours   []string          // our ids of the calls
	ids    map[string]string // our call id to the id on the wire
}

// origin returns the origin of the opaque blocks that a model accepts: only its own.
func origin(model string) string { return Name + ":" + model }

// ownReplies returns the replies of a conversation that go back verbatim, by position. An id that
// occurs twice in the conversation, or in one reply, is replaced by ours, because the vendor
// requires unique ids.
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
	// order-independent: each reply is changed on its own
	for _, own := range out {
		own.rename(times)
	}
	return out
}

// readOwn parses the vendor's blocks. It returns nil if there are none or they do not match the
// message's calls; the reply is then sent from its portable part.
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

// rename replaces vendor ids that occur more than once with ours.
func (o *ownReply) rename(times map[string]int) {
	for i, c := range o.calls {
		if times[c.ID] > 1 {
			c.ID = wireName(o.ours[i])
		}
		o.ids[o.ours[i]] = c.ID
	}
}
