package projections

import (
	"strconv"

	"manualslop/events"
)

// tierRosterFields are what of the session's roster a tier works as and with.
func tierRosterFields(n int) []GUIField {
	name, of := "tier"+strconv.Itoa(n)+"_", " of tier "+strconv.Itoa(n)
	return []GUIField{
		{Name: name + "persona", Type: FieldText, Doc: "The persona" + of + " where no track and no ticket names another, " +
			"one of personas; empty: none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Persona },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, Persona: &v} })},
		{Name: name + "tool_preset", Type: FieldText, Doc: "The tool preset" + of + ", one of tool_presets, which bounds " +
			"that of every persona; empty: none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).ToolPreset },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, ToolPreset: &v} })},
		{Name: name + "bias_profile", Type: FieldText, Doc: "The bias profile" + of + ", one of bias_profiles; empty: none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).BiasProfile },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, BiasProfile: &v} })},
		{Name: name + "prompt_preset", Type: FieldText, Doc: "The prompt preset" + of +
			", one of prompt_presets; empty: none.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).PromptPreset },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, PromptPreset: &v} })},
	}
}

// guiRosterFields are the names that there are of everybody and everything that
// was prepared for the session.
func guiRosterFields() []GUIField {
	return []GUIField{
		{Name: "personas", Type: FieldList, Doc: "Names of the session's personas, for tierN_persona and a ticket's persona.",
			Read: func(g *GUISources) any { return g.Now().Roster.PersonaNames() }},
		{Name: "tool_presets", Type: FieldList, Doc: "Names of the session's tool presets, for tierN_tool_preset.",
			Read: func(g *GUISources) any { return g.Now().Roster.ToolPresetNames() }},
		{Name: "bias_profiles", Type: FieldList, Doc: "Names of the session's bias profiles, for tierN_bias_profile.",
			Read: func(g *GUISources) any { return g.Now().Roster.BiasProfileNames() }},
		{Name: "prompt_presets", Type: FieldList, Doc: "Names of the session's prompt presets, for tierN_prompt_preset.",
			Read: func(g *GUISources) any { return g.Now().Roster.PromptPresetNames() }},
	}
}
