package search

import (
	"encoding/json"

	"manualslop/events"
)

// named returns the subject of an event according to members of its body.
func named(e *events.Event) about {
	var p struct {
		Tier   json.RawMessage `json:"tier"`
		Ticket json.RawMessage `json:"ticket"`
		Tool   json.RawMessage `json:"tool"`
	}
	_ = json.Unmarshal(e.Data, &p) // missing members stay unset
	a := about{ticket: text(p.Ticket), tool: text(p.Tool)}
	_ = json.Unmarshal(p.Tier, &a.tier)
	if a.ticket == "" && p.Ticket != nil { // the member is a complete ticket
		var whole struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(p.Ticket, &whole)
		a.ticket = whole.ID
	}
	return a
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}
