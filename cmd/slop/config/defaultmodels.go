package config

import (
	"slices"

	"manualslop/events"
	"manualslop/tiers/llm/acp"
)

// standardModels are the models of a tier that changes to a provider of which the configuration names none. Servers
// that serve what their owner installed have no standard model.
func standardModels() map[string]string {
	return map[string]string{
		"anthropic": "claude-sonnet-4-6", "openai": "gpt-5.1", "deepseek": "deepseek-v4-flash", "grok": "grok-4.7",
		"minimax": "MiniMax-M3", events.ProviderClaudeCLI: "sonnet", events.ProviderCodexCLI: "gpt-5.1-codex",
		events.ProviderACP: acp.OwnModel, ScriptProvider: "scripted",
	}
}

// ModelsAt returns the models of a tier that changes to another provider: those of the tier, or else of the first
// tier, that the configuration or its defaults give that provider, else its standard model. It returns nil if the tier
// keeps its models: the provider serves them, too, they are not known as the old provider's, or none is known to take.
func (c Config) ModelsAt(now events.TierSettings, provider string) []string {
	provider = events.ProviderName(provider)
	strange := func(model string) bool { return provider != ScriptProvider && !c.serves(provider, model) }
	of := func(model string) bool { return c.serves(now.Provider, model) }
	if len(now.Models) > 0 && (!slices.ContainsFunc(now.Models, strange) || !slices.ContainsFunc(now.Models, of)) {
		return nil
	}
	for _, from := range []Config{c, Default()} {
		for _, n := range []int{now.Tier, 1, 2, 3, 4} {
			if t := TierSettings(n, from.Tier(n), false); !slices.ContainsFunc(t.Models, strange) {
				return t.Models
			}
		}
	}
	if model, has := standardModels()[provider]; has {
		return []string{model}
	}
	return nil
}

// serves reports whether a model is known as one of a provider.
func (c Config) serves(provider, model string) bool {
	if _, known := c.ModelsOffered().Find(provider, model); known {
		return true
	}
	for n := 1; n <= 4; n++ {
		if t := TierSettings(n, c.Tier(n), false); t.Provider == provider && slices.Contains(t.Models, model) {
			return true
		}
	}
	return standardModels()[provider] == model
}
