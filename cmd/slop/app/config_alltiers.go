package app

import (
	"maps"
	"reflect"
	"slices"
)

// allTiers is the section of tiers that stands for all four.
const allTiers = "all"

// spreadTiers puts what [tiers.all] of a document sets into each tier, where the
// document says nothing of its own for that tier. A tier with a provider or models
// of its own takes no model from there: the names of models belong to a provider.
func (doc *configDocument) spreadTiers(layer *Config) {
	all, given := layer.Tiers[allTiers]
	if !given {
		return
	}
	layer.Tiers = maps.Clone(layer.Tiers)
	delete(layer.Tiers, allTiers)
	var kept, spread []configEntry
	for _, e := range doc.entries {
		if len(e.path) < 2 || e.path[0] != "tiers" || e.path[1] != allTiers {
			kept = append(kept, e)
			continue
		}
		for _, tier := range []string{"1", "2", "3", "4"} {
			if len(e.path) > 2 && doc.saysOfTier(tier, e.path[2]) {
				continue
			}
			e.path = slices.Concat([]string{"tiers", tier}, e.path[2:])
			spread = append(spread, e)
		}
	}
	for _, e := range spread {
		own := layer.Tiers[e.path[1]]
		setKey(reflect.ValueOf(&own).Elem(), reflect.ValueOf(all), e.path[2:])
		layer.Tiers[e.path[1]] = own
	}
	doc.entries = append(kept, spread...)
}

// saysOfTier tells whether a document settles a key for a tier itself.
func (doc *configDocument) saysOfTier(tier, key string) bool {
	settles := []string{key}
	if key == "model" || key == "models" {
		settles = []string{"provider", "model", "models"}
	}
	return slices.ContainsFunc(doc.entries, func(e configEntry) bool {
		return len(e.path) > 2 && e.path[0] == "tiers" && e.path[1] == tier && slices.Contains(settles, e.path[2])
	})
}
