package projections

import (
	"strconv"

	"manualslop/events"
)

// workTier is the tier whose settings stand for those of all in a field that
// the original had once: the one that does the work.
const workTier = 3

// guiModelFields are those of the original's panel of provider and model. Each
// is one truth for all tiers: setting it sets all four, reading it reads tier 3.
func guiModelFields() []GUIField {
	return []GUIField{
		{Name: "current_provider", Aliases: []string{"provider"}, Type: FieldText,
			Doc:  "The provider that the next model call of every tier uses; reading gives that of tier 3.",
			Read: func(g *GUISources) any { return g.Now().Tier(workTier).Provider },
			Say:  owned(func(name string) events.Payload { return events.TierChanged{Provider: events.ProviderName(name)} })},
		{Name: "current_model", Aliases: []string{"model"}, Type: FieldText, Doc: "The model that the next call of every " +
			"tier uses, in the place of its whole ladder; reading gives the first of tier 3.",
			Read: func(g *GUISources) any { return g.Now().Tier(workTier).Model(0) },
			Say:  owned(func(name string) events.Payload { return events.TierChanged{Models: []string{name}} })},
		{Name: "gcli_path", Aliases: []string{"gemini_cli_path"}, Type: FieldText,
			Doc:  "Absolute path of the program that the provider gemini_cli runs; empty: gemini, looked for in PATH.",
			Read: func(g *GUISources) any { return g.Now().Command(events.ProviderGeminiCLI) },
			Say: owned(func(path string) events.Payload {
				return events.ProviderChanged{Provider: events.ProviderGeminiCLI, Command: path}
			})},
		{Name: "temperature", Type: FieldNumber, Doc: "Temperature of every tier, 0 to 2; null: the provider's own.",
			Read: func(g *GUISources) any { return g.Now().Tier(workTier).Temperature },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{Temperature: &v} })},
		{Name: "top_p", Type: FieldNumber, Doc: "Top-p of every tier, 0 to 1; null: the provider's own.",
			Read: func(g *GUISources) any { return g.Now().Tier(workTier).TopP },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{TopP: &v} })},
		{Name: "max_tokens", Aliases: []string{"max_output_tokens"}, Type: FieldInteger,
			Doc:  "Most tokens of one reply, for every tier; 0: the provider's own limit.",
			Read: func(g *GUISources) any { return g.Now().Tier(workTier).MaxOutputTokens },
			Say:  owned(func(v whole) events.Payload { return events.TierChanged{MaxOutputTokens: v.ptr()} })},
		{Name: "history_trunc_limit", Type: FieldInteger, Default: 8000, Doc: "Characters of an old tool output that a " +
			"front end shows; kept for it, the engine has limits of its own."},
	}
}

// guiTierFields are the settings of each tier.
func guiTierFields() []GUIField {
	var out []GUIField
	for n := 1; n <= 4; n++ {
		out = append(append(out, tierFields(n)...), tierRosterFields(n)...)
	}
	return out
}

func tierFields(n int) []GUIField {
	name, of := "tier"+strconv.Itoa(n)+"_", " of tier "+strconv.Itoa(n)
	return []GUIField{
		{Name: name + "provider", Type: FieldText, Doc: "The provider" + of + ".",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Provider },
			Say: owned(func(v string) events.Payload {
				return events.TierChanged{Tier: n, Provider: events.ProviderName(v)}
			})},
		{Name: name + "model", Type: FieldText, Doc: "The model" + of + ", in the place of its whole ladder; reading gives " +
			"the ladder's first.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Model(0) },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, Models: []string{v}} })},
		{Name: name + "models", Type: FieldList, Doc: "The ladder of models" + of +
			": each retry of a ticket takes the next.",
			Read: func(g *GUISources) any { return list(g.Now().Tier(n).Models) },
			Say:  owned(func(v []string) events.Payload { return events.TierChanged{Tier: n, Models: v} })},
		{Name: name + "temperature", Type: FieldNumber, Doc: "Temperature" + of + ", 0 to 2; null: the provider's own.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Temperature },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{Tier: n, Temperature: &v} })},
		{Name: name + "top_p", Type: FieldNumber, Doc: "Top-p" + of + ", 0 to 1; null: the provider's own.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).TopP },
			Say:  owned(func(v float64) events.Payload { return events.TierChanged{Tier: n, TopP: &v} })},
		{Name: name + "effort", Type: FieldText, Doc: "How much the model" + of + " may think: off, low, medium or high; " +
			"empty: the provider's own.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).Effort },
			Say:  owned(func(v string) events.Payload { return events.TierChanged{Tier: n, Effort: &v} })},
		{Name: name + "max_output_tokens", Aliases: []string{name + "max_tokens"}, Type: FieldInteger,
			Doc:  "Most tokens of one reply" + of + "; 0: the provider's own limit.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).MaxOutputTokens },
			Say:  owned(func(v whole) events.Payload { return events.TierChanged{Tier: n, MaxOutputTokens: v.ptr()} })},
		{Name: name + "max_rounds", Type: FieldInteger, Doc: "Most rounds of one attempt" + of +
			"; 0: the engine's own limit.",
			Read: func(g *GUISources) any { return g.Now().Tier(n).MaxRounds },
			Say:  owned(func(v whole) events.Payload { return events.TierChanged{Tier: n, MaxRounds: v.ptr()} })},
	}
}
