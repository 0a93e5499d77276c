package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"manualslop/events/chars"
)

// Bounds of a [Roster].
const (
	// MaxRoster is the number of entries of each of its lists.
	MaxRoster = 64
	// MaxRosterBytes is the size of all of it as JSON.
	MaxRosterBytes = 256 << 10
	// MaxSystemPrompt is the length of a system prompt that somebody wrote, in bytes.
	MaxSystemPrompt = 16 << 10
	// MaxPreferredModels is the number of models of a persona.
	MaxPreferredModels = 16
	// MaxPresetTools is the number of entries of a tool preset, and of a bias profile.
	MaxPresetTools = 256
)

// Roster is who and what a person, and in bounds the project, has prepared for
// models to work as and with. It stays for the whole session.
type Roster struct {
	Personas      []Persona      `json:"personas,omitempty"`
	ToolPresets   []ToolPreset   `json:"tool_presets,omitempty"`
	BiasProfiles  []BiasProfile  `json:"bias_profiles,omitempty"`
	PromptPresets []PromptPreset `json:"prompt_presets,omitempty"`
}

// Persona is a way to work that a tier, a track or a ticket can be given.
type Persona struct {
	Name string `json:"name"`
	// Models replace the tier's ladder: the first is asked first, the rest are
	// those of the retries. None: the tier's ladder.
	Models       []PreferredModel `json:"preferred_models,omitempty"`
	SystemPrompt string           `json:"system_prompt,omitempty"`
	ToolPreset   string           `json:"tool_preset,omitempty"`
	BiasProfile  string           `json:"bias_profile,omitempty"`
	// saved selection of files that its tickets see
	ContextPreset       string `json:"context_preset,omitempty"`
	AggregationStrategy string `json:"aggregation_strategy,omitempty"` // auto, summarize, full: how they see them
	Project             bool   `json:"project,omitempty"`              // the project's, not the person's
}

// PreferredModel is one model of a persona. What is unset is the tier's.
type PreferredModel struct {
	Provider        string   `json:"provider"`
	Model           string   `json:"model"`
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"top_p,omitempty"`
	MaxOutputTokens int      `json:"max_output_tokens,omitempty"`
}

// Words of a tool preset about one tool.
const (
	PresetAuto = "auto" // it runs as by an allow rule of the person
	PresetAsk  = "ask"  // it asks as by an ask rule
)

// ToolPreset is the set of tools that somebody works with: others are not
// offered, and not run if they are called all the same.
type ToolPreset struct {
	Name  string       `json:"name"`
	Tools []PresetTool `json:"tools"`
}

// PresetTool is one entry of a tool preset.
type PresetTool struct {
	Tool     string `json:"tool"`               // glob over tool names, as [path.Match] has it
	Approval string `json:"approval,omitempty"` // [PresetAuto], [PresetAsk]; empty: the rules decide
}

// BiasProfile nudges models towards some tools and away from others. It allows
// and forbids nothing.
type BiasProfile struct {
	Name  string     `json:"name"`
	Tools []ToolBias `json:"tools"`
}

// ToolBias is one entry of a bias profile.
type ToolBias struct {
	Tool string `json:"tool"`
	// Weight is from 1, avoid, to 5, first choice; 0 and 3 say nothing.
	Weight int `json:"weight,omitempty"`
	// Parameters is what to give a parameter, by its name, in a word or two.
	Parameters map[string]string `json:"parameter_bias,omitempty"`
}

// PromptPreset is a text for system prompts, with parameters that hold where
// neither a persona's model nor the tier has any.
type PromptPreset struct {
	Name            string   `json:"name"`
	SystemPrompt    string   `json:"system_prompt"`
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"top_p,omitempty"`
	MaxOutputTokens int      `json:"max_output_tokens,omitempty"` // can only lower the tier's
	Project         bool     `json:"project,omitempty"`           // the project's, not the person's
}

// Persona finds a persona by name.
func (r Roster) Persona(name string) (Persona, bool) {
	return named(r.Personas, name, func(p Persona) string { return p.Name })
}

// ToolPreset finds a tool preset by name.
func (r Roster) ToolPreset(name string) (ToolPreset, bool) {
	return named(r.ToolPresets, name, func(p ToolPreset) string { return p.Name })
}

