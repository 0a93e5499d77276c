package config

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// shape is the kind of value that a key holds.
type shape int

const (
	shapeText      shape = iota + 1 // a string
	shapeFlag                       // true or false
	shapeWhole                      // an integer
	shapeNumber                     // an integer or a float
	shapeTexts                      // a list of strings
	shapeScope                      // RuleScope: true or a list of strings
	shapeTable                      // a table with fixed keys
	shapeNamed                      // a table with free keys, each a table
	shapeNamedText                  // a table with free keys, each a string
	shapeTables                     // a list of tables
)

// words returns the name of a shape in messages and on the page.
func (s shape) words() string {
	return map[shape]string{
		shapeText: "a string", shapeFlag: "true or false", shapeWhole: "a whole number",
		shapeNumber: "a number", shapeTexts: "a list of strings",
		shapeScope: "true or a list of strings", shapeTable: "a table", shapeNamed: "a table of tables",
		shapeNamedText: "a table of strings", shapeTables: "a list of tables",
	}[s]
}

// schemaKey is one key of a schema, with the rules from the tags of its field.
type schemaKey struct {
	name     string // the last part
	path     string // dotted, with N or NAME for free names
	shape    shape
	doc      string
	enum     []string
	min, max float64
	bounded  bool
	items    int // the most entries; 0 if it is not a list
	zeroNone bool
	prose    bool // a text of several lines, up to events.MaxSystemPrompt bytes
	project  projectPolicy
	names    string // valid free names: "NAME", "PROVIDER", "MODEL" or words separated by |
	field    int
	children []*schemaKey // of a table, and of one element of shapeNamed and shapeTables
}

// maxText is the longest string in a configuration, in bytes.
const maxText = 4096

// schema describes the keys of a struct type by its tags. A bad tag is a bug and panics.
func schema(of reflect.Type) *schemaKey {
	top := &schemaKey{shape: shapeTable}
	top.children = schemaFields(of, "")
	return top
}

func schemaFields(of reflect.Type, prefix string) []*schemaKey {
	var keys []*schemaKey
	for i := range of.NumField() {
		field := of.Field(i)
		name := field.Tag.Get("toml")
		if name == "-" {
			continue
		}
		key := &schemaKey{
			name: name, path: prefix + name, field: i,
			shape:    shapeOf(field.Type),
			doc:      field.Tag.Get("doc"),
			names:    field.Tag.Get("keys"),
			zeroNone: field.Tag.Get("zero") == "none",
			prose:    field.Tag.Get("prose") == "yes",
			project:  projectPolicy(field.Tag.Get("project")),
		}
		if words := field.Tag.Get("enum"); words != "" {
			key.enum = strings.Split(words, "|")
		}
		key.items = int(schemaNumber(field.Tag.Get("items"), 0))
		key.bounded = field.Tag.Get("min") != "" && field.Tag.Get("max") != ""
		key.min = schemaNumber(field.Tag.Get("min"), math.Inf(-1))
		key.max = schemaNumber(field.Tag.Get("max"), math.Inf(1))
		key.children = schemaChildren(key, field.Type)
		keys = append(keys, key)
	}
	return keys
}

func schemaChildren(key *schemaKey, of reflect.Type) []*schemaKey {
	switch key.shape {
	case shapeTable:
		return schemaFields(of, key.path+".")
	case shapeTables:
		return schemaFields(of.Elem(), key.path+".")
	case shapeNamed:
		return schemaFields(of.Elem(), key.path+"."+placeholder(key)+".")
	}
	return nil
}

// placeholder returns the placeholder for the free names of a table in paths.
func placeholder(key *schemaKey) string {
	switch key.names {
	case "NAME", "MODEL":
		return key.names
	case "PROVIDER":
		return "NAME"
	}
	return "N"
}

func schemaNumber(text string, otherwise float64) float64 {
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("config: bad number in a configuration tag: " + text)
	}
	return n
}

// shapeOf maps a Go type to a shape; types outside the subset panic.
func shapeOf(of reflect.Type) shape {
	if of == reflect.TypeFor[RuleScope]() {
		return shapeScope
	}
	switch of.Kind() {
	case reflect.String:
		return shapeText
	case reflect.Bool:
		return shapeFlag
	case reflect.Int, reflect.Int64:
		return shapeWhole
	case reflect.Float64:
		return shapeNumber
	case reflect.Pointer:
		return shapeOf(of.Elem())
	case reflect.Struct:
		return shapeTable
	case reflect.Map:
		if of.Elem().Kind() == reflect.Struct {
			return shapeNamed
		}
		return shapeNamedText
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Struct {
			return shapeTables
		}
		return shapeTexts
	}
	panic("config: a configuration cannot hold a " + of.String())
}

// child returns the key of that name directly below.
func (k *schemaKey) child(name string) *schemaKey {
	i := slices.IndexFunc(k.children, func(c *schemaKey) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return k.children[i]
}

// free reports whether name is valid below a table with free names.
func (k *schemaKey) free(name string) bool {
	switch k.names {
	case "NAME":
		return validName(name)
	case "PROVIDER":
		return validProviderName(name)
	case "MODEL":
		return validModelName(name)
	}
	return slices.Contains(strings.Split(k.names, "|"), name)
}

// leaves returns all keys that hold values, in the order of the struct.
func (k *schemaKey) leaves() []*schemaKey {
	if len(k.children) == 0 {
		return []*schemaKey{k}
	}
	var found []*schemaKey
	for _, child := range k.children {
		found = append(found, child.leaves()...)
	}
	return found
}

// validModelName reports whether a name may name models: a provider, a slash, and the model's name, in which * stands
// for any characters.
func validModelName(name string) bool {
	provider, model, both := strings.Cut(name, "/")
	return both && validProviderName(provider) && model != "" && len(model) <= 256 && !strings.ContainsFunc(model,
		func(r rune) bool { return r <= ' ' || r > '~' })
}

// validProviderName reports whether a name may name a provider in some spelling, such as llama.cpp for llama_cpp.
func validProviderName(name string) bool { return validName(events.ProviderName(name)) }

// validName reports whether a name is 1 to 64 letters, digits, dashes and underscores.
func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}
