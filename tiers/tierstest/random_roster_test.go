package tierstest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// staff gives some sessions personas and presets, and some tiers one of them.
func (c *chaos) staff(s *events.Settings) {
	if c.chance(2) {
		return
	}
	s.Shell = pick(c, "", "bash", "pwsh")
	s.Roster = events.Roster{
		Personas: []events.Persona{
			{Name: "ada", SystemPrompt: "Be exact.", ToolPreset: "few", BiasProfile: "calm", Models: []events.PreferredModel{
				{Provider: "script", Model: "a0"}, {Provider: "script", Model: "a1"}}},
			{Name: "theirs", SystemPrompt: "Be quick.", Project: true},
		},
		ToolPresets: []events.ToolPreset{
			{Name: "few", Tools: []events.PresetTool{{Tool: "write", Approval: events.PresetAuto},
				{Tool: "re*", Approval: events.PresetAsk}, {Tool: "sh*"}}}},
		BiasProfiles: []events.BiasProfile{{Name: "calm", Tools: []events.ToolBias{{Tool: "write", Weight: 5,
			Parameters: map[string]string{"path": "exact"}}}}},
		PromptPresets: []events.PromptPreset{{Name: "brief", SystemPrompt: "Be brief."}},
	}
	for i := range s.Tiers {
		t := &s.Tiers[i]
		t.Persona, t.BiasProfile, t.PromptPreset = pick(c, "", "ada", "theirs"), pick(c, "", "calm"), pick(c, "", "brief")
		t.ToolPreset = pick(c, "", "", "", "few")
	}
}

// viewsOfChaos are what a worker found of what was asked for.
func (c *chaos) viewsOfChaos(asked []events.ViewRequest) []events.View {
	var out []events.View
	for _, v := range asked {
		view := events.View{Path: v.Path, View: v.View, Error: "there is no such file"}
		if c.chance(2) {
			text := pick(c, "text of "+v.Path, "the same")
			view = events.View{Path: v.Path, View: v.View, Text: text, SHA256: events.Digest([]byte(text)),
				Size: int64(len(text))}
		}
		out = append(out, view)
	}
	return out
}

// presetsHold checks that whatever runs is in the presets of its ticket, and
// that what runs by a preset is auto in one of them and ask in none.
func (r *record) presetsHold(t *testing.T) {
	t.Helper()
	var settings events.Settings
	personas := map[string]string{}
	for _, e := range r.log {
		switch p := e.Payload.(type) {
		case events.SessionOpened:
			settings = p.Settings
		case events.TicketStarted:
			personas[p.Ticket.ID] = p.Ticket.PersonaID
		case events.ToolApproved:
			if p.Tool == events.RestoreTool || p.Tool == events.PatchTool {
				continue // no model is offered it
			}
			presets := tiers.Seat{Tier: 3, Persona: personas[p.Ticket]}.Take(settings).Presets
			require.True(t, presets.Has(p.Tool), "%s is not offered", p.Tool)
			word, name := presets.Approval(p.Tool)
			require.False(t, word == events.PresetAsk && p.Ask == "", "%s did not ask", p.Tool)
			if len(p.Rule) > 12 && p.Rule[:12] == "tool preset " {
				require.Equal(t, []string{events.PresetAuto, "tool preset " + name}, []string{word, p.Rule})
			}
		}
	}
}
