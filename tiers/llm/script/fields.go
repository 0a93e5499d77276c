package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// fields reads the objects of one line and keeps the first error.
type fields struct {
	line int
	err  error
}

func (f *fields) wrong(field, format string, args ...any) {
	if f.err == nil {
		f.err = &ParseError{Line: f.line, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
}

// object is one JSON object of a line; path is where it is in the line.
type object struct {
	f    *fields
	path string
	m    map[string]json.RawMessage
}

// object reads raw, which may have only the allowed fields.
func (f *fields) object(path string, raw json.RawMessage, allowed ...string) object {
	o := object{f: f, path: path}
	if f.err != nil {
		return o
	}
	if err := json.Unmarshal(raw, &o.m); err != nil || o.m == nil {
		f.wrong(path, "must be a JSON object")
		return o
	}
	for _, k := range slices.Sorted(maps.Keys(o.m)) {
		if !slices.Contains(allowed, k) {
			f.wrong(o.at(k), "unknown field; known fields are %s", strings.Join(allowed, ", "))
		}
	}
	return o
}

func (o object) at(field string) string {
	if o.path == "" {
		return field
	}
	return o.path + "." + field
}

// raw returns a field's JSON. It returns false for a field that is null or absent.
func (o object) raw(field string) (json.RawMessage, bool) {
	raw, ok := o.m[field]
	return raw, ok && string(raw) != "null"
}

func (o object) text(field string) string {
	var s string
	if raw, given := o.raw(field); given && json.Unmarshal(raw, &s) != nil {
		o.f.wrong(o.at(field), "must be a string")
	}
	return s
}

// whole returns a field that must be a whole number from 0 to most; 0 if absent.
func (o object) whole(field string, most int64) int64 {
	var n int64
	if raw, given := o.raw(field); given && (json.Unmarshal(raw, &n) != nil || n < 0 || n > most) {
		o.f.wrong(o.at(field), "must be a whole number from 0 to %d", most)
	}
	return n
}

func (o object) delay(field string) time.Duration {
	return time.Duration(o.whole(field, MaxDelay.Milliseconds())) * time.Millisecond
}

func (o object) list(field string) []json.RawMessage {
	var l []json.RawMessage
	if raw, given := o.raw(field); given && json.Unmarshal(raw, &l) != nil {
		o.f.wrong(o.at(field), "must be a list")
	}
	if len(l) > llm.MaxCalls {
		o.f.wrong(o.at(field), "has more than %d entries", llm.MaxCalls)
		return nil
	}
	return l
}

func (f *fields) call(path string, raw json.RawMessage) Call {
	o := f.object(path, raw, "name", "args")
	c := Call{Name: o.text("name")}
	if c.Name == "" {
		f.wrong(o.at("name"), "is missing")
	}
	args, _ := o.raw("args")
	text, ok := argsText(args)
	if !ok {
		f.wrong(o.at("args"), "must be an object, or a string with the text of the arguments")
	}
	c.Args = text
	return c
}

func (f *fields) usage(raw json.RawMessage) *events.Usage {
	o := f.object("reply.usage", raw, "input", "output", "cache_read", "cache_write", "input_tokens", "output_tokens")
	return &events.Usage{
		Input: o.either("input", "input_tokens"), Output: o.either("output", "output_tokens"),
		CacheRead: o.whole("cache_read", MaxTokens), CacheWrite: o.whole("cache_write", MaxTokens),
	}
}

// either returns a number that may be given under its name or its alias, but not under both.
func (o object) either(name, alias string) int64 {
	if _, given := o.raw(alias); !given {
		return o.whole(name, MaxTokens)
	}
	if _, both := o.raw(name); both {
		o.f.wrong(o.at(alias), "is another name for %s, which is also given", name)
	}
	return o.whole(alias, MaxTokens)
}

func (f *fields) failure(raw json.RawMessage) *llm.Error {
	var short string
	if json.Unmarshal(raw, &short) == nil {
		if llm.KnownKind(short) {
			return &llm.Error{Kind: short, Message: scripted(short)}
		}
		return &llm.Error{Kind: events.ModelInvalidRequest, Message: short}
	}
	o := f.object("reply.error", raw, "kind", "message", "retry_after_ms")
	e := &llm.Error{Kind: o.text("kind"), Message: o.text("message"), RetryAfter: o.delay("retry_after_ms")}
	if !llm.KnownKind(e.Kind) {
		f.wrong(o.at("kind"), "must be one of %s", strings.Join(llm.Kinds(), ", "))
	}
	if e.Message == "" {
		e.Message = scripted(e.Kind)
	}
	return e
}

func scripted(kind string) string { return "the script says " + kind }
