package config

import (
	"math"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/projections/pricing"
)

// overrideSource is the source of values from the person's configuration.
const overrideSource = "configuration"

// ModelsOffered returns what a session records about models: the person's own rows, then the program's table.
func (c Config) ModelsOffered() events.ModelsOffered {
	table := pricing.Table()
	var own []events.ModelOffer
	for name, m := range c.Models {
		provider, model, _ := strings.Cut(name, "/")
		own = append(own, m.over(table, events.ProviderName(provider), model))
	}
	slices.SortFunc(own, particularFirst)
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

// over applies a person's row to the table's entry for the same models.
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
			CacheRead: microOf(m.CacheRead), CacheWrite5m: microOf(m.CacheWrite5m), CacheWrite1h: microOf(m.CacheWrite1h),
			Source: overrideSource,
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
