package anthropic

import (
	"encoding/json"

	"manualslop/tiers/llm"
)

// ownReply is a reply of the model that is asked, as it wrote it.
type ownReply struct {
	blocks []*block
	ids    map[string]string // our id of a call to the vendor's
}

// origin is whose opaque blocks a model takes back: its own.
func origin(model string) string { return Name + ":" + model }

// ownReplies are the replies of a conversation that go back verbatim, by their
// place. An id that occurs twice in the conversation gives way to ours, because
// the vendor wants them unique.
func ownReplies(r llm.Request) map[int]*ownReply {
	out, times := map[int]*ownReply{}, map[string]int{}
	for i, m := range r.Conversation() {
		if m.Role != llm.RoleAssistant || len(m.Blocks) == 0 {
			continue
		}
		o, is := m.Blocks[0].(llm.Opaque)
		if !is || o.Origin != origin(r.Model) {
			continue
		}
		if own := readOwn(o.Data, m); own != nil {
			out[i] = own
			for _, theirs := range own.ids {
				times[theirs]++
			}
		}
	}
	// order-independent: each reply is changed by itself
	for _, own := range out {
		own.rename(times)
	}
	return out
}

// readOwn reads what the vendor wrote; nil if it does not fit the calls of the
// message, which then go from their portable part.
func readOwn(data json.RawMessage, m llm.Message) *ownReply {
	var each []json.RawMessage
	if json.Unmarshal(data, &each) != nil || len(each) == 0 {
		return nil
	}
	var calls []string
	for _, b := range m.Blocks {
		if c, is := b.(llm.Call); is {
			calls = append(calls, c.ID)
		}
	}
	own := &ownReply{ids: map[string]string{}}
	for _, raw := range each {
		var b block
		if json.Unmarshal(raw, &b) != nil {
			return nil
		}
		if b.Type != "tool_use" {
			own.blocks = append(own.blocks, &block{Type: b.Type, verbatim: raw})
			continue
		}
		if len(own.ids) == len(calls) || b.ID == "" {
			return nil
		}
		own.ids[calls[len(own.ids)]] = b.ID
		own.blocks = append(own.blocks, &b)
	}
	if len(own.ids) != len(calls) {
		return nil
	}
	return own
}

// rename gives calls our ids where theirs occur more than once.
func (o *ownReply) rename(times map[string]int) {
	ours := make(map[string]string, len(o.ids)) // theirs to ours, of this reply
	for our, theirs := range o.ids {
		ours[theirs] = our
	}
	for _, b := range o.blocks {
		if b.Type == "tool_use" && times[b.ID] > 1 {
			our := wireName(ours[b.ID])
			o.ids[ours[b.ID]], b.ID = our, our
		}
	}
}
