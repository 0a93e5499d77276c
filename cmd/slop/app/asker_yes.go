package app

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/events"
	"manualslop/tiers/approval"
)

// standingYes is the --yes flag of a run. Approval applies it to asks that are raised later. In a resumed session the
// run itself answers the asks that were raised before, in the user's name.
type standingYes struct {
	given bool
	rules []events.Rule // of the session
	said  string        // the ask that it answered last; if that answer did not count, the user is asked
}

// covers reports whether --yes answers a question: one about a tool, a step or a start. It does not cover a question
// raised because of untrusted text or of a long time limit, nor one that may come from a rule that requires a user
// to look.
func (y *standingYes) covers(ask events.AskRaised, opened events.SessionOpened) bool {
	switch ask.Gate {
	case events.GateStep, events.GateSpawn:
		return y.given
	case events.GateTool:
	default:
		return false
	}
	if len(ask.Taint) > 0 || approval.OverTime(ask, opened) {
		return false
	}
	for _, r := range y.rules {
		if r.Action == "allow" || r.Action == "deny" {
			continue
		}
		named, err := doublestar.Match(strings.ToLower(r.Tool), strings.ToLower(ask.Tool))
		if named || err != nil {
			return false
		}
	}
	return y.given
}
