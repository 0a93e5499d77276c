package asks

import (
	"bytes"
	"encoding/json"

	"manualslop/events"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// NotUnderstood is the recorded reason when an unclear response counts as a no.
const NotUnderstood = "the response was neither a yes nor a no"

// plainAnswer is a parsed yes or no.
type plainAnswer struct {
	Approved bool            `json:"approved"`
	Args     json.RawMessage `json:"args,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Rule     *ruleWanted     `json:"rule,omitempty"`
}

// ruleWanted is the rule that a yes makes from now on: patterns, empty for every call of a tool, and for what it
// counts.
type ruleWanted struct {
	Patterns []string `json:"patterns"`
	Scope    string   `json:"scope,omitempty"` // session if empty
}

// Meaning returns what a response means for an ask. For /api/ask it is passed on verbatim and is a no only if it
// plainly says so; at a gate everything but a plain yes is a no.
func Meaning(ask projections.Ask, response json.RawMessage) events.AskAnswered {
	meant, understood := readAnswer(response)
	out := events.AskAnswered{Ask: ask.AskRaised.Ask, Decision: events.No}
	if ask.Gate == events.GateHTTP {
		out.Response = response
		if !understood || meant.Approved {
			out.Decision = events.Yes
		}
		return out
	}
	out.Reason = meant.Reason
	switch {
	case !understood:
		out.Reason = NotUnderstood
	case meant.Approved:
		out.Decision, out.Args = events.Yes, meant.Args
	}
	return out
}

// readAnswer accepts true, false and {"approved", "args"?, "reason"?, "rule"?}, with exactly these names.
func readAnswer(raw json.RawMessage) (plainAnswer, bool) {
	switch raw = bytes.TrimSpace(raw); string(raw) {
	case "true":
		return plainAnswer{Approved: true}, true
	case "false":
		return plainAnswer{}, true
	}
	members, ok := request.Object(raw)
	if !ok {
		return plainAnswer{}, false
	}
	var out plainAnswer
	said := false
	for name, value := range members {
		switch name {
		case "approved":
			said = string(value) == "true" || string(value) == "false"
			out.Approved = string(value) == "true"
		case "args":
			if string(value) != "null" {
				out.Args = value
			}
		case "reason":
			if json.Unmarshal(value, &out.Reason) != nil {
				return plainAnswer{}, false
			}
		case "rule":
			dec := json.NewDecoder(bytes.NewReader(value))
			dec.DisallowUnknownFields()
			if dec.Decode(&out.Rule) != nil {
				return plainAnswer{}, false
			}
		default:
			return plainAnswer{}, false
		}
	}
	if !said {
		return plainAnswer{}, false
	}
	return out, true
}
