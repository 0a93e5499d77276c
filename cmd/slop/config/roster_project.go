package config

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sync"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tools/builtin"
)

// personRoster reads the user's personas and presets.
func (l *layers) personRoster(userDir string) error {
	if userDir == "" {
		return nil
	}
	files, err := readRoster(userDir, presetsName)
	if err != nil {
		return err
	}
	l.config.Roster = files.over(events.Roster{}, false)
	if err := files.personasDoc.placed(files.unknownProviders(l.config)); err != nil {
		return err
	}
	return files.check(l.config.Roster)
}

// unknownProviders returns mistakes for a user's personas with an unknown provider.
func (f rosterFiles) unknownProviders(c Config) []*Error {
	var found []*Error
	for _, name := range sortedKeys(reflect.ValueOf(f.personas.Personas)) {
		for i, m := range f.personas.Personas[name].PreferredModels {
			if validProviderName(m.Provider) && !c.KnownProvider(m.Provider) {
				found = append(found, invalid(fmt.Sprintf("personas.%s.preferred_models.%d.provider", name, i), "%s",
					c.nobodyCalled(m.Provider)))
			}
		}
	}
	return found
}

// projectRoster applies the project's personas and presets to the user's.
func (l *layers) projectRoster(projectDir string) error {
	files, err := readRoster(projectDir, ProjectPresetsName)
	if err != nil {
		return err
	}
	person := l.config
	all := files.over(person.Roster, true)
	if err := files.check(all); err != nil {
		return err
	}
	if err := files.toolsDoc.placed(files.looserPresets(person.Roster)); err != nil {
		return err
	}
	if err := files.toolsDoc.placed(files.wordyProfiles()); err != nil {
		return err
	}
	if err := files.personasDoc.placed(files.looserPersonas(person, all)); err != nil {
		return err
	}
	l.config.Roster = all
	return nil
}

// looserPresets returns mistakes for a project's tool presets that allow more than the user's preset of the same name
// or, if there is none, more than no preset at all.
func (f rosterFiles) looserPresets(person events.Roster) []*Error {
	var found []*Error
	for _, name := range sortedKeys(reflect.ValueOf(f.tools.Presets)) {
		var mine tiers.Presets
		if p, has := person.ToolPreset(name); has {
			mine = tiers.Presets{p}
		}
		if problem := looser(mine, tiers.Presets{f.tools.Presets[name].preset(name)}); problem != "" {
			found = append(found, notByProject("presets."+name, problem))
		}
	}
	return found
}

// nudge matches the text that a project may set for a parameter: a word or two, too short for an instruction. The
// text appears next to the system's own text and in tool descriptions, where no fence marks its origin.
var nudge = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\pL\pN_-]{1,24}( [\pL\pN_-]{1,24})?$`)
})

// wordyProfiles returns mistakes for a project's bias profiles whose texts are longer than that.
func (f rosterFiles) wordyProfiles() []*Error {
	var found []*Error
	for _, name := range sortedKeys(reflect.ValueOf(f.tools.BiasProfiles)) {
		for _, tool := range sortedKeys(reflect.ValueOf(f.tools.BiasProfiles[name].Tools)) {
			words := f.tools.BiasProfiles[name].Tools[tool].ParameterBias
			for _, parameter := range slices.Sorted(maps.Keys(words)) {
				if !validName(parameter) || !nudge().MatchString(words[parameter]) {
					found = append(found, notByProject("bias_profiles."+name,
						"can have at most two words for each parameter in a project"))
				}
			}
		}
	}
	return found
}

// looserPersonas returns mistakes for a project's personas with a provider that the user does not use, or with tools
// that are less strict than those of the user's persona of the same name.
func (f rosterFiles) looserPersonas(person Config, all events.Roster) []*Error {
	var found []*Error
	presets := func(r events.Roster, name string) tiers.Presets {
		p, _ := r.Persona(name)
		if preset, has := all.ToolPreset(p.ToolPreset); has {
			return tiers.Presets{preset}
		}
		return nil
	}
	for _, name := range sortedKeys(reflect.ValueOf(f.personas.Personas)) {
		p, key := f.personas.Personas[name], "personas."+name
		for i, m := range p.PreferredModels {
			if !slices.Contains(knownProviders(person), events.ProviderName(m.Provider)) {
				found = append(found, notByProject(fmt.Sprintf("%s.preferred_models.%d.provider", key, i),
					fmt.Sprintf("cannot choose the provider %q from a project", m.Provider)))
			}
		}
		if problem := looser(presets(person.Roster, name), presets(all, name)); problem != "" {
			found = append(found, notByProject(key, problem))
		}
	}
	return found
}

// looserTiers returns mistakes for the tiers for which a project's slop.toml chooses a persona or preset that allows
// more than the user's choice.
func looserTiers(person, project Config) []*Error {
	var found []*Error
	for n := 1; n <= 4; n++ {
		mine, theirs := seated(person, project.Roster, n), seated(project, project.Roster, n)
		key := fmt.Sprintf("tiers.%d.tool_preset", n)
		if person.Tier(n).ToolPreset == project.Tier(n).ToolPreset {
			key = fmt.Sprintf("tiers.%d.persona", n)
		}
		if problem := looser(mine.Presets, theirs.Presets); problem != "" {
			found = append(found, notByProject(key, problem))
		}
		if had, has := mine.Params.MaxOutputTokens, theirs.Params.MaxOutputTokens; had > 0 && (has == 0 || has > had) {
			found = append(found, notByProject(fmt.Sprintf("tiers.%d.persona", n), fmt.Sprintf("makes replies longer than %d "+
				"tokens", had)))
		}
	}
	return found
}

func seated(c Config, r events.Roster, n int) tiers.Sitting {
	return tiers.Seat{Tier: n}.Take(events.Settings{Tiers: []events.TierSettings{TierSettings(n, c.Tier(n), false)},
		Roster: r})
}

func notByProject(key, problem string) *Error {
	return &Error{Kind: ConfigNotAllowed, Key: key, Problem: problem, Hint: "a project can only make things stricter"}
}

// looser returns what theirs allow beyond mine, or "" if nothing.
func looser(mine, theirs tiers.Presets) string {
	for _, tool := range toolNames(mine, theirs) {
		if !theirs.Has(tool) {
			continue
		}
		before, _ := mine.Approval(tool)
		now, _ := theirs.Approval(tool)
		switch {
		case !mine.Has(tool):
			return fmt.Sprintf("cannot add the tool %s in a project", tool)
		case strictness(now) < strictness(before):
			return fmt.Sprintf("cannot let the tool %s run with fewer asks in a project", tool)
		}
	}
	return ""
}

// strictness orders the approval values of a preset.
func strictness(approval string) int {
	return slices.Index([]string{events.PresetAuto, "", events.PresetAsk}, approval)
}

// toolNames returns all tools that the presets can apply to: those of this program, those that the presets name, and
// one of an external server.
func toolNames(presets ...tiers.Presets) []string {
	out := []string{"mcp__server__tool"}
	for _, t := range builtin.Tools().All() {
		out = append(out, t.Spec().Name)
	}
	for _, p := range presets {
		for _, preset := range p {
			for _, e := range preset.Tools {
				out = append(out, e.Tool)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
