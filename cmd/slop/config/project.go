package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"manualslop/events"
)

// projectPolicy says what a project's slop.toml may do with a key. A project can only make things stricter, so every
// key has a policy, and the zero value allows nothing.
type projectPolicy string

const (
	// projectNever: a project must not set the key.
	projectNever projectPolicy = "never"
	// projectFree: the key affects quality, not safety.
	projectFree projectPolicy = "free"
	// projectLower allows a number that is not above the user's.
	projectLower projectPolicy = "lower"
	// projectSubset allows a list of entries that the user also has.
	projectSubset projectPolicy = "subset"
	// projectAdd adds the entries to the user's.
	projectAdd projectPolicy = "add"
	// projectInside allows paths inside the user's base directories.
	projectInside projectPolicy = "inside"
	// projectNamed allows a provider that the user's configuration names, or the scripted one.
	projectNamed projectPolicy = "named"
	// projectRestrict: rules that deny or ask.
	projectRestrict projectPolicy = "restrict"
	// projectOnly, followed by a value, allows this value or the one that is in effect.
	projectOnly projectPolicy = "only="
)

const onlyThePerson = "set it in your own configuration (config.toml or --config FILE)"

// words returns the policy for a table cell.
func (p projectPolicy) words() string {
	if value, ok := strings.CutPrefix(string(p), string(projectOnly)); ok {
		return "only `" + value + "`"
	}
	return map[projectPolicy]string{
		projectFree: "yes", projectLower: "lower it", projectSubset: "remove entries",
		projectAdd: "add entries", projectInside: "narrow it", projectNamed: "one of the user's, or `script`",
		projectRestrict: "deny and ask",
	}[p]
}

// checkProject compares a project's file with the user's configuration and returns the settings that would make
// anything less strict.
func checkProject(doc *document, person, project Config) []*Error {
	schema := schema(reflect.TypeFor[Config]())
	var found []*Error
	for _, entry := range doc.entries {
		key := policyKey(schema, entry.path)
		if key == nil || key.project == projectInside {
			continue // a table whose keys have their own entries; paths are checked when they are resolved
		}
		mine, theirs := valueAt(reflect.ValueOf(person), entry.path), valueAt(reflect.ValueOf(project), entry.path)
		if problem := widens(key, person, mine, theirs); problem != "" {
			found = append(found, &Error{
				Kind: ConfigNotAllowed, File: doc.file, Line: entry.line, Key: entry.written(),
				Problem: problem, Hint: onlyThePerson,
			})
		}
	}
	return firstPerKey(found)
}

// policyKey returns the key whose policy applies to an entry, or nil if the entry is a table that only groups keys.
// For a new provider the header alone is rejected.
func policyKey(schema *schemaKey, path []string) *schemaKey {
	key := schema
	for i := 0; i < len(path); i++ {
		switch {
		case key.shape == shapeNamedText:
			return key
		case key.shape == shapeNamed && i == len(path)-1 && allNever(key):
			return &schemaKey{path: key.path, shape: shapeTable, project: projectNever}
		case key.shape == shapeNamed, key.shape == shapeTables:
			key = &schemaKey{shape: shapeTable, children: key.children}
		default:
			key = key.child(path[i])
		}
	}
	if len(key.children) > 0 {
		return nil
	}
	return key
}

func allNever(group *schemaKey) bool {
	return !slices.ContainsFunc(group.leaves(), func(leaf *schemaKey) bool { return leaf.project != projectNever })
}

// widens returns how a project's value is less strict than the user's, or "" if it is not.
func widens(key *schemaKey, person Config, mine, theirs reflect.Value) string {
	switch {
	case key.project == projectFree, key.project == projectAdd, key.project == projectRestrict:
		return ""
	case key.project == projectLower:
		return raises(key, mine, theirs)
	case key.project == projectSubset:
		for i := range theirs.Len() {
			if !slices.Contains(mine.Interface().([]string), theirs.Index(i).String()) {
				return fmt.Sprintf("cannot allow %q from a project", theirs.Index(i).String())
			}
		}
		return ""
	case key.project == projectNamed:
		if slices.Contains(knownProviders(person), events.ProviderName(theirs.String())) {
			return ""
		}
		return fmt.Sprintf("cannot choose the provider %q from a project", theirs.String())
	case strings.HasPrefix(string(key.project), string(projectOnly)):
		value := fmt.Sprint(theirs.Interface())
		if value == string(key.project[len(projectOnly):]) || value == fmt.Sprint(mine.Interface()) {
			return ""
		}
		return fmt.Sprintf("cannot be %v in a project", value)
	}
	return "cannot be set by a project"
}

// raises reports whether the second number is higher; 0 is the highest if it means no limit.
func raises(key *schemaKey, mine, theirs reflect.Value) string {
	limit, wanted := numberOf(mine), numberOf(theirs)
	unlimited := key.zeroNone && limit == 0
	if unlimited || wanted <= limit && (!key.zeroNone || wanted != 0) {
		return ""
	}
	if wanted == 0 {
		return fmt.Sprintf("cannot be lifted by a project (here %v)", limit)
	}
	return fmt.Sprintf("cannot be raised by a project (here %v)", limit)
}

// numberOf converts an integer or a float.
func numberOf(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

// knownProviders returns the providers that the user's configuration names anywhere, and the scripted one, which
// connects to nothing.
func knownProviders(c Config) []string {
	names := []string{ScriptProvider}
	for name := range c.Providers {
		names = append(names, events.ProviderName(name))
	}
	for _, tier := range c.Tiers {
		names = append(names, events.ProviderName(tier.Provider))
	}
	return names
}

const ScriptProvider = "script"

// valueAt follows a checked path; after a missing name it returns the zero value.
func valueAt(v reflect.Value, path []string) reflect.Value {
	for _, part := range path {
		switch v.Kind() {
		case reflect.Struct:
			v = v.Field(fieldNamed(v.Type(), part))
		case reflect.Map:
			element := v.MapIndex(reflect.ValueOf(part))
			if !element.IsValid() {
				element = reflect.Zero(v.Type().Elem())
			}
			v = element
		default:
			return v
		}
	}
	return v
}
