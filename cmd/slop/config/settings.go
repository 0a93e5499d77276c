package config

import (
	"cmp"
	"slices"

	"manualslop/events"
	"manualslop/tiers/llm/script"
	"manualslop/tools/web"
)

// Settings returns the parts of the configuration that decisions depend on, as a session records them. In a scripted
// session no tier has a real model.
func (c Config) Settings(scripted bool) events.Settings {
	s := events.Settings{
		MaxWorkers: c.MMA.MaxWorkers, StepMode: c.MMA.StepMode, SpawnApproval: c.MMA.SpawnApproval,
		MaxRetries: c.MMA.MaxRetries, Review: c.MMA.Review, Isolation: c.MMA.Isolation,
		AskTimeoutMS: int64(c.Ask.TimeoutS) * 1000, ToolTimeoutMS: int64(c.Shell.TimeoutS) * 1000,
		MaxToolTimeoutMS: int64(c.Shell.MaxTimeoutS) * 1000, FollowLinks: c.MCP.AllowSymlinks,
		AllowHosts: c.Net.AllowHosts, SearchURL: cmp.Or(c.Net.SearchURL, web.DefaultSearchURL),
		Providers: programs(c), Budget: c.Budget.Settings(), Roster: roster(c.Roster, scripted),
	}
	if !scripted { // which is never overloaded for long
		s.ModelAttempts = c.MMA.ModelAttempts
	}
	for n := 1; n <= 4; n++ {
		s.Tiers = append(s.Tiers, TierSettings(n, c.Tier(n), scripted))
	}
	return s
}

func TierSettings(n int, t Tier, scripted bool) events.TierSettings {
	out := events.TierSettings{Tier: n, Provider: events.ProviderName(t.Provider), Models: t.Models,
		Temperature: t.Temperature, TopP: t.TopP, Effort: t.Effort,
		MaxOutputTokens: t.MaxOutputTokens, MaxRounds: t.MaxRounds, Persona: t.Persona, ToolPreset: t.ToolPreset,
		BiasProfile: t.BiasProfile, PromptPreset: t.PromptPreset}
	if len(out.Models) == 0 {
		out.Models = []string{t.Model}
	}
	if scripted && t.Provider != script.Name {
		out.Provider, out.Models = script.Name, []string{"scripted"}
	}
	return out
}

// roster returns the personas and presets. The scripted model replaces all their models.
func roster(r events.Roster, scripted bool) events.Roster {
	if !scripted {
		return r
	}
	r.Personas = slices.Clone(r.Personas)
	for i := range r.Personas {
		r.Personas[i].Models = nil
	}
	return r
}
