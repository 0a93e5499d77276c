package openapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// Object is a JSON object whose members keep their order. Values are objects,
// lists, strings, booleans, whole numbers and raw JSON.
type Object []Member

// Member is one name and its value.
type Member struct {
	// Name occurs once in an object.
	Name string
	// Value is an Object, a []any, a string, a bool, an int or a json.RawMessage.
	Value any
}

// With returns the object with one more member.
func (o Object) With(name string, value any) Object { return append(o, Member{name, value}) }

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(scalar(m.Name))
		b.WriteByte(':')
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// YAML returns the object as YAML 1.2 in block style. Every scalar is written as in JSON, so that no string is read
// as another type.
func (o Object) YAML() string {
	var b strings.Builder
	o.block(&b, "")
	return b.String()
}

func (o Object) block(b *strings.Builder, indent string) {
	for _, m := range o {
		b.WriteString(indent)
		b.WriteString(key(m.Name))
		b.WriteByte(':')
		under(b, m.Value, indent)
	}
}

// under writes a value after its name.
func under(b *strings.Builder, value any, indent string) {
	switch v := value.(type) {
	case Object:
		if len(v) > 0 {
			b.WriteByte('\n')
			v.block(b, indent+"  ")
			return
		}
	case []any:
		if len(v) > 0 {
			b.WriteByte('\n')
			items(b, v, indent+"  ")
			return
		}
	}
	b.WriteByte(' ')
	b.Write(scalar(value))
	b.WriteByte('\n')
}

// items writes a list; an object in it begins on its own line below the dash.
func items(b *strings.Builder, list []any, indent string) {
	for _, item := range list {
		b.WriteString(indent)
		b.WriteByte('-')
		under(b, item, indent)
	}
}

// plain matches names that YAML reads as text without quotes.
var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_$/][A-Za-z0-9_$/.-]*$`)
})

func key(name string) string {
	switch {
	case !plain().MatchString(name), name == "null", name == "true", name == "false", name == "yes", name == "no",
		name == "on", name == "off", name == "y", name == "n":
		return string(scalar(name))
	}
	return name
}

// scalar returns a value as JSON on one line, without HTML escapes.
func scalar(value any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic("openapi: value cannot be encoded as JSON: " + err.Error()) // a bug in the table of operations
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
