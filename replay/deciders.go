package replay

import (
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/conductor"
	"manualslop/tiers/contributor"
	"manualslop/tiers/lead"
	"manualslop/tiers/planner"
	"manualslop/tiers/qa"
)

// Deciders returns functions that start every decider of the engine, for [Verify]. Their order does not affect
// the outcome.
func Deciders() []func() *tiers.Machine {
	return []func() *tiers.Machine{
		conductor.Decider().Start,
		planner.Decider().Start,
		lead.Decider().Start,
		contributor.Decider().Start,
		qa.Decider().Start,
		approval.Decider().Start,
	}
}
