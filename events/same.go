package events

import (
	"bytes"
	"encoding/json"
)

// SameBody tells whether a recorded body is the one that was decided. They are
// compared as canonical JSON, and one of an older version as its lift makes it:
// which bytes an encoder writes, and which version was new, makes no difference.
func SameBody(recorded, decided *Event) bool {
	if recorded.V == decided.V && bytes.Equal(recorded.Data, decided.Data) {
		return true
	}
	was, err := BodyToday(recorded, decided.V)
	if err != nil {
		return false
	}
	is, err := Canonical(decided.Data)
	return err == nil && bytes.Equal(was, is)
}

// BodyToday is the body of a decoded event in a version of its type as canonical
// JSON: lifted where it is of an older one.
func BodyToday(e *Event, version int) ([]byte, error) {
	body := e.Data
	if e.V != version {
		lifted, err := json.Marshal(e.Payload)
		if err != nil {
			return nil, err
		}
		body = lifted
	}
	return Canonical(body)
}
