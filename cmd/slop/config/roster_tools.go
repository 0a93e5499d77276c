package config

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tools/builtin"
)

// unknownTools returns mistakes for names in tool_presets.toml that no tool has: the preset would silently leave out
// the tool that was meant.
func (f rosterFiles) unknownTools() []*Error {
	var names []string
	for _, t := range builtin.Tools().All() {
		names = append(names, t.Spec().Name)
	}
	var found []*Error
	for _, preset := range sortedKeys(reflect.ValueOf(f.tools.Presets)) {
		categories := f.tools.Presets[preset].Categories
		for _, category := range sortedKeys(reflect.ValueOf(categories)) {
			for i, t := range categories[category].Tools {
				if !standsForTool(t.Name, names) {
					found = append(found, noSuchTool(fmt.Sprintf("presets.%s.categories.%s.tools.%d.name", preset, category, i),
						t.Name, names))
				}
			}
		}
	}
	for _, profile := range sortedKeys(reflect.ValueOf(f.tools.BiasProfiles)) {
		for _, tool := range sortedKeys(reflect.ValueOf(f.tools.BiasProfiles[profile].Tools)) {
			if !strings.HasPrefix(tool, events.ExternalToolPrefix) && !slices.Contains(names, tool) {
				found = append(found, noSuchTool("bias_profiles."+profile+".tools."+tool, tool, names))
			}
		}
	}
	return found
}

// standsForTool reports whether a glob matches one of the names, or could match a tool of an external server.
// Malformed globs are reported elsewhere.
func standsForTool(glob string, names []string) bool {
	if strings.HasPrefix(glob, events.ExternalToolPrefix) {
		return true
	}
	return slices.ContainsFunc(append(names, events.ExternalToolPrefix+"server__tool"), func(name string) bool {
		hit, err := path.Match(glob, name)
		return hit || err != nil
	})
}

func noSuchTool(key, name string, names []string) *Error {
	e := invalid(key, "names the unknown tool %q", name)
	e.Hint = "slop tool list prints the tools"
	near := slices.MinFunc(names, func(a, b string) int { return EditDistance(name, a) - EditDistance(name, b) })
	if EditDistance(name, near) <= max(2, len(near)/3) {
		e.Hint = "did you mean `" + near + "`?"
	}
	return e
}
