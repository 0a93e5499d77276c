package planning

import (
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// Opening is how every prompt of a plan begins: the role and what the person
// and the project say to it; and the numbers of the views that are left.
func (j *Job) Opening(now events.Settings, role string, built *events.Event, x events.ContextBuilt) (parts []events.Part, others []int) {
	seat := j.seat().Take(now)
	rules, others := tiers.SplitRules(built.ID, x.Views)
	return slices.Concat(seat.System(role, nil), rules, seat.Project(built.ID)), others
}
