package llm

import (
	"encoding/json"

	"manualslop/events"
)

// Nudge returns an offer as a bias profile shows it to a model: with the profile's mark before the
// description and its texts before the descriptions of parameters. A schema without any of
// these parameters keeps its exact bytes. The offer passed in is not changed.
func Nudge(o events.ToolOffer, profile events.BiasProfile) events.ToolOffer {
	bias := profile.Entry(o.Name)
	if mark := bias.Mark(); mark != "" {
		o.Description = mark + " " + o.Description
	}
	if len(bias.Parameters) > 0 {
		if nudged, ok := nudgeSchema(o.Schema, bias.Parameters); ok {
			o.Schema = nudged
		}
	}
	return o
}

// object is a JSON object of which only some members are used.
type object = map[string]json.RawMessage

// nudgeSchema puts texts before the descriptions of properties. It returns false if the schema has
// none of the named properties.
func nudgeSchema(schema json.RawMessage, words map[string]string) (json.RawMessage, bool) {
	var top, properties object
	if json.Unmarshal(schema, &top) != nil || json.Unmarshal(top["properties"], &properties) != nil {
		return nil, false
	}
	changed := false
	// order-independent: each text changes its own property
	for name, word := range words {
		var property object
		if json.Unmarshal(properties[name], &property) != nil || property == nil {
			continue
		}
		var text string
		if json.Unmarshal(property["description"], &text) == nil && text != "" {
			text = " " + text
		}
		property["description"] = encode("[" + word + "]" + text)
		properties[name] = encode(property)
		changed = true
	}
	if !changed {
		return nil, false
	}
	top["properties"] = encode(properties)
	return encode(top), true
}

// encode returns the JSON of a value that is made of texts and valid JSON, and so cannot fail to
// encode.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("llm: " + err.Error())
	}
	return b
}
