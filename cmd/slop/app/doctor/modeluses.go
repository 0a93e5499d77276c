package doctor

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/llm"
)

// modelUse is a model that the configuration names, with the settings that it is called with.
type modelUse struct {
	provider, model string
	who             []string // tiers and personas
	api             string   // empty for a program's model and the scripted one
	limits          []string // what will not work, one sentence each
}

// modelUses returns the distinct models of the tiers, followed by those of personas.
func modelUses(c config.Config, all map[string]llm.Provider) []modelUse {
	var out []modelUse
	use := func(who string, x tiers.Sitting) {
		i := slices.IndexFunc(out, func(u modelUse) bool { return u.provider == x.Provider && u.model == x.Model })
		if i < 0 {
			i, out = len(out), append(out, modelUse{provider: x.Provider, model: x.Model})
		}
		u := &out[i]
		if !slices.Contains(u.who, who) {
			u.who = append(u.who, who)
		}
		if adviser, can := all[x.Provider].(llm.Adviser); can {
			api, limits := adviser.Advise(x.Model, x.Params)
			u.api = api
			for _, l := range limits {
				if !slices.Contains(u.limits, l) {
					u.limits = append(u.limits, l)
				}
			}
		}
	}
	s := events.Settings{Roster: c.Roster}
	for n := 1; n <= 4; n++ {
		s.Tiers = append(s.Tiers, config.TierSettings(n, c.Tier(n), false))
		own := s
		own.Roster.Personas = nil // the tier's own models, without personas
		for i := range s.Tier(n).Models {
			use(fmt.Sprintf("tier %d", n), tiers.Seat{Tier: n, Retries: i}.Take(own))
		}
	}
	for _, persona := range s.Roster.Personas {
		for n := range persona.Models {
			use("persona "+persona.Name, tiers.Seat{Tier: 3, Persona: persona.Name, Retries: n}.Take(s))
		}
	}
	return out
}

// name returns the model with its provider and the tiers and personas that use it.
func (u modelUse) name() string {
	return fmt.Sprintf("%s/%s (%s)", u.provider, u.model, strings.Join(u.who, ", "))
}

// checkModels reports how each configured model is reached, and any problem.
func checkModels(c config.Config) []finding {
	const check = "models"
	var out []finding
	for _, u := range modelUses(c, config.Providers(c, config.Credentials{})) {
		said := term.Visible(u.name()) + " uses the " + u.api + " API"
		switch {
		case u.api == "": // findProviders checks its program
		case len(u.limits) == 0:
			out = append(out, ok(check, said))
		default:
			out = append(out, note(check, said+"; "+strings.Join(u.limits, "; ")))
		}
	}
	return out
}

// advised adds to each line how its model is reached, and appends lines for the models that only personas name.
func advised(lines []modelLine, uses []modelUse, table events.ModelsOffered, of []providerLine) []modelLine {
	for _, u := range uses {
		i := slices.IndexFunc(lines, func(l modelLine) bool { return l.Provider == u.provider && l.Model == u.model })
		if i < 0 {
			at := slices.IndexFunc(of, func(l providerLine) bool { return l.Provider == u.provider })
			if at < 0 {
				continue
			}
			offer, _ := table.Find(u.provider, u.model)
			offer.Provider, offer.Model = u.provider, u.model
			i, lines = len(lines), append(lines, modelLine{ModelOffer: offer, Tiers: []int{}, Listed: of[at].lists(u.model)})
		}
		lines[i].API, lines[i].WillNotWork = u.api, u.limits
	}
	return lines
}

// printModelUses prints how the configured models are reached.
func printModelUses(g *site.Flags, uses []modelUse, of []providerLine) {
	began := false
	for _, u := range uses {
		if u.api == "" || !slices.ContainsFunc(of, func(l providerLine) bool { return l.Provider == u.provider }) {
			continue
		}
		if !began {
			g.Printf("\nThe APIs of the configured models, and what will not work:\n")
			began = true
		}
		g.Printf("  %s: %s API\n", term.Visible(u.name()), u.api)
		for _, l := range u.limits {
			g.Printf("    - %s\n", l)
		}
	}
}
