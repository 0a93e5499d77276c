package planning

import (
	"manualslop/events"
	"manualslop/tiers/conversation"
)

// Desk holds the information that planning uses: the current basis and settings, and the known
// models. It is a fold of the session's events.
type Desk struct {
	Opened   string // id of SessionOpened
	Basis    events.Basis
	Settings events.Settings
	Offers   conversation.Offers
}

// Evolve folds one event.
func (d *Desk) Evolve(e *events.Event) {
	d.Offers.Evolve(e)
	d.Basis, _ = d.Basis.Changed(e.Payload)
	if p, opened := e.Payload.(events.SessionOpened); opened {
		d.Opened, d.Settings = e.ID, p.Settings
		return
	}
	d.Settings, _ = d.Settings.Changed(e.Payload)
}
