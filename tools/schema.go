package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// field is one argument of a tool, described by the tags of a struct field:
//
//	json:"name"            required; json:"name,omitzero" makes it optional
//	doc:"text"             description, mandatory
//	enum:"a,b"             the allowed strings
//	min:"1" max:"9"        limits of a number, of the characters of a string, of the items of a list
//
// Types are string, bool, int, float64, []string, and a list of structs with such fields, which must not contain
// lists of structs.
type field struct {
	index    int
	name     string
	doc      string
	kind     reflect.Kind // String, Bool, Int, Float64 or Slice
	optional bool
	enum     []string
	min, max *float64
	items    []field // fields of the objects in a list of structs, otherwise nil
}

// fieldsOf returns the fields of an argument struct. It rejects unsupported types and tags.
func fieldsOf(t reflect.Type) ([]field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments must be a struct, not %s", t)
	}
	var fields []field
	seen := map[string]bool{}
	for i := range t.NumField() {
		f, err := fieldOf(t.Field(i))
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", t.Field(i).Name, err)
		}
		if seen[f.name] {
			return nil, fmt.Errorf("field %s: the name %q is used twice", t.Field(i).Name, f.name)
		}
		seen[f.name], f.index = true, i
		fields = append(fields, f)
	}
	return fields, nil
}

func fieldOf(sf reflect.StructField) (field, error) {
	f := field{kind: sf.Type.Kind(), doc: sf.Tag.Get("doc")}
	name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
	f.name, f.optional = name, options == "omitzero"
	switch {
	case !sf.IsExported() || sf.Anonymous:
		return f, fmt.Errorf("must be exported and named")
	case name == "" || name == "-":
		return f, fmt.Errorf("needs a json name")
	case options != "" && !f.optional:
		return f, fmt.Errorf("unknown json option %q", options)
	case f.doc == "":
		return f, fmt.Errorf("needs a doc tag")
	}
	var err error
	if f.items, err = itemsOf(sf.Type); err != nil {
		return f, err
	}
	if enum := sf.Tag.Get("enum"); enum != "" {
		if f.kind != reflect.String {
			return f, fmt.Errorf("enum is only for strings")
		}
		f.enum = strings.Split(enum, ",")
	}
	if f.min, err = bound(sf.Tag, "min", f.kind); err != nil {
		return f, err
	}
	f.max, err = bound(sf.Tag, "max", f.kind)
	return f, err
}

// itemsOf returns the fields of a list of structs, nil for the plain types, and an error for all others.
func itemsOf(t reflect.Type) ([]field, error) {
	switch t {
	case reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](),
		reflect.TypeFor[float64](), reflect.TypeFor[[]string]():
		return nil, nil
	}
	if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("type %s is not supported", t)
	}
	items, err := fieldsOf(t.Elem())
	if err != nil {
		return nil, err
	}
	for _, f := range items {
		if f.items != nil {
			return nil, fmt.Errorf("%s is a list of structs in a list of structs", f.name)
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("type %s has no fields", t)
	}
	return items, nil
}

func bound(tag reflect.StructTag, name string, kind reflect.Kind) (*float64, error) {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || kind == reflect.Bool {
		return nil, fmt.Errorf("bad %s %q", name, text)
	}
	return &value, nil
}

// schemaOf builds the schema as text, so that properties keep the order of the struct.
func schemaOf(fields []field) json.RawMessage {
	var properties, required []string
	for _, f := range fields {
		properties = append(properties, Quote(f.name)+":"+f.schema())
		if !f.optional {
			required = append(required, Quote(f.name))
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		schema += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return json.RawMessage(schema + `,"additionalProperties":false}`)
}

func (f field) schema() string {
	parts := []string{`"type":` + Quote(f.typeName())}
	switch {
	case f.items != nil:
		parts = append(parts, `"items":`+string(schemaOf(f.items)))
	case f.kind == reflect.Slice:
		parts = append(parts, `"items":{"type":"string"}`)
	}
	parts = append(parts, `"description":`+Quote(f.doc))
	if len(f.enum) > 0 {
		var values []string
		for _, value := range f.enum {
			values = append(values, Quote(value))
		}
		parts = append(parts, `"enum":[`+strings.Join(values, ",")+`]`)
	}
	low, high := f.boundNames()
	if f.min != nil {
		parts = append(parts, Quote(low)+":"+number(*f.min))
	}
	if f.max != nil {
		parts = append(parts, Quote(high)+":"+number(*f.max))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (f field) typeName() string {
	switch f.kind {
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	}
	return "string"
}

func (f field) boundNames() (low, high string) {
	switch f.kind {
	case reflect.String:
		return "minLength", "maxLength"
	case reflect.Slice:
		return "minItems", "maxItems"
	}
	return "minimum", "maximum"
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Quote returns a JSON string without HTML escapes.
func Quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
