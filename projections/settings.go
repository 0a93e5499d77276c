package projections

import "manualslop/events"

// Settings are what the session's decisions depend on, as recorded.
type Settings struct {
	events.Settings
	Basis     events.Basis       `json:"basis"`
	Workspace string             `json:"workspace,omitempty"`
	Tools     []events.ToolOffer `json:"tools"` // by name
	Paused    bool               `json:"paused"`
}

var settings = Fold[*Settings]{
	Name: "settings", Version: 4,
	Takes: ofTheWork,
	New:   func() *Settings { return &Settings{Tools: []events.ToolOffer{}} },
	Apply: func(s *Settings, e *events.Event) *Settings {
		switch p := e.Payload.(type) {
		case events.SessionOpened:
			s.Basis, s.Settings, s.Workspace = p.Basis, p.Settings, p.Workspace
			s.Rules = append([]events.Rule{}, p.Settings.Rules...)
		case events.DecisionsUpgraded:
			s.Basis = p.Basis
		case events.RuleAdded:
			s.Rules = append(s.Rules, p.Rule)
		case events.ToolsOffered:
			s.Tools = p.Tools
		case events.RulesReplaced:
			s.Rules = append([]events.Rule{}, p.Rules...)
		case events.Paused:
			s.Paused = true
		case events.Resumed:
			s.Paused = false
		default:
			s.Settings, _ = s.Settings.Changed(e.Payload)
		}
		return s
	},
}

// Settings are the session's settings with every change since, the rules of now and
// the tools offered. They are shared: read them only.
func (s *Set) Settings() Settings { return *stateOf(s, settings) }
