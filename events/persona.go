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

// Limits of a [Roster].
const (
	// MaxRoster limits the entries of each list.
	MaxRoster = 64
	// MaxRosterBytes limits the size of a roster as JSON.
	MaxRosterBytes = 256 << 10
	// MaxSystemPrompt limits the length of a custom system prompt, in bytes.
	MaxSystemPrompt = 16 << 10
	// MaxPreferredModels limits the number of models of a persona.
	MaxPreferredModels = 16
	// MaxPresetTools limits the entries of a tool preset and of a bias profile.
	MaxPresetTools = 256
)

// Roster holds the personas and presets that a person and, within limits, the project have defined
// for models. It does not change during a session.
type Roster struct {
	Personas      []Persona      `json:"personas,omitempty"`
	ToolPresets   []ToolPreset   `json:"tool_presets,omitempty"`
	BiasProfiles  []BiasProfile  `json:"bias_profiles,omitempty"`
	PromptPresets []PromptPreset `json:"prompt_presets,omitempty"`
}

// Persona is a set of instructions, models and tools that can be assigned to a
// tier, a track or a ticket.
type Persona struct {
	Name string `json:"name"`
	// Models replace the tier's list: the first is asked first, the others in retries. Empty means
	// the tier's list.
	Models       []PreferredModel `json:"preferred_models,omitempty"`
	SystemPrompt string           `json:"system_prompt,omitempty"`
	ToolPreset   string           `json:"tool_preset,omitempty"`
	BiasProfile  string           `json:"bias_profile,omitempty"`
	// saved selection of files that its tickets see
	ContextPreset       string `json:"context_preset,omitempty"`
	AggregationStrategy string `json:"aggregation_strategy,omitempty"` // how they see them: auto, summarize or full
	Project             bool   `json:"project,omitempty"`              // defined by the project, not by the person
}

// PreferredModel is one model of a persona. Unset members are taken from the tier.
type PreferredModel struct {
	Provider        string   `json:"provider"`
	Model           string   `json:"model"`
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"top_p,omitempty"`
	MaxOutputTokens int      `json:"max_output_tokens,omitempty"`
}

// Approval values of a tool preset for one tool.
const (
	PresetAuto = "auto" // runs as if allowed by a rule of the person
	PresetAsk  = "ask"  // asks as if a rule of the person said so
)

// ToolPreset is a set of allowed tools: others are not offered, and do not run even if called.
type ToolPreset struct {
	Name  string       `json:"name"`
	Tools []PresetTool `json:"tools"`
}

// PresetTool is one entry of a tool preset.
type PresetTool struct {
	Tool     string `json:"tool"`               // glob for tool names, see [path.Match]
	Approval string `json:"approval,omitempty"` // [PresetAuto] or [PresetAsk]; empty means that the rules decide
}

// BiasProfile steers models towards some tools and away from others. It neither allows nor forbids
// anything.
type BiasProfile struct {
	Name  string     `json:"name"`
	Tools []ToolBias `json:"tools"`
}

// ToolBias is one entry of a bias profile.
type ToolBias struct {
	Tool string `json:"tool"`
	// Weight is from 1 (avoid) to 5 (first choice); 0 and 3 are neutral.
	Weight int `json:"weight,omitempty"`
	// Parameters holds short notes on preferred values, by parameter name.
	Parameters map[string]string `json:"parameter_bias,omitempty"`
}

// PromptPreset is a text for system prompts, with parameters that apply if neither a persona's
// model nor the tier sets them.
type PromptPreset struct {
	Name            string   `json:"name"`
	SystemPrompt    string   `json:"system_prompt"`
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"top_p,omitempty"`
	MaxOutputTokens int      `json:"max_output_tokens,omitempty"` // can only lower the tier's value
	Project         bool     `json:"project,omitempty"`           // defined by the project, not by the person
}

// Persona returns a persona by name.
func (r Roster) Persona(name string) (Persona, bool) {
	return named(r.Personas, name, func(p Persona) string { return p.Name })
}

// ToolPreset returns a tool preset by name.
func (r Roster) ToolPreset(name string) (ToolPreset, bool) {
	return named(r.ToolPresets, name, func(p ToolPreset) string { return p.Name })
}

// BiasProfile returns a bias profile by name.
func (r Roster) BiasProfile(name string) (BiasProfile, bool) {
	return named(r.BiasProfiles, name, func(p BiasProfile) string { return p.Name })
}

