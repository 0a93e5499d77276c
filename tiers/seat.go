package tiers

import (
	"cmp"
	"fmt"
	"slices"

	"manualslop/events"
	"manualslop/events/chars"
)

// Seat describes the role of a request, which determines who answers it and with which tools.
type Seat struct {
	Tier int
	// Persona is the persona that a track or ticket asks for; empty means the tier's own.
	Persona string
	// Model is the model that a ticket asks for; it overrides all lists of models.
	Model string
	// Cut is how many replies were cut at their limit and requested again.
	Cut int
	// Retries is how many attempts failed before. It selects the model in the list; past the end, the last one.
	Retries int
}

// Sitting is a [Seat] resolved with the current settings.
type Sitting struct {
	Tier     events.TierSettings
	Provider string // in canonical spelling
	Model    string
	Params   events.ModelParams
	Persona  events.Persona      // the zero value if there is none
	Prompt   events.PromptPreset // the zero value if there is none
	Bias     events.BiasProfile  // the zero value if there is none
	Presets  Presets
	// Reply is the maximum number of reply tokens, including thinking; 0 means the server's
	// default.
	Reply int
	// ProjectPrompt is the text of the project's document for every model.
	ProjectPrompt string
	// Note says which requested setting is not followed, and why; empty if all are.
	Note string
}

// Presets are the tool presets that apply together: the tier's and the persona's. If there are
// none, all tools are available.
type Presets []events.ToolPreset

// Take resolves the seat with the given settings.
func (seat Seat) Take(s events.Settings) Sitting {
	out := Sitting{Tier: s.Tier(seat.Tier), ProjectPrompt: s.ProjectPrompt}
	out.choose(s, seat.Persona)
	out.Prompt, _ = s.Roster.PromptPreset(out.Tier.PromptPreset)
	out.Bias, _ = s.Roster.BiasProfile(cmp.Or(out.Persona.BiasProfile, out.Tier.BiasProfile))
	for _, name := range []string{out.Tier.ToolPreset, out.Persona.ToolPreset} {
		if name != "" {
			preset, _ := s.Roster.ToolPreset(name) // a missing preset has no tools
			preset.Name = name
			out.Presets = append(out.Presets, preset)
		}
	}
	out.address(seat)
	out.Reply = out.reply(s.Offered(), seat.Cut)
	return out
}

// choose sets the requested persona, or else the tier's own.
func (x *Sitting) choose(s events.Settings, wanted string) {
	persona, has := s.Roster.Persona(wanted)
	if !has {
		persona, _ = s.Roster.Persona(x.Tier.Persona)
		if wanted != "" {
			x.Note = fmt.Sprintf("there is no persona %s in this session", chars.Quote(Clip(wanted, events.MaxToken)))
		}
	}
	x.Persona = persona
}

// address sets the model and its parameters: the ticket's own model, else the persona's list, else
// the tier's list.
func (x *Sitting) address(seat Seat) {
	x.Provider = events.ProviderName(x.Tier.Provider)
	x.Params = events.ModelParams{Temperature: x.Tier.Temperature, TopP: x.Tier.TopP,
		MaxOutputTokens: x.Tier.MaxOutputTokens, Effort: x.Tier.Effort}
	x.preset()
	x.Model = x.Tier.Model(seat.Retries)
	if m, has := x.preferred(seat); has {
		x.prefer(m)
	}
	x.Model = cmp.Or(seat.Model, x.Model)
}

// preferred returns the persona's model for a seat: the one that the ticket names, else the one
// for its retries. It returns false if the persona has none.
func (x *Sitting) preferred(seat Seat) (events.PreferredModel, bool) {
	models := x.Persona.Models
	i := min(max(seat.Retries, 0), len(models)-1)
	if seat.Model != "" {
		i = slices.IndexFunc(models, func(m events.PreferredModel) bool { return m.Model == seat.Model })
	}
	if i < 0 {
		return events.PreferredModel{}, false
	}
	return models[i], true
}

// preset sets the parameters that the tier leaves open; it can only shorten replies.
func (x *Sitting) preset() {
	if x.Params.Temperature == nil {
		x.Params.Temperature = x.Prompt.Temperature
	}
	if x.Params.TopP == nil {
		x.Params.TopP = x.Prompt.TopP
	}
	x.Params.MaxOutputTokens = lower(x.Params.MaxOutputTokens, x.Prompt.MaxOutputTokens)
}

// prefer selects one of the persona's models. A project's persona cannot make replies longer.
func (x *Sitting) prefer(m events.PreferredModel) {
	x.Provider, x.Model = events.ProviderName(m.Provider), m.Model
	if m.Temperature != nil {
		x.Params.Temperature = m.Temperature
	}
	if m.TopP != nil {
		x.Params.TopP = m.TopP
	}
	switch {
	case m.MaxOutputTokens <= 0:
	case x.Persona.Project:
		x.Params.MaxOutputTokens = lower(x.Params.MaxOutputTokens, m.MaxOutputTokens)
	default:
		x.Params.MaxOutputTokens = m.MaxOutputTokens
	}
}

// lower returns the lower of two limits, of which 0 means no limit.
func lower(a, b int) int {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

// Has reports whether a tool is in all of the presets.
func (p Presets) Has(tool string) bool {
	for _, preset := range p {
		if _, has := preset.Entry(tool); !has {
			return false
		}
	}
	return true
}

// Of returns the tools that are in all of the presets, in the given order.
func (p Presets) Of(tools []string) []string {
	if len(p) == 0 {
		return tools
	}
	var out []string
	for _, t := range tools {
		if p.Has(t) {
			out = append(out, t)
		}
	}
	return out
}

// Approval returns the presets' approval setting for a tool, and the preset that sets it: ask if
// any preset says ask, else auto if any says auto.
func (p Presets) Approval(tool string) (approval, preset string) {
	for _, x := range p {
		switch word, _ := x.Entry(tool); {
		case word == events.PresetAsk:
			return word, x.Name
		case word == events.PresetAuto && approval == "":
			approval, preset = word, x.Name
		}
	}
	return approval, preset
}
