package app

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/events"
)

// standingYes is --yes of a run. Approval answers by it what is asked from then
// on; what was asked before, in a session that is resumed, the run answers in
// the person's name.
type standingYes struct {
	given bool
	rules []events.Rule // of the session
	said  string        // the ask that it answered last: one whose answer did not count is the person's
}

// covers tells whether --yes answers a question: one about a tool, a step or a
// start, not one that untrusted text is the reason of, and not where a rule that wants a person to
// look may be why it is asked.
func (y *standingYes) covers(ask events.AskRaised) bool {
	switch ask.Gate {
	case events.GateStep, events.GateSpawn:
		return y.given
	case events.GateTool:
	default:
		return false
	}
	if len(ask.Taint) > 0 {
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
