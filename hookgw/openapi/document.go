package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// Operation is one method of one path.
type Operation struct {
	// Method is in upper case; Path holds its variables as {name}.
	Method, Path string
	// Group is the tag, Doc one sentence.
	Group, Doc string
	// Token is the file of the weakest token that the operation accepts; empty: none is needed.
	Token string
	// Query are the query parameters; all are optional.
	Query []Parameter
	// Body is the largest request body in bytes; 0 if there is none.
	Body int64
	// Takes and Gives are values of the types of both bodies; nil: any object.
	Takes, Gives any
	// Media is the type of the answer with status 200; empty: application/json.
	Media string
	// Also are the operation's answers with other statuses.
	Also []Answer
	// TakesExample and GivesExample are JSON; empty: none.
	TakesExample, GivesExample string
}

// Parameter is a query parameter.
type Parameter struct {
	// Name is the parameter's name, Type its JSON type, Doc one sentence.
	Name, Type, Doc string
	// Many means that it may be repeated.
	Many bool
}

// Answer is an answer with another status.
type Answer struct {
	// Status is the code, Doc says when it is sent.
	Status int
	Doc    string
	// Gives is a value of the body's type; nil: the error object.
	Gives any
}

// Info heads a document.
type Info struct {
	// Title and Version name what is described; Description is Markdown.
	Title, Version, Description string
	// Server is the default address.
	Server string
	// Problem is a value of the type of every error.
	Problem any
}

// WebSocket is the media type of an operation that upgrades to a WebSocket.
const WebSocket = "websocket"

const jsonMedia = "application/json"

// Document describes the operations by path, in the order of their first occurrence. It panics on a Go type that has
// no JSON form.
func Document(info Info, operations []Operation) Object {
	schemas := NewSchemas()
	problem := Object{}.With("description", "What is wrong, and what to do about it.").
		With("content", content(jsonMedia, schemas.Of(reflect.TypeOf(info.Problem)), ""))
	var paths, tags Object
	at := map[string]int{}
	var groups []any
	for _, o := range operations {
		i, known := at[o.Path]
		if !known {
			i = len(paths)
			at[o.Path] = i
			paths = paths.With(o.Path, Object{})
		}
		item, _ := paths[i].Value.(Object)
		paths[i].Value = item.With(strings.ToLower(o.Method), o.describe(schemas))
		if _, seen := at["tag "+o.Group]; !seen {
			at["tag "+o.Group] = 0
			groups = append(groups, tags.With("name", o.Group))
		}
	}
	return Object{}.With("openapi", "3.0.3").
		With("info", Object{}.With("title", info.Title).With("version", info.Version).With("description",
			info.Description).With("license", Object{}.With("name", "Apache 2.0"))).
		With("servers", []any{Object{}.With("url", info.Server)}).
		With("tags", groups).
		With("paths", paths).
		With("components", Object{}.
			With("securitySchemes", Object{}.
				With("bearer", typed("http").With("scheme", "bearer")).
				With("apiKey", typed("apiKey").With("in", "header").With("name", "X-API-KEY"))).
			With("responses", Object{}.With("Problem", problem)).
			With("schemas", schemas.Object()))
}

// ID returns the operation's name: its method and path as one word.
func (o Operation) ID() string {
	out := strings.ToLower(o.Method)
	for _, part := range strings.FieldsFunc(o.Path, func(r rune) bool { return strings.ContainsRune("/_.-", r) }) {
		if name, variable := strings.CutPrefix(part, "{"); variable {
			part = "By" + exported(strings.TrimSuffix(name, "}"))
		}
		out += exported(strings.Trim(part, "{}"))
	}
	return out
}

func (o Operation) describe(schemas *Schemas) Object {
	said := o.Doc
	security := []any{}
	if o.Token != "" {
		said += "\n\nNeeds `" + o.Token + "`."
		security = []any{Object{}.With("bearer", []any{}), Object{}.With("apiKey", []any{})}
	}
	out := Object{}.With("operationId", o.ID()).With("tags", []any{o.Group}).With("summary", o.Doc).With("description",
		said).With("security", security)
	if p := o.parameters(); len(p) > 0 {
		out = out.With("parameters", p)
	}
	if o.Body > 0 {
		out = out.With("requestBody", Object{}.
			With("description", fmt.Sprintf("One JSON object in UTF-8, of at most %d bytes and 64 levels.", o.Body)).
			With("required", true).With("content", content(jsonMedia, o.schema(schemas, o.Takes), o.TakesExample)))
	}
	return out.With("responses", o.responses(schemas))
}

func (o Operation) parameters() []any {
	var out []any
	for _, segment := range strings.Split(o.Path, "/") {
		if name, variable := strings.CutPrefix(segment, "{"); variable {
			out = append(out, Object{}.With("name", strings.TrimSuffix(name, "}")).With("in", "path").With("required",
				true).With("schema", typed("string").With("minLength", 1)))
		}
	}
	for _, p := range o.Query {
		schema := typed(p.Type)
		if p.Many {
			schema = typed("array").With("items", schema)
		}
		out = append(out, Object{}.With("name", p.Name).With("in", "query").With("description", p.Doc).With("schema", schema))
	}
	return out
}

func (o Operation) responses(schemas *Schemas) Object {
	media, schema := o.Media, o.schema(schemas, o.Gives)
	switch {
	case media == "":
		media = jsonMedia
	case o.Gives == nil && media == "application/octet-stream":
		schema = typed("string").With("format", "binary")
	case o.Gives == nil:
		schema = typed("string")
	}
	out := Object{}.With("200", Object{}.With("description", "Success.").With("content", content(media, schema,
		o.GivesExample)))
	if media == WebSocket {
		out = Object{}.With("101", Object{}.With("description", "The connection becomes a WebSocket; "+
			"docs/asyncapi.yaml describes "+
			"its messages."))
	}
	for _, a := range o.Also {
		if a.Status == http.StatusNotModified { // has no body
			out = out.With(strconv.Itoa(a.Status), Object{}.With("description", a.Doc))
			continue
		}
		gives := Object{}.With("$ref", "#/components/schemas/Problem")
		if a.Gives != nil {
			gives = schemas.Of(reflect.TypeOf(a.Gives))
		}
		out = out.With(strconv.Itoa(a.Status), Object{}.With("description", a.Doc).With("content", content(jsonMedia, gives,
			"")))
	}
	problem := Object{}.With("$ref", "#/components/responses/Problem")
	return out.With("4XX", problem).With("5XX", problem)
}

// schema returns the schema of a value's type, or of any object if the value is nil.
func (o Operation) schema(schemas *Schemas, value any) Object {
	if value == nil {
		return typed("object")
	}
	return schemas.Of(reflect.TypeOf(value))
}

func content(media string, schema Object, example string) Object {
	body := Object{}.With("schema", schema)
	if example != "" {
		body = body.With("example", json.RawMessage(example))
	}
	return Object{}.With(media, body)
}
