package planning

import (
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// Opening is how every prompt of a plan begins: the role, a text of the basis, and what the person
// and the project say to it; and the numbers of the views that are left.
func (j *Job) Opening(now *Desk, role string, built *events.Event, x events.ContextBuilt) (talk *conversation.Thread,
	others []int) {
	seat := j.seat().Take(now.Settings)
	rules, others := tiers.SplitRules(now.Opened, built.ID, x.Views)
	talk = &conversation.Thread{}
	talk.Open(seat.System(tiers.Words(now.Basis, role), nil)...)
	talk.Open(seat.Environment(now.Settings)...)
	talk.Rules(rules...)
	talk.Open(seat.Project(now.Opened)...)
	return talk, others
}
