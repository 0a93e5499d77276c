package hookgw_test

import (
	"reflect"

	"manualslop/events"
	"manualslop/hookgw/openapi"
)

// plainSchema turns a schema of OpenAPI 3.0 into one of JSON Schema, in which
// null is a type.
func plainSchema(value any) any {
	switch v := value.(type) {
	case []any:
		var out []any
		for _, item := range v {
			out = append(out, plainSchema(item))
		}
		return out
	case openapi.Object:
		return plainObject(v)
	}
	return value
}

func plainObject(o openapi.Object) openapi.Object {
	var out openapi.Object
	var all any
	null := false
	for _, m := range o {
		switch value := plainSchema(m.Value); {
		case m.Name == "nullable" && value == true:
			null = true
		case m.Name == "allOf":
			all = value
		default:
			out = out.With(m.Name, value)
		}
	}
	if null && all != nil {
		return openapi.Object{}.With("anyOf", append(all.([]any), object("null")))
	}
	for i, m := range out {
		if name, text := m.Value.(string); null && text && m.Name == "type" {
			out[i].Value = []any{name, "null"}
		}
	}
	return out
}

// payload is the schema of a Go value's type.
func (d *asyncAPI) payload(value any) openapi.Object {
	return plainObject(d.schemas.Of(reflect.TypeOf(value)))
}

// record is an object schema all of whose members are there, unless optional.
func record(members openapi.Object, optional ...string) openapi.Object {
	var required []any
	for _, m := range members {
		free := false
		for _, name := range optional {
			free = free || name == m.Name
		}
		if !free {
			required = append(required, m.Name)
		}
	}
	return object("object").With("properties", members).With("required", required)
}

// exactly is the schema of one value.
func exactly(value any) openapi.Object { return openapi.Object{}.With("const", value) }

func explained(typ, doc string) openapi.Object { return object(typ).With("description", doc) }

// envelopeSchema is what every fact has around its body.
func envelopeSchema() openapi.Object {
	return record(openapi.Object{}.
		With("specversion", exactly(events.SpecVersion)).
		With("id", explained("string", "A ULID, or derived from the cause where a decider or a model wrote it.").With(
			"minLength", 1).With("maxLength", events.MaxIDLength)).
		With("source", explained("string", "The actor that wrote it: the actor token of the subject.")).
		With("type", explained("string", "The type token of the subject.")).
		With("subject", explained("string", "The subject under which it is stored.").With("pattern",
			`^slop\.ev(\.[A-Za-z0-9_-]{1,64}){5}$`)).
		With("time", explained("string", "Decided by the writer; a decided fact has its cause's time.").With("format",
			"date-time")).
		With("datacontenttype", exactly("application/json")).
		With("dataschema", explained("string", "urn:slop:TYPE:V, the $id of a file in schemas.")).
		With("session", explained("string", "The session token of the subject.")).
		With("cause", explained("string", "Id of the event that led to this one.")).
		With("corr", explained("string", "The ticket, track, call or ask that it belongs to.")).
		With("v", explained("integer", "Version of the type.").With("minimum", 1)).
		With("n", explained("integer", "Counts the events of this actor in the session; deciders and workers only.").With(
			"minimum", 1)).
		With("tier", explained("integer", "The tier concerned.").With("minimum", 1).With("maximum", 4)).
		With("data", openapi.Object{}.With("description", "The body, by the schema of its type; null in a feed where it "+
			"cannot be read.")),
		"datacontenttype", "dataschema", "cause", "corr", "n", "tier").
		With("description", "A CloudEvents 1.0 object in structured mode.")
}

// deltaSchema is a piece of text that a model is writing.
func deltaSchema() openapi.Object {
	return record(openapi.Object{}.
		With("stream_id", explained("string", "The stream in mma_streams that it belongs to.")).
		With("request", explained("string", "Id of the ModelRequested that it answers.")).
		With("piece", explained("integer", "Counts the pieces of one try at the request, from 0: piece 0 begins the text "+
			"anew, because whoever wrote the one before it is gone.").With("minimum", 0)).
		With("delta", explained("string", "The text that came."))).
		With("description", "No answer yet: the ModelReplied of the request has the whole text, and after its ModelFailed "+
			"nothing of what came counts.")
}
