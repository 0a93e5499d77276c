package planning

import (
	"manualslop/events"
	"manualslop/tiers/conversation"
)

// Desk is what a planning tier works with: the settings of now, and what is
// known of models. A fold of the session's events.
type Desk struct {
	Settings events.Settings
	Offers   conversation.Offers
}

// Evolve folds one event.
func (d *Desk) Evolve(e *events.Event) {
	d.Offers.Evolve(e)
	if p, opened := e.Payload.(events.SessionOpened); opened {
		d.Settings = p.Settings
		return
	}
	d.Settings, _ = d.Settings.Changed(e.Payload)
}
