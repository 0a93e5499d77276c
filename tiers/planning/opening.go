package planning

import (
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// Opening is how every prompt of a plan begins: the role and what the person
// and the project say to it; and the numbers of the views that are left.
func (j *Job) Opening(now events.Settings, role string, built *events.Event, x events.ContextBuilt) (talk *conversation.Thread, others []int) {
	seat := j.seat().Take(now)
	rules, others := tiers.SplitRules(built.ID, x.Views)
	talk = &conversation.Thread{}
	talk.Open(seat.System(role, nil)...)
	talk.Rules(rules...)
	talk.Open(seat.Project(built.ID)...)
	return talk, others
}