// BiasProfile finds a bias profile by name.
func (r Roster) BiasProfile(name string) (BiasProfile, bool) {
	return named(r.BiasProfiles, name, func(p BiasProfile) string { return p.Name })
}

// PromptPreset finds a prompt preset by name.
func (r Roster) PromptPreset(name string) (PromptPreset, bool) {
	return named(r.PromptPresets, name, func(p PromptPreset) string { return p.Name })
}

// PersonaNames are the names of the personas, as the roster has them.
func (r Roster) PersonaNames() []string {
	return namesOf(r.Personas, func(p Persona) string { return p.Name })
}

// ToolPresetNames are the names of the tool presets, as the roster has them.
func (r Roster) ToolPresetNames() []string {
	return namesOf(r.ToolPresets, func(p ToolPreset) string { return p.Name })
}

// BiasProfileNames are the names of the bias profiles, as the roster has them.
func (r Roster) BiasProfileNames() []string {
	return namesOf(r.BiasProfiles, func(p BiasProfile) string { return p.Name })
}

// PromptPresetNames are the names of the prompt presets, as the roster has them.
func (r Roster) PromptPresetNames() []string {
	return namesOf(r.PromptPresets, func(p PromptPreset) string { return p.Name })
}

// namesOf is never nil.
func namesOf[T any](list []T, nameOf func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = nameOf(x)
	}
	return out
}

func named[T any](list []T, name string, nameOf func(T) string) (T, bool) {
	i := slices.IndexFunc(list, func(x T) bool { return nameOf(x) == name })
	if i < 0 || name == "" {
		var none T
		return none, false
	}
	return list[i], true
}

// Entry is the preset's word on a tool: whether it has the tool at all, and
// auto, ask or nothing. Of several entries ask beats auto, and an entry that
// says nothing takes nothing away. A glob never stands for auto of a tool that
// it does not spell out.
func (p ToolPreset) Entry(tool string) (approval string, has bool) {
	for _, e := range p.Tools {
		hit, err := path.Match(e.Tool, tool)
		switch {
		case err != nil || !hit:
			continue
		case e.Approval == PresetAsk:
			approval = PresetAsk
		case e.Approval == PresetAuto && approval == "" && e.Tool == tool:
			approval = PresetAuto
		}
		has = true
	}
	return approval, has
}

// Entry is the profile's word on a tool; the zero value where it has none.
func (p BiasProfile) Entry(tool string) ToolBias {
	b, _ := named(p.Tools, tool, func(b ToolBias) string { return b.Tool })
	return b
}

// Mark is what stands before the tool's description; empty where the weight
// says nothing.
func (b ToolBias) Mark() string {
	switch b.Weight {
	case 5:
		return "[HIGH PRIORITY]"
	case 4:
		return "[PREFERRED]"
	case 2:
		return "[LOW PRIORITY]"
	case 1:
		return "[AVOID]"
	}
	return ""
}

// Check says what is wrong with a roster: an entry without a name of its own, a
// name that leads nowhere, or a [LimitError].
func (r Roster) Check() error {
	if err := errors.Join(
		checkNames("persona", r.Personas, func(p Persona) string { return p.Name }),
		checkNames("tool preset", r.ToolPresets, func(p ToolPreset) string { return p.Name }),
		checkNames("bias profile", r.BiasProfiles, func(p BiasProfile) string { return p.Name }),
		checkNames("prompt preset", r.PromptPresets, func(p PromptPreset) string { return p.Name }),
	); err != nil {
		return err
	}
	for _, p := range r.Personas {
		if err := r.checkPersona(p); err != nil {
			return fmt.Errorf("the persona %s: %w", p.Name, err)
		}
	}
	for _, p := range r.ToolPresets {
		if err := p.check(); err != nil {
			return fmt.Errorf("the tool preset %s: %w", p.Name, err)
		}
	}
	for _, p := range r.BiasProfiles {
		if err := p.check(); err != nil {
			return fmt.Errorf("the bias profile %s: %w", p.Name, err)
		}
	}
	for _, p := range r.PromptPresets {
		if err := checkPrompt(p.SystemPrompt); err != nil {
			return fmt.Errorf("the prompt preset %s: %w", p.Name, err)
		}
	}
	b, err := json.Marshal(r)
	if err == nil && len(b) > MaxRosterBytes {
		err = LimitError{"all personas and presets together", len(b), MaxRosterBytes, "bytes long as JSON"}
	}
	return err
}

