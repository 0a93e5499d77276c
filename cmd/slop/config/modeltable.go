package config

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/projections/pricing"
	"manualslop/tiers/llm/acp"
	"manualslop/tiers/llm/script"
)

// overrideSource is the source of values from the user's configuration.
const overrideSource = "configuration"

// ModelsOffered returns the model data that a session records: the user's own rows, followed by the program's table.
// In a scripted session the scripted model costs nothing, unless the user gave it a row.
func (c Config) ModelsOffered(scripted bool) events.ModelsOffered {
	table := pricing.Table()
	var own []events.ModelOffer
	for name, m := range c.Models {
		provider, model, _ := strings.Cut(name, "/")
		own = append(own, m.over(table, events.ProviderName(provider), model))
	}
	slices.SortFunc(own, particularFirst)
	if scripted {
		free := int64(0)
		price := events.ModelPrice{ID: script.Name, CacheRead: &free, CacheWrite5m: &free, CacheWrite1h: &free,
			Source: script.Name}
		own = append(own, events.ModelOffer{Provider: script.Name, Model: "*", Source: script.Name,
			Prices: []events.ModelPrice{price}})
	}
	table.Models = append(own, table.Models...)
	return table
}

// particularFirst orders rows so that names without * come before names with it, and longer names before shorter ones.
func particularFirst(a, b events.ModelOffer) int {
	key := func(o events.ModelOffer) string {
		wild := "0"
		if strings.Contains(o.Model, "*") {
			wild = "1"
		}
		return wild + string(rune(math.MaxUint16-len(o.Model))) + o.Provider + o.Model
	}
	return strings.Compare(key(a), key(b))
}

// over applies a user's row to the table's entry for the same models.
func (m Model) over(table events.ModelsOffered, provider, model string) events.ModelOffer {
	o, _ := table.Find(provider, strings.ReplaceAll(model, "*", ""))
	o.Provider, o.Model, o.Source, o.AsOf = provider, model, overrideSource, ""
	if m.ContextWindow > 0 {
		o.ContextWindow = int64(m.ContextWindow)
	}
	if m.MaxOutputTokens > 0 {
		o.MaxOutputTokens = int64(m.MaxOutputTokens)
	}
	if m.Input != nil && m.Output != nil {
		o.Prices = []events.ModelPrice{{
			ID: overrideSource + ":" + provider + "/" + model, Input: Micro(*m.Input), Output: Micro(*m.Output),
			// No vendor asks more for a token that it reads from its cache.
			CacheRead:    microOf(cmp.Or(m.CacheRead, m.Input)),
			CacheWrite5m: microOf(m.CacheWrite5m), CacheWrite1h: microOf(m.CacheWrite1h), Source: overrideSource,
		}}
	}
	return o
}

// Settings returns the budgets as a session records them; nil if there is none.
func (b Budget) Settings() *events.BudgetSettings {
	s := events.BudgetSettings{SessionMicroDollars: Micro(b.Session), TicketMicroDollars: Micro(b.Ticket)}
	if !s.Guards() {
		return nil
	}
	return &s
}

// Micro converts dollars to micro-dollars; a positive amount never becomes 0.
func Micro(dollars float64) int64 {
	if dollars <= 0 {
		return 0
	}
	return max(1, int64(math.Round(dollars*1e6)))
}

func microOf(dollars *float64) *int64 {
	if dollars == nil {
		return nil
	}
	n := Micro(*dollars)
	return &n
}

// standardModels holds, by tier, the models for a change to a provider for which the configuration names none.
// Servers that serve whatever their owner installed have no standard model.
func standardModels() map[string]string {
	return map[string]string{
		"anthropic": "claude-sonnet-4-6", "openai": "gpt-5.1", "deepseek": "deepseek-v4-flash", "grok": "grok-4.7",
		"minimax": "MiniMax-M3", events.ProviderClaudeCLI: "sonnet", events.ProviderCodexCLI: "gpt-5.1-codex",
		events.ProviderACP: acp.OwnModel, ScriptProvider: "scripted",
	}
}

// ModelsAt returns the models of a tier that changes to another provider: those that the configuration or its
// defaults assign to that provider for this tier, or else for the first tier that has some, or else its standard
// model. It returns nil if the tier keeps its models, because the new provider serves them too, they are not known as
// the old provider's, or no replacement is known.
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

// serves reports whether a provider is known to serve a model.
func (c Config) serves(provider, model string) bool {
	if _, known := c.ModelsOffered(false).Find(provider, model); known {
		return true
	}
	for n := 1; n <= 4; n++ {
		if t := TierSettings(n, c.Tier(n), false); t.Provider == provider && slices.Contains(t.Models, model) {
			return true
		}
	}
	return standardModels()[provider] == model
}
