package asks

import (
	"bytes"
	"encoding/json"

	"manualslop/events"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// NotUnderstood is the recorded reason when an unclear response counts as a rejection.
const NotUnderstood = "the response was neither a yes nor a no"

// plainAnswer is a parsed approval or rejection.
type plainAnswer struct {
	Approved bool            `json:"approved"`
	Args     json.RawMessage `json:"args,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Rule     *ruleWanted     `json:"rule,omitempty"`
}

// ruleWanted is the rule that an approval also creates: its patterns (none: every call of the tool) and its scope.
type ruleWanted struct {
	Patterns []string `json:"patterns"`
	Scope    string   `json:"scope,omitempty"` // session if empty
}

// Meaning returns what a response means for an ask. The response to an ask from /api/ask is passed on verbatim and
// counts as a rejection only if it plainly says so. At a gate, everything but a plain approval is a rejection.
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
