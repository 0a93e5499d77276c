package projections

import "manualslop/events"

// Diagnostics are the indicators of GET /api/gui/diagnostics.
type Diagnostics struct {
	Thinking bool `json:"thinking"` // a model or a shell is at work
	Live     bool `json:"live"`     // a tool is at work
	Prior    bool `json:"prior"`    // the session is over: it is looked at, not worked on
}

type indicators struct {
	Activity activity `json:"activity"`
	Closed   bool     `json:"closed"`
}

var diagnostics = Fold[*indicators]{
	Name: "diagnostics", Version: 1,
	Takes: ofTheWork,
	New:   func() *indicators { return &indicators{Activity: newActivity()} },
	Apply: func(i *indicators, e *events.Event) *indicators {
		i.Activity.apply(e)
		if _, over := e.Payload.(events.SessionClosed); over {
			i.Closed = true
		}
		return i
	},
	View: func(i *indicators) any { return i.view() },
}

func (i *indicators) view() Diagnostics {
	return Diagnostics{Thinking: i.Activity.thinking(), Live: i.Activity.live(), Prior: i.Closed}
}

// Diagnostics are the session's indicators.
func (s *Set) Diagnostics() Diagnostics { return stateOf(s, diagnostics).view() }
