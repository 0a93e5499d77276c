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
