package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"manualslop/events"
)

// rosterFiles holds the persona and preset files of one folder. A missing file counts as empty, and its doc has no
// entries.
type rosterFiles struct {
	personas    personasFile
	tools       toolPresetsFile
	presets     presetsFile
	personasDoc *document
	toolsDoc    *document
	presetsDoc  *document
}

// readRoster reads the files of a folder. Errors wrap [Error], with file
// and line.
func readRoster(dir, presets string) (f rosterFiles, err error) {
	if f.personasDoc, err = readOptional(filepath.Join(dir, PersonasName), &f.personas); err != nil {
		return f, err
	}
	if f.toolsDoc, err = readOptional(filepath.Join(dir, ToolPresetsName), &f.tools); err != nil {
		return f, err
	}
	f.presetsDoc, err = readOptional(filepath.Join(dir, presets), &f.presets)
	return f, err
}

// readOptional reads a file into a struct and checks its bounds.
func readOptional[T any](path string, into *T) (*document, error) {
	none := &document{file: path}
	text, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	schema := schema(reflect.TypeFor[T]())
	doc, err := decodeDocument(path, text, schema, into)
	if err != nil {
		return none, err
	}
	return doc, doc.placed(checkBounds(schema, reflect.ValueOf(*into), ""))
}

// over applies the files to a roster. Entries replace existing ones of the same name.
func (f rosterFiles) over(r events.Roster, project bool) events.Roster {
	return events.Roster{
		Personas: joined(r.Personas, f.personas.Personas, func(name string, c personaConfig) events.Persona {
			return c.persona(name, project)
		}, func(p events.Persona) string { return p.Name }),
		ToolPresets: joined(r.ToolPresets, f.tools.Presets, func(name string, c toolPresetConfig) events.ToolPreset {
			return c.preset(name)
		}, func(p events.ToolPreset) string { return p.Name }),
		BiasProfiles: joined(r.BiasProfiles, f.tools.BiasProfiles,
			func(name string, c biasProfileConfig) events.BiasProfile { return c.profile(name) },
			func(p events.BiasProfile) string { return p.Name }),
		PromptPresets: joined(r.PromptPresets, f.presets.Presets,
			func(name string, c promptPresetConfig) events.PromptPreset { return c.preset(name, project) },
			func(p events.PromptPreset) string { return p.Name }),
	}
}

// joined returns the list with the entries of a file, by name.
func joined[T, C any](list []T, entries map[string]C, make func(string, C) T, nameOf func(T) string) []T {
	all := map[string]T{}
	for _, x := range list {
		all[nameOf(x)] = x
	}
	for name, c := range entries {
		all[name] = make(name, c)
	}
	var out []T
	for _, name := range sortedKeys(reflect.ValueOf(all)) {
		out = append(out, all[name])
	}
	return out
}

// check validates the merged roster and adds the positions in these files.
func (f rosterFiles) check(r events.Roster) error {
	if err := f.toolsDoc.placed(append(f.brokenTools(), f.unknownTools()...)); err != nil {
		return err
	}
	var found []*Error
	for _, name := range sortedKeys(reflect.ValueOf(f.personas.Personas)) {
		p, key := f.personas.Personas[name], "personas."+name
		if _, has := r.ToolPreset(p.ToolPreset); p.ToolPreset != "" && !has {
			found = append(found, lost(key+".tool_preset", "tool preset", p.ToolPreset, r.ToolPresetNames()))
		}
		if _, has := r.BiasProfile(p.BiasProfile); p.BiasProfile != "" && !has {
			found = append(found, lost(key+".bias_profile", "bias profile", p.BiasProfile, r.BiasProfileNames()))
		}
		for i, m := range p.PreferredModels {
			if !validProviderName(m.Provider) || m.Model == "" {
				found = append(found, invalid(fmt.Sprintf("%s.preferred_models.%d", key, i), "must name a provider and a model"))
			}
		}
	}
	if len(found) > 0 {
		return f.personasDoc.placed(found)
	}
	if err := r.Check(); err != nil {
		return &Error{Kind: ConfigInvalid, File: f.fileOf(err), Problem: err.Error()}
	}
	return nil
}

// brokenTools returns the mistakes in entries of tool_presets.toml.
func (f rosterFiles) brokenTools() []*Error {
	var found []*Error
	for _, name := range sortedKeys(reflect.ValueOf(f.tools.Presets)) {
		if err := (events.Roster{ToolPresets: []events.ToolPreset{f.tools.Presets[name].preset(name)}}).Check(); err != nil {
			found = append(found, invalid("presets."+name, "cannot be: %v", err))
		}
	}
	for _, name := range sortedKeys(reflect.ValueOf(f.tools.BiasProfiles)) {
		if err := (events.Roster{BiasProfiles: []events.BiasProfile{
			f.tools.BiasProfiles[name].profile(name)}}).Check(); err != nil {
			found = append(found, invalid("bias_profiles."+name, "cannot be: %v", err))
		}
	}
	return found
}

// fileOf returns the file that an error of [events.Roster.Check] is about.
func (f rosterFiles) fileOf(err error) string {
	switch {
	case strings.Contains(err.Error(), "tool preset"), strings.Contains(err.Error(), "bias profile"):
		return f.toolsDoc.file
	case strings.Contains(err.Error(), "prompt preset"):
		return f.presetsDoc.file
	}
	return f.personasDoc.file
}

// lost returns the mistake for an unknown name.
func lost(key, what, name string, there []string) *Error {
	e := invalid(key, "names the unknown %s %q", what, name)
	if e.Hint = "none is defined"; len(there) > 0 {
		e.Hint = "defined: " + strings.Join(there, ", ")
	}
	return e
}

// checkRoster finds unknown names in the sections of tiers.
func checkRoster(c Config) []*Error {
	var found []*Error
	for n := 1; n <= 4; n++ {
		t, path := c.Tier(n), fmt.Sprintf("tiers.%d.", n)
		if _, has := c.Roster.Persona(t.Persona); t.Persona != "" && !has {
			found = append(found, lost(path+"persona", "persona", t.Persona, c.Roster.PersonaNames()))
		}
		if _, has := c.Roster.ToolPreset(t.ToolPreset); t.ToolPreset != "" && !has {
			found = append(found, lost(path+"tool_preset", "tool preset", t.ToolPreset, c.Roster.ToolPresetNames()))
		}
		if _, has := c.Roster.BiasProfile(t.BiasProfile); t.BiasProfile != "" && !has {
			found = append(found, lost(path+"bias_profile", "bias profile", t.BiasProfile, c.Roster.BiasProfileNames()))
		}
		if _, has := c.Roster.PromptPreset(t.PromptPreset); t.PromptPreset != "" && !has {
			found = append(found, lost(path+"prompt_preset", "prompt preset", t.PromptPreset, c.Roster.PromptPresetNames()))
		}
	}
	return found
}
