package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"manualslop/events"
)

// Validate checks every value against its bounds. The error is nil or wraps one [Error] for each mistake; they name
// keys, and [Load] adds file and line.
func (c Config) Validate() error {
	found := checkBounds(schema(reflect.TypeFor[Config]()), reflect.ValueOf(c), "")
	for _, check := range []func(Config) []*Error{
		checkAddresses, checkHosts, checkTiers, checkRoster, checkProviders, checkUser, checkNotify, checkBlacklist,
		checkRules, checkRetrieval,
	} {
		found = append(found, check(c)...)
	}
	return joinErrors(firstPerKey(found))
}

// invalid returns a mistake in the value of a key.
func invalid(key, problem string, args ...any) *Error {
	return &Error{Kind: ConfigInvalid, Key: key, Problem: fmt.Sprintf(problem, args...)}
}

// checkBounds applies the tags: bounds of numbers, allowed values, and lengths of strings and lists.
func checkBounds(key *schemaKey, v reflect.Value, path string) []*Error {
	var found []*Error
	switch key.shape {
	case shapeTable:
		for _, child := range key.children {
			found = append(found, checkBounds(child, v.Field(child.field), joinKey(path, child.name))...)
		}
	case shapeNamed:
		found = append(found, checkCount(key, v.Len(), path)...)
		for _, name := range sortedKeys(v) {
			if !key.free(name) {
				found = append(found, invalid(joinKey(path, name), "is not a valid name"))
			}
			element := &schemaKey{shape: shapeTable, children: key.children}
			found = append(found, checkBounds(element, v.MapIndex(reflect.ValueOf(name)), joinKey(path, name))...)
		}
	case shapeTables:
		found = append(found, checkCount(key, v.Len(), path)...)
		for i := range v.Len() {
			element := &schemaKey{shape: shapeTable, children: key.children}
			found = append(found, checkBounds(element, v.Index(i), joinKey(path, fmt.Sprint(i)))...)
		}
	case shapeScope:
		found = checkTexts(key, v.Interface().(RuleScope).Globs, path)
	case shapeTexts:
		found = checkTexts(key, v.Interface().([]string), path)
	case shapeNamedText:
		values := v.Interface().(map[string]string)
		found = append(checkCount(key, len(values), path), checkTexts(&schemaKey{items: len(values)},
			slices.Collect(maps.Values(values)), path)...)
	case shapeText:
		found = checkText(key, v.String(), path)
	case shapeWhole, shapeNumber:
		found = checkNumber(key, v, path)
	}
	return found
}

func joinKey(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func sortedKeys(v reflect.Value) []string {
	var names []string
	for _, name := range v.MapKeys() {
		names = append(names, name.String())
	}
	slices.Sort(names)
	return names
}

func checkCount(key *schemaKey, n int, path string) []*Error {
	if key.items > 0 && n > key.items {
		return []*Error{invalid(path, "has %d entries, more than the limit of %d", n, key.items)}
	}
	return nil
}

func checkTexts(key *schemaKey, texts []string, path string) []*Error {
	found := checkCount(key, len(texts), path)
	for _, text := range texts {
		if text == "" {
			found = append(found, invalid(path, "has an empty entry"))
		}
		found = append(found, checkText(&schemaKey{}, text, path)...)
	}
	return found
}

func checkText(key *schemaKey, text, path string) []*Error {
	limit, forbidden := maxText, isControl
	if key.prose {
		limit, forbidden = events.MaxSystemPrompt, func(r rune) bool {
			return isControl(r) && !strings.ContainsRune("\r\n\t",
				r)
		}
	}
	switch {
	case len(text) > limit:
		return []*Error{invalid(path, "is longer than %d bytes", limit)}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, forbidden):
		return []*Error{invalid(path, "contains a control character")}
	case len(key.enum) > 0 && !(key.zeroNone && text == "") && !slices.Contains(key.enum, text):
		return []*Error{invalid(path, "must be %s, not %q", orWords(key.enum), text)}
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// orWords returns `"a" or "b"`.
func orWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	return strings.Join(quoted, " or ")
}

func checkNumber(key *schemaKey, v reflect.Value, path string) []*Error {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if n := numberOf(v); !(n >= key.min && n <= key.max) { // written like this, NaN fails too
		return []*Error{invalid(path, "must be from %s to %s, not %v", plainNumber(key.min), plainNumber(key.max),
			v.Interface())}
	}
	return nil
}

// parentKey returns the key of the enclosing table, or "" at the top.
func parentKey(key string) string {
	i := strings.LastIndexByte(key, '.')
	return key[:max(i, 0)]
}
