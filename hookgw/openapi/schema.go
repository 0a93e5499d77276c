package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Schemas collects the schemas of named structs. Create it with NewSchemas.
type Schemas struct {
	names map[reflect.Type]string
	taken map[string]reflect.Type
	named []*component
}

// component is the schema of one named struct.
type component struct {
	name   string
	schema Object
}

// NewSchemas returns an empty collection.
func NewSchemas() *Schemas {
	return &Schemas{names: map[reflect.Type]string{}, taken: map[string]reflect.Type{}}
}

// Object returns every schema by its name, in the order in which they were first used.
func (s *Schemas) Object() Object {
	var out Object
	for _, c := range s.named {
		out = out.With(c.name, c.schema)
	}
	return out
}

// anything returns the schema of any value, null included.
func anything() Object { return Object{}.With("nullable", true) }

// Of returns the schema of the JSON that encoding/json produces for a value of this type. It panics on types without
// a JSON form, such as channels.
func (s *Schemas) Of(t reflect.Type) Object {
	if known := special(t); known != nil {
		return known
	}
	switch t.Kind() {
	case reflect.Bool:
		return typed("boolean")
	case reflect.Int, reflect.Int64:
		return typed("integer").With("format", "int64")
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return typed("integer").With("format", "int32")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return typed("integer").With("format", "int64").With("minimum", 0)
	case reflect.Float32, reflect.Float64:
		return typed("number").With("format", "double")
	case reflect.String:
		return typed("string")
	case reflect.Slice, reflect.Array:
		return typed("array").With("items", s.Of(t.Elem()))
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface || t.Elem() == reflect.TypeFor[json.RawMessage]() {
			return typed("object").With("additionalProperties", true)
		}
		return typed("object").With("additionalProperties", s.Of(t.Elem()))
	case reflect.Pointer:
		return nullable(s.Of(t.Elem()))
	case reflect.Struct:
		return s.structure(t)
	}
	panic(fmt.Sprintf("openapi: JSON has no %s", t))
}

func typed(name string) Object { return Object{}.With("type", name) }

// special returns the schema of a type whose JSON differs from its Go form, or nil for all others.
func special(t reflect.Type) Object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return typed("string").With("format", "date-time")
	case t.Kind() == reflect.Interface, t.Implements(reflect.TypeFor[json.Marshaler]()):
		if t.Kind() == reflect.Pointer {
			return nil
		}
		return anything()
	case t.Kind() != reflect.Pointer && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return typed("string")
	case t == reflect.TypeFor[[]byte]():
		return typed("string").With("format", "byte")
	}
	return nil
}

// nullable returns the schema that also allows null.
func nullable(schema Object) Object {
	if schema[0].Name == "$ref" {
		return typed("object").With("nullable", true).With("allOf", []any{schema})
	}
	for _, m := range schema {
		if m.Name == "nullable" {
			return schema
		}
	}
	return schema.With("nullable", true)
}

// structure returns a reference to a named struct's schema, or the schema of an unnamed struct.
func (s *Schemas) structure(t reflect.Type) Object {
	if t.Name() == "" {
		return s.members(t)
	}
	name, known := s.names[t]
	if !known {
		name = s.nameOf(t)
		s.names[t], s.taken[name] = name, t
		c := &component{name: name}
		s.named = append(s.named, c) // before its members, which may refer to it
		c.schema = s.members(t)
	}
	return Object{}.With("$ref", "#/components/schemas/"+name)
}

// nameOf returns a struct's name, preceded by its package's name if the short name is taken.
func (s *Schemas) nameOf(t reflect.Type) string {
	name := exported(t.Name())
	if s.taken[name] == nil {
		return name
	}
	return exported(t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]) + name
}

func exported(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// members returns the schema of a struct's own and embedded members.
func (s *Schemas) members(t reflect.Type) Object {
	var properties Object
	var required []any
	s.collect(t, &properties, &required)
	out := typed("object")
	if len(properties) > 0 {
		out = out.With("properties", properties)
	}
	if len(required) > 0 {
		out = out.With("required", required)
	}
	return out
}

func (s *Schemas) collect(t reflect.Type, properties *Object, required *[]any) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct {
			s.collect(f.Type, properties, required)
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		of := f.Type
		if optional && of.Kind() == reflect.Pointer {
			of = of.Elem() // omitted if it is nil
		}
		*properties = properties.With(tag, s.Of(of))
		if !optional {
			*required = append(*required, tag)
		}
	}
}
