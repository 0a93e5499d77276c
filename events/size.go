package events

import "encoding/json"

// SizeOf is how many bytes a value has on the log as JSON, at most. It is counted
// on the canonical form and not on what an encoder of the day writes, because
// decisions depend on it.
func SizeOf(v any) (int, error) {
	if p, is := v.(Part); is && !p.inexact() {
		return escapedSize(appendPart(nil, &p)), nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	b, err := Canonical(raw)
	if err != nil {
		return 0, err
	}
	return escapedSize(b), nil
}

// escapedSize is how long canonical JSON is where it is safe in HTML as well.
func escapedSize(b []byte) int {
	const escaped = len(`\u003c`)
	n := len(b)
	for i, c := range b {
		switch {
		case c == '<', c == '>', c == '&':
			n += escaped - 1
		case c == 0xe2 && i+2 < len(b) && b[i+1] == 0x80 && (b[i+2] == 0xa8 || b[i+2] == 0xa9): // U+2028 and U+2029
			n += escaped - 3
		}
	}
	return n
}