func checkNames[T any](what string, list []T, nameOf func(T) string) error {
	if len(list) > MaxRoster {
		return LimitError{"the list of each kind", len(list), MaxRoster, "entries long"}
	}
	seen := map[string]bool{}
	for _, x := range list {
		name := nameOf(x)
		if !ValidToken(name) || seen[name] {
			return fmt.Errorf("a %s has no valid name of its own", what)
		}
		seen[name] = true
	}
	return nil
}

func (r Roster) checkPersona(p Persona) error {
	if _, has := r.ToolPreset(p.ToolPreset); p.ToolPreset != "" && !has {
		return fmt.Errorf("there is no tool preset %s", chars.Quote(p.ToolPreset))
	}
	if _, has := r.BiasProfile(p.BiasProfile); p.BiasProfile != "" && !has {
		return fmt.Errorf("there is no bias profile %s", chars.Quote(p.BiasProfile))
	}
	if len(p.Models) > MaxPreferredModels {
		return LimitError{"its list of models", len(p.Models), MaxPreferredModels, "entries long"}
	}
	for i, m := range p.Models {
		if m.Provider == "" || m.Model == "" || len(m.Model) > MaxModelName {
			return fmt.Errorf("model %d names no provider or no model of 1 to %d bytes", i+1, MaxModelName)
		}
	}
	if !slices.Contains([]string{"", "auto", "summarize", "full"}, p.AggregationStrategy) {
		return fmt.Errorf("the aggregation strategy %s is not auto, summarize or full", chars.Quote(p.AggregationStrategy))
	}
	return checkPrompt(p.SystemPrompt)
}

func (p ToolPreset) check() error {
	if len(p.Tools) > MaxPresetTools {
		return LimitError{"its list of tools", len(p.Tools), MaxPresetTools, "entries long"}
	}
	for _, e := range p.Tools {
		if _, err := path.Match(e.Tool, ""); err != nil || e.Tool == "" {
			return fmt.Errorf("%s is no glob over names of tools", chars.Quote(e.Tool))
		}
		if !slices.Contains([]string{"", PresetAuto, PresetAsk}, e.Approval) {
			return fmt.Errorf("the approval of %s is not auto or ask", e.Tool)
		}
		if e.Approval == PresetAuto && strings.ContainsAny(e.Tool, `*?[\`) {
			return fmt.Errorf("the approval auto needs the name of one tool, not %s", chars.Quote(e.Tool))
		}
	}
	return nil
}

// maxNudge bounds what a bias profile says of one parameter, in bytes.
const maxNudge = 256

func (p BiasProfile) check() error {
	if len(p.Tools) > MaxPresetTools {
		return LimitError{"its list of tools", len(p.Tools), MaxPresetTools, "entries long"}
	}
	for _, b := range p.Tools {
		if b.Tool == "" || b.Weight < 0 || b.Weight > 5 {
			return fmt.Errorf("the weight of %s is not from 1 to 5", chars.Quote(b.Tool))
		}
		// order-independent: any one is an error, and which does not show
		for name, word := range b.Parameters {
			if name == "" || word == "" || len(name) > maxNudge || len(word) > maxNudge || strings.ContainsFunc(name+word,
				unprintable) {
				return fmt.Errorf("%s: what it says of a parameter is not 1 to %d bytes of one line", b.Tool, maxNudge)
			}
		}
	}
	return nil
}

func unprintable(r rune) bool { return !chars.Printable(r) }

// checkPrompt refuses what cannot stand in a system prompt.
func checkPrompt(text string) error {
	switch {
	case len(text) > MaxSystemPrompt:
		return LimitError{"the system prompt", len(text), MaxSystemPrompt, "bytes long"}
	case !utf8.ValidString(text):
		return errors.New("the system prompt is not UTF-8")
	}
	return nil
}
