package config

import (
	"fmt"
	"reflect"
	"slices"
)

// origin is the position at which a value was set.
type origin struct {
	file string
	line int
	all  bool // in tiers.all
}

// layers merges documents, later ones over earlier ones, key by key. Lists are replaced, except rules and
// mcp.blacklist, which are appended to.
type layers struct {
	config Config
	places map[string]origin // dotted path to where it was last set
}

// apply applies what a document sets.
func (l *layers) apply(doc *document, layer Config) {
	offset := len(l.config.Rules)
	l.config.Rules = append(l.config.Rules, withOrigins(doc, layer.Rules)...)
	l.config.MCP.Blacklist = union(l.config.MCP.Blacklist, layer.MCP.Blacklist)
	for _, entry := range doc.entries {
		l.places[placeKey(entry.path, offset)] = origin{doc.file, entry.line, entry.all}
		switch {
		case entry.path[0] == "rules", entry.key() == "mcp.blacklist":
		default:
			setKey(reflect.ValueOf(&l.config).Elem(), reflect.ValueOf(layer), entry.path)
		}
	}
}

// placeKey numbers the rules by their position in the merged list.
func placeKey(path []string, offset int) string {
	if path[0] != "rules" || len(path) == 1 {
		return entry{path: path}.key()
	}
	var n int
	if _, err := fmt.Sscanf(path[1], "%d", &n); err != nil {
		return entry{path: path}.key()
	}
	moved := append([]string{path[0], fmt.Sprint(n + offset)}, path[2:]...)
	return entry{path: moved}.key()
}

// setKey copies the value at path from one struct to another of the same type. Paths that end
// at a table copy nothing: the keys inside have entries of their own.
func setKey(to, from reflect.Value, path []string) {
	switch {
	case to.Kind() == reflect.Struct && to.Type() != reflect.TypeFor[RuleScope]():
		if len(path) > 0 {
			i := fieldNamed(to.Type(), path[0])
			setKey(to.Field(i), from.Field(i), path[1:])
		}
	case to.Kind() == reflect.Map:
		if len(path) > 0 {
			setNamed(to, from, path)
		}
	case len(path) == 0:
		to.Set(from)
	}
}

// setNamed sets the value at path below a table with free names, such as providers; it adds the entry if it is
// missing.
func setNamed(to, from reflect.Value, path []string) {
	name := reflect.ValueOf(path[0])
	value := from.MapIndex(name)
	if !value.IsValid() {
		return
	}
	element := reflect.New(to.Type().Elem()).Elem()
	if !to.IsNil() {
		if old := to.MapIndex(name); old.IsValid() {
			element.Set(old)
		}
	} else {
		to.Set(reflect.MakeMap(to.Type()))
	}
	setKey(element, value, path[1:])
	to.SetMapIndex(name, element)
}

// fieldNamed returns the index of the field with that toml name; the path was checked before.
func fieldNamed(of reflect.Type, name string) int {
	for i := range of.NumField() {
		if of.Field(i).Tag.Get("toml") == name {
			return i
		}
	}
	panic("config: unchecked configuration key " + name)
}

// withOrigins sets the position of each rule in its file.
func withOrigins(doc *document, rules []Rule) []Rule {
	for i := range rules {
		prefix := []string{"rules", fmt.Sprint(i)}
		line := 0
		for _, entry := range doc.entries {
			if len(entry.path) >= 2 && slices.Equal(entry.path[:2], prefix) {
				line = entry.line
				break
			}
		}
		rules[i].Origin = fmt.Sprintf("%s:%d", doc.file, line)
	}
	return rules
}

// union returns the entries of both lists, each once, the first list's first.
func union(first, second []string) []string {
	for _, entry := range second {
		if !slices.Contains(first, entry) {
			first = append(first, entry)
		}
	}
	return first
}
