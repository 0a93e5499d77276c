package config

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm/gemini"
	"manualslop/tiers/llm/geminicli"
)

// allTiers is the tier section that applies to all four tiers.
const allTiers = "all"

// spreadTiers copies the settings in a document's [tiers.all] to each tier for which the document does not set them.
// A tier with its own provider or models inherits no model from it, because the names of models belong to a provider.
func (doc *document) spreadTiers(layer *Config) {
	all, given := layer.Tiers[allTiers]
	if !given {
		return
	}
	layer.Tiers = maps.Clone(layer.Tiers)
	delete(layer.Tiers, allTiers)
	var kept, spread []entry
	for _, e := range doc.entries {
		if len(e.path) < 2 || e.path[0] != "tiers" || e.path[1] != allTiers {
			kept = append(kept, e)
			continue
		}
		for _, tier := range []string{"1", "2", "3", "4"} {
			if len(e.path) > 2 && doc.saysOfTier(tier, e.path[2]) {
				continue
			}
			own := e
			own.path, own.all = slices.Concat([]string{"tiers", tier}, e.path[2:]), true
			spread = append(spread, own)
		}
	}
	for _, e := range spread {
		own := layer.Tiers[e.path[1]]
		setKey(reflect.ValueOf(&own).Elem(), reflect.ValueOf(all), e.path[2:])
		layer.Tiers[e.path[1]] = own
	}
	doc.entries = append(kept, spread...)
}

// writtenForAll returns the key of a tier as it is written in [tiers.all].
func writtenForAll(key string) string {
	parts := strings.SplitN(key, ".", 3)
	parts[1] = allTiers
	return strings.Join(parts, ".")
}

// saysOfTier reports whether a document sets a key for a tier itself.
func (doc *document) saysOfTier(tier, key string) bool {
	settles := []string{key}
	if key == "model" || key == "models" {
		settles = []string{"provider", "model", "models"}
	}
	return slices.ContainsFunc(doc.entries, func(e entry) bool {
		return len(e.path) > 2 && e.path[0] == "tiers" && e.path[1] == tier && slices.Contains(settles, e.path[2])
	})
}

// modelless returns mistakes for the tiers for which files name a provider and no model, so that the provider would be
// asked for the default provider's model.
func (l *layers) modelless() []*Error {
	var found []*Error
	for n := 1; n <= 4; n++ {
		t, key := l.config.Tier(n), "tiers."+strconv.Itoa(n)
		_, model := l.places[key+".model"]
		_, models := l.places[key+".models"]
		// Google's own program uses the models of Google's API.
		if model || models || slices.Contains([]string{gemini.Name, geminicli.Name, ScriptProvider},
			events.ProviderName(t.Provider)) {
			continue
		}
		found = append(found, invalid(key+".provider", "needs a model too: %q, the default of tier %d, is a Gemini "+
			"model", t.Model, n))
	}
	return found
}