// PromptPreset returns a prompt preset by name.
func (r Roster) PromptPreset(name string) (PromptPreset, bool) {
	return named(r.PromptPresets, name, func(p PromptPreset) string { return p.Name })
}

// PersonaNames returns the names of the personas, in the order of the roster.
func (r Roster) PersonaNames() []string {
	return namesOf(r.Personas, func(p Persona) string { return p.Name })
}

// ToolPresetNames returns the names of the tool presets, in the order of the
// roster.
func (r Roster) ToolPresetNames() []string {
	return namesOf(r.ToolPresets, func(p ToolPreset) string { return p.Name })
}

// BiasProfileNames returns the names of the bias profiles, in the order of the
// roster.
func (r Roster) BiasProfileNames() []string {
	return namesOf(r.BiasProfiles, func(p BiasProfile) string { return p.Name })
}

// PromptPresetNames returns the names of the prompt presets, in the order of
// the roster.
func (r Roster) PromptPresetNames() []string {
	return namesOf(r.PromptPresets, func(p PromptPreset) string { return p.Name })
}

// namesOf returns the names of the entries, never nil.
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

// Entry reports whether the preset has a tool, and returns its approval value: auto, ask or "". If
// several entries match, ask beats auto, and an entry without a value changes nothing. A glob
// never sets auto for a tool that it does not name literally.
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

// Entry returns the profile's entry for a tool; the zero value if it has none.
func (p BiasProfile) Entry(tool string) ToolBias {
	b, _ := named(p.Tools, tool, func(b ToolBias) string { return b.Tool })
	return b
}

// Mark returns the text before the tool's description; empty if the weight is neutral.
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

// Check returns an error if the roster is invalid: an entry without a unique name, a reference to
// an unknown name, or a [LimitError].
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
			return fmt.Errorf("every %s needs a valid, unique name", what)
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
			return fmt.Errorf("model %d needs a provider and a model name of 1 to %d bytes", i+1, MaxModelName)
		}
	}
	if !slices.Contains([]string{"", "auto", "summarize", "full"}, p.AggregationStrategy) {
		return fmt.Errorf("the aggregation strategy must be auto, summarize or full, got "+
			"%s", chars.Quote(p.AggregationStrategy))
	}
	return checkPrompt(p.SystemPrompt)
}

func (p ToolPreset) check() error {
	if len(p.Tools) > MaxPresetTools {
		return LimitError{"its list of tools", len(p.Tools), MaxPresetTools, "entries long"}
	}
	for _, e := range p.Tools {
		if _, err := path.Match(e.Tool, ""); err != nil || e.Tool == "" {
			return fmt.Errorf("%s is not a valid glob for tool names", chars.Quote(e.Tool))
		}
		if !slices.Contains([]string{"", PresetAuto, PresetAsk}, e.Approval) {
			return fmt.Errorf("the approval of %s must be auto or ask", e.Tool)
		}
		if e.Approval == PresetAuto && strings.ContainsAny(e.Tool, `*?[\`) {
			return fmt.Errorf("approval auto must name one tool, got the pattern %s", chars.Quote(e.Tool))
		}
	}
	return nil
}

// maxNudge limits a bias profile's note on one parameter, in bytes.
const maxNudge = 256

func (p BiasProfile) check() error {
	if len(p.Tools) > MaxPresetTools {
		return LimitError{"its list of tools", len(p.Tools), MaxPresetTools, "entries long"}
	}
	for _, b := range p.Tools {
		if b.Tool == "" || b.Weight < 0 || b.Weight > 5 {
			return fmt.Errorf("the weight of %s must be from 1 to 5", chars.Quote(b.Tool))
		}
		// order-independent: any of them is an error, and the text does not depend on which
		for name, word := range b.Parameters {
			if name == "" || word == "" || len(name) > maxNudge || len(word) > maxNudge || strings.ContainsFunc(name+word,
				unprintable) {
				return fmt.Errorf("%s: each note on a parameter must be one line of 1 to %d bytes", b.Tool, maxNudge)
			}
		}
	}
	return nil
}

func unprintable(r rune) bool { return !chars.Printable(r) }

// checkPrompt rejects a text that cannot be used in a system prompt.
func checkPrompt(text string) error {
	switch {
	case len(text) > MaxSystemPrompt:
		return LimitError{"the system prompt", len(text), MaxSystemPrompt, "bytes long"}
	case !utf8.ValidString(text):
		return errors.New("the system prompt must be UTF-8")
	}
	return nil
}
