package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxArguments limits the arguments of a call, in bytes of JSON.
const MaxArguments = 16 << 20

// objectOf splits one JSON object into its members. It is stricter than encoding/json: names must match exactly
// and may not repeat, nothing may follow the object, and the text must be valid UTF-8. Empty input counts as the
// empty object, because models send it for tools without arguments.
func objectOf(tool string, args json.RawMessage) (map[string]json.RawMessage, error) {
	bad := func(format string, a ...any) error {
		return &ArgumentError{Tool: tool, Problem: fmt.Sprintf(format, a...)}
	}
	members := map[string]json.RawMessage{}
	switch {
	case len(args) > MaxArguments:
		return nil, bad("the arguments are %d bytes, more than the limit of %d", len(args), MaxArguments)
	case !utf8.Valid(args):
		return nil, bad("the arguments are not valid UTF-8")
	case len(bytes.TrimSpace(args)) == 0:
		return members, nil
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, bad("the arguments must be one JSON object")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, bad("the arguments are not valid JSON: %s", jsonProblem(err))
		}
		name, _ := key.(string)
		if _, twice := members[name]; twice {
			return nil, &ArgumentError{Tool: tool, Field: name, Problem: "is given twice"}
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, bad("the arguments are not valid JSON: %s", jsonProblem(err))
		}
		members[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, bad("the arguments are not valid JSON: %s", jsonProblem(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, bad("unexpected text after the JSON object")
	}
	return members, nil
}

func jsonProblem(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "unexpected end of text"
	}
	return OneLine(err.Error(), 200)
}

// decodeInto decodes args, which must match the schema of fields, into the argument struct in. A null for an
// optional argument counts as absent.
func decodeInto(tool string, fields []field, args json.RawMessage, in reflect.Value) error {
	members, err := objectOf(tool, args)
	if err != nil {
		return err
	}
	for _, f := range fields {
		raw, given := members[f.name]
		delete(members, f.name)
		if !given || f.optional && string(raw) == "null" {
			if !f.optional {
				return &ArgumentError{Tool: tool, Field: f.name, Problem: "is required"}
			}
			continue
		}
		if f.items != nil {
			if err := f.decodeObjects(tool, raw, in.Field(f.index)); err != nil {
				return err
			}
			continue
		}
		if problem := f.decode(raw, in.Field(f.index)); problem != "" {
			return &ArgumentError{Tool: tool, Field: f.name, Problem: problem}
		}
	}
	return unknownField(tool, fields, members)
}

func unknownField(tool string, fields []field, rest map[string]json.RawMessage) error {
	if len(rest) == 0 {
		return nil
	}
	var unknown, known []string
	for name := range rest {
		unknown = append(unknown, name)
	}
	for _, f := range fields {
		known = append(known, f.name)
	}
	slices.Sort(unknown)
	problem := "is unknown; the tool takes no arguments"
	if len(known) > 0 {
		problem = "is unknown; the known ones are " + strings.Join(known, ", ")
	}
	return &ArgumentError{Tool: tool, Field: unknown[0], Problem: problem}
}

// decode decodes one value and returns what is wrong with it, or "".
func (f field) decode(raw json.RawMessage, into reflect.Value) string {
	wrong := "must be of type " + f.typeName()
	switch f.kind {
	case reflect.String:
		var s *string
		if json.Unmarshal(raw, &s) != nil || s == nil {
			return wrong
		}
		into.SetString(*s)
		return f.checkString(*s)
	case reflect.Bool:
		var b *bool
		if json.Unmarshal(raw, &b) != nil || b == nil {
			return wrong
		}
		into.SetBool(*b)
		return ""
	case reflect.Slice:
		return f.decodeList(raw, into)
	}
	value, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(value, 0) {
		return wrong
	}
	if f.kind == reflect.Int {
		if value != math.Trunc(value) || math.Abs(value) > 1<<53 {
			return wrong
		}
		into.SetInt(int64(value))
	} else {
		into.SetFloat(value)
	}
	return f.checkRange(value, "must be", "")
}

func (f field) decodeList(raw json.RawMessage, into reflect.Value) string {
	var items []*string
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return "must be of type array"
	}
	values := make([]string, len(items))
	for i, item := range items {
		if item == nil {
			return "must be an array of strings"
		}
		values[i] = *item
	}
	into.Set(reflect.ValueOf(values))
	return f.checkRange(float64(len(values)), "must have", "item")
}

// decodeObjects decodes a list of structs. Problems identify the item by its 1-based number.
func (f field) decodeObjects(tool string, raw json.RawMessage, into reflect.Value) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return &ArgumentError{Tool: tool, Field: f.name, Problem: "must be of type array"}
	}
	if problem := f.checkRange(float64(len(items)), "must have", "item"); problem != "" {
		return &ArgumentError{Tool: tool, Field: f.name, Problem: problem}
	}
	values := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		if !bytes.HasPrefix(item, []byte("{")) {
			return &ArgumentError{Tool: tool, Field: fmt.Sprintf("%s number %d", f.name, i+1),
				Problem: "must be one JSON object"}
		}
		err := decodeInto(tool, f.items, item, values.Index(i))
		var bad *ArgumentError
		if errors.As(err, &bad) {
			where := fmt.Sprintf("%s number %d", f.name, i+1)
			if bad.Field != "" {
				where += ", " + bad.Field
			}
			return &ArgumentError{Tool: tool, Field: where, Problem: bad.Problem}
		}
		if err != nil {
			return err
		}
	}
	into.Set(values)
	return nil
}

func (f field) checkString(s string) string {
	if len(f.enum) > 0 && !slices.Contains(f.enum, s) {
		return "must be one of " + strings.Join(f.enum, ", ")
	}
	return f.checkRange(float64(utf8.RuneCountInString(s)), "must have", "character")
}

// checkRange returns what is wrong with a value, or with a count of the given unit.
func (f field) checkRange(value float64, must, unit string) string {
	switch {
	case f.min != nil && value < *f.min:
		return must + " at least " + amount(*f.min, unit)
	case f.max != nil && value > *f.max:
		return must + " at most " + amount(*f.max, unit)
	}
	return ""
}

// amount returns a number with its unit, in the plural where it is not 1.
func amount(v float64, unit string) string {
	switch {
	case unit == "":
		return number(v)
	case v == 1:
		return "1 " + unit
	}
	return number(v) + " " + unit + "s"
}
