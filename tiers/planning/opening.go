package planning

import (
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// ShowTalks shows the discussions that people attached to the goal.
func ShowTalks(to *conversation.Thread, talks []tiers.Talk) {
	for _, t := range talks {
		to.Open(t.Heading())
		for _, p := range t.Parts(nil) {
			to.Show("discussion "+t.Discussion, p)
		}
	}
}

// Opening returns the beginning of every planning prompt: the role, which is a text of the basis,
// and the instructions of the user and the project. It also returns the indexes of the remaining
// views.
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
