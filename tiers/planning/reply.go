package planning

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"manualslop/tiers"
)

// ErrNoArray says that a reply holds no JSON array of objects.
var ErrNoArray = errors.New("the reply contains no JSON array of objects")

// maxCut bounds the openings of arrays that never close, so that reading a
// reply stays linear.
const maxCut = 64

// Read cuts the plan out of a model's reply: the first complete JSON array of
// objects, or list under key of an object, that decodes and passes check.
// Prose and code fences around it do not matter. If none passes, the error is
// that of the longest candidate.
func Read[T any](reply, key string, check func([]T) error) ([]T, error) {
	worst, size := ErrNoArray, 0
	note := func(err error, n int) {
		if n > size {
			worst, size = err, n
		}
	}
	for i, cut := 0, 0; i < len(reply) && cut < maxCut; {
		if !opens(reply, i) {
			i++
			continue
		}
		n := balanced(reply[i:])
		if n == 0 {
			note(fmt.Errorf("%w: an array begins at byte %d and is never closed", ErrNoArray, i), len(reply)-i)
			cut++
			i++
			continue
		}
		items, found, err := decode[T](reply[i:i+n], key)
		if found && err == nil {
			err = check(items)
		}
		if found && err == nil {
			return items, nil
		}
		if found {
			note(err, n)
		}
		i += n
	}
	return nil, worst
}

// opens tells whether an array of objects, an empty array or an object with a
// member may begin at i.
func opens(s string, i int) bool {
	if s[i] != '[' && s[i] != '{' {
		return false
	}
	rest := strings.TrimLeft(s[i+1:], " \t\r\n")
	if rest == "" {
		return false
	}
	if s[i] == '{' {
		return rest[0] == '"'
	}
	return rest[0] == '{' || rest[0] == ']'
}

// balanced is the length of the bracketed text at the beginning of s, brackets
// inside JSON strings left out of account; 0 if it never closes.
func balanced(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// decode reads an array, or an object's list under key. Found is false for an
// object without the key: it is not the plan.
func decode[T any](text, key string) (items []T, found bool, err error) {
	array := json.RawMessage(text)
	if text[0] == '{' {
		var object map[string]json.RawMessage
		if json.Unmarshal(array, &object) != nil || object[key] == nil {
			return nil, false, nil
		}
		array = object[key]
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(array, &raw); err != nil {
		return nil, true, errors.New("it is not a valid JSON array" + near(err, array))
	}
	items = make([]T, len(raw))
	for i := range raw {
		if err := decodeItem(raw[i], &items[i]); err != nil {
			return nil, true, fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return items, true, nil
}

// near quotes the text around the place where JSON went wrong. The words are
// ours: what a decider says may not change with the library.
func near(err error, text json.RawMessage) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return ""
	}
	at := int(min(syntax.Offset, int64(len(text))))
	return fmt.Sprintf(": something is wrong at character %d, after %q", at, tiers.Tail(string(text[:at]), 20))
}

func decodeItem(raw json.RawMessage, into any) error {
	err := json.Unmarshal(raw, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("field %q must be %s", wrong.Field, kindName(wrong.Type))
	}
	return errors.New("it does not have the form that was asked for")
}

// kindName is a type in the words of JSON.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}
