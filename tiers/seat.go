package tiers

import (
	"cmp"
	"fmt"
	"slices"

	"manualslop/events"
	"manualslop/events/chars"
)

// Seat is what a request is for, as far as that decides who answers it and
// with what in hand.
type Seat struct {
	Tier int
	// Persona is who a track or ticket asks for; empty: the tier's own.
	Persona string
	// Model is what a ticket asks for; it beats every list of models.
	Model string
	// Cut counts the replies that were cut at their limit and asked for again.
	Cut int
	// Retries counts what went wrong before: the list's model of that number
	// answers, or its last.
	Retries int
}

// Sitting is a [Seat] that is taken, under the settings of now.
type Sitting struct {
	Tier     events.TierSettings
	Provider string // one spelling
	Model    string
	Params   events.ModelParams
	Persona  events.Persona      // the zero value: none
	Prompt   events.PromptPreset // the zero value: none
	Bias     events.BiasProfile  // the zero value: none
	Presets  Presets
	// Reply is the most tokens of a reply, thoughts included; 0: as its server sets it.
	Reply int
	// ProjectPrompt is what the project's document says to every model.
	ProjectPrompt string
	// Note says which wish is not followed, and why; empty: none.
	Note string
}

// Presets are the tool presets that hold at once: the tier's and the persona's.
// None leaves the tools as they are.
type Presets []events.ToolPreset

// Take finds who sits there.
func (seat Seat) Take(s events.Settings) Sitting {
	out := Sitting{Tier: s.Tier(seat.Tier), ProjectPrompt: s.ProjectPrompt}
	out.choose(s, seat.Persona)
	out.Prompt, _ = s.Roster.PromptPreset(out.Tier.PromptPreset)
	out.Bias, _ = s.Roster.BiasProfile(cmp.Or(out.Persona.BiasProfile, out.Tier.BiasProfile))
	for _, name := range []string{out.Tier.ToolPreset, out.Persona.ToolPreset} {
		if name != "" {
			preset, _ := s.Roster.ToolPreset(name) // a missing one has no tools
			preset.Name = name
			out.Presets = append(out.Presets, preset)
		}
	}
	out.address(seat)
	out.Reply = out.reply(s.Offered(), seat.Cut)
	return out
}

// choose takes the persona that was asked for, else the tier's own.
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

// address finds the model and its parameters: the ticket's own model, else the
// persona's list, else the tier's ladder.
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

// preferred returns the persona's model for a seat: the one that the ticket
// names, else the one for its retries. False if the persona has none to offer.
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

// preset fills what the tier leaves open; it can only shorten replies.
func (x *Sitting) preset() {
	if x.Params.Temperature == nil {
		x.Params.Temperature = x.Prompt.Temperature
	}
	if x.Params.TopP == nil {
		x.Params.TopP = x.Prompt.TopP
	}
	x.Params.MaxOutputTokens = lower(x.Params.MaxOutputTokens, x.Prompt.MaxOutputTokens)
}

// prefer goes to one of the persona's models. The project's may not make
// replies longer.
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

// lower returns the lower of two limits, of which 0 is none.
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

// Of keeps the tools that are in all of the presets, in their order.
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

// Approval returns what the presets say of a tool, and which of them says it:
// ask if one of them does, else auto if one does.
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
