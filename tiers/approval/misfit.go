package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// misfit returns why arguments do not match a schema, in fixed wording: a validator's text depends
// on its version and on the order of its checks, and a decision must not depend on either. It
// names every problem, in a fixed order.
func (t *tool) misfit(v any) string {
	args, ok := v.(map[string]any)
	if !ok {
		return "they must be one JSON object"
	}
	var schema jsonschema.Schema
	if json.Unmarshal(t.offer.Schema, &schema) != nil {
		return "they do not match the schema"
	}
	var problems []string
	if names := missing(schema.Required, args); len(names) > 0 {
		problems = append(problems, "missing "+strings.Join(names, ", "))
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		property := schema.Properties[name]
		if property == nil {
			unknown = append(unknown, line(name))
			continue
		}
		if !valid(&schema, property, args[name]) {
			problems = append(problems, wants(name, property))
		}
	}
	if len(unknown) > 0 && schema.AdditionalProperties != nil {
		problems = append(problems, "unknown "+strings.Join(unknown, ", ")+
			"; there are "+strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
	}
	if len(problems) == 0 {
		return "they do not match the schema"
	}
	return strings.Join(problems, "; ")
}

func missing(required []string, args map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(slices.Values(required)) {
		if _, there := args[name]; !there {
			out = append(out, name)
		}
	}
	return out
}

// valid reports whether an argument matches its own schema. It returns true for a schema that
// refers to other parts of the whole schema than definitions; the check of the whole covers that.
func valid(whole, property *jsonschema.Schema, v any) bool {
	alone := property.CloneSchemas()
	if alone.Defs == nil {
		alone.Defs = whole.Defs
	}
	resolved, err := alone.CloneSchemas().Resolve(nil)
	return err != nil || resolved.Validate(v) == nil
}

// wants returns what one argument must be.
func wants(name string, s *jsonschema.Schema) string {
	kind := s.Type
	if kind == "" {
		kind = strings.Join(s.Types, " or ")
	}
	out := name + " must be of the type " + kind
	switch {
	case kind == "" && len(s.Enum) == 0:
		out = name + " does not match its schema"
	case len(s.Enum) > 0:
		out = fmt.Sprintf("%s must be one of %v", name, s.Enum)
	case s.Minimum != nil && s.Maximum != nil:
		out += fmt.Sprintf(", %v to %v", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		out += fmt.Sprintf(", at least %v", *s.Minimum)
	case s.Maximum != nil:
		out += fmt.Sprintf(", at most %v", *s.Maximum)
	}
	return out
}
