package views

import (
	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// Overview is the summary of a session.
type Overview struct {
	projections.Summary
	LastSeq  uint64            `json:"last_seq"`
	Paused   bool              `json:"paused"`
	StepMode bool              `json:"step_mode"` // each round of a ticket needs approval
	Usage    projections.Usage `json:"usage"`
	// LimitMicroDollars is the budget of the session; 0: none.
	LimitMicroDollars int64 `json:"limit_micro_dollars"`
}

func getOverview(c *core.Call) error {
	return show(c, func(s *projections.Set) (any, error) {
		settings := s.Settings()
		return Overview{Summary: s.Summary(), LastSeq: s.Seq(), Paused: settings.Paused, StepMode: settings.StepMode,
			Usage: s.Cost().Total, LimitMicroDollars: s.Budgets().Session}, nil
	})
}

func getSettings(c *core.Call) error {
	return show(c, func(s *projections.Set) (any, error) {
		out := s.Settings()
		out.Tiers = append([]events.TierSettings{}, out.Tiers...) // a list, also before the session is opened
		return out, nil
	})
}
