package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// Canonical returns the RFC 8785 form of a JSON text. All digests of arguments and manifests are
// computed from it.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	if b, ok := scanned(raw); ok {
		return b, nil
	}
	b, err := jcs.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return b, nil
}

// CanonicalDigest returns the SHA-256, in hexadecimal, of the canonical form of
// raw.
func CanonicalDigest(raw json.RawMessage) (string, error) {
	b, err := Canonical(raw)
	if err != nil {
		return "", err
	}
	return Digest(b), nil
}

// text copies a string with its escapes as RFC 8785 requires. Surrogate pairs are left to the slow
// path.
func (s *scan) text() bool {
	in, from := s.in, 1
	s.out = append(s.out, '"')
	for i := 1; i < len(in); {
		switch c := in[i]; {
		case c == '"':
			s.out = append(append(s.out, in[from:i]...), '"')
			s.in = in[i+1:]
			return true
		case c < ' ':
			return false
		case c == '\\':
			s.out = append(s.out, in[from:i]...)
			n := s.escape(in[i:])
			if n == 0 {
				return false
			}
			i += n
			from = i
		default:
			i++
		}
	}
	return false
}

// escape writes the escape at the start of in and returns its length, or 0 if it is unknown.
func (s *scan) escape(in []byte) int {
	if len(in) < 2 {
		return 0
	}
	switch c := in[1]; c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		s.out = append(s.out, '\\', c)
		return 2
	case '/':
		s.out = append(s.out, '/')
		return 2
	case 'u':
		return s.numbered(in)
	}
	return 0
}

// numbered is like escape, for \u and four digits.
func (s *scan) numbered(in []byte) int {
	const length = 6
	if len(in) < length {
		return 0
	}
	var r rune
	for _, c := range in[2:length] {
		digit := hexDigit(c)
		if digit < 0 {
			return 0
		}
		r = r<<4 | digit
	}
	if !utf8.ValidRune(r) {
		return 0
	}
	s.out = appendCanonicalRune(s.out, r)
	return length
}

func hexDigit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// appendCanonicalRune appends a character as it appears in a quoted string.
func appendCanonicalRune(b []byte, r rune) []byte {
	n := len(b)
	b = appendString(b, string(r))
	copy(b[n:], b[n+1:])
	return b[:len(b)-2]
}

// maxScanDepth limits nesting in the scan; deeper texts are left to the slow path.
const maxScanDepth = 200

// maxScanDigits limits the digits of whole numbers in the scan, so that a double holds them
// exactly.
const maxScanDigits = 15

// scanned returns the canonical form of a typical JSON text in one pass without building a tree:
// one whose member names are printable ASCII and whose numbers are whole. If it returns false, the
// text is left to the slow path.
func scanned(raw []byte) ([]byte, bool) {
	if !utf8.Valid(raw) {
		return nil, false
	}
	s := scan{in: raw, out: make([]byte, 0, len(raw))}
	if !s.value(0) {
		return nil, false
	}
	s.space()
	return s.out, len(s.in) == 0
}

// scan reads in and writes out.
type scan struct{ in, out []byte }

func (s *scan) space() {
	for len(s.in) > 0 && (s.in[0] == ' ' || s.in[0] == '\n' || s.in[0] == '\r' || s.in[0] == '\t') {
		s.in = s.in[1:]
	}
}

// take consumes c if it is the next byte after white space.
func (s *scan) take(c byte) bool {
	s.space()
	if len(s.in) == 0 || s.in[0] != c {
		return false
	}
	s.in = s.in[1:]
	return true
}

func (s *scan) value(depth int) bool {
	s.space()
	if len(s.in) == 0 || depth > maxScanDepth {
		return false
	}
	switch c := s.in[0]; {
	case c == '"':
		return s.text()
	case c == '{':
		return s.object(depth + 1)
	case c == '[':
		return s.array(depth + 1)
	case c == '-' || c >= '0' && c <= '9':
		return s.whole()
	}
	return s.word("true") || s.word("false") || s.word("null")
}

func (s *scan) word(w string) bool {
	if len(s.in) < len(w) || string(s.in[:len(w)]) != w {
		return false
	}
	s.out, s.in = append(s.out, w...), s.in[len(w):]
	return true
}

// whole copies a whole number with an optional sign.
func (s *scan) whole() bool {
	n := 0
	if s.in[0] == '-' {
		n = 1
	}
	first := n
	for n < len(s.in) && s.in[n] >= '0' && s.in[n] <= '9' {
		n++
	}
	digits := n - first
	if digits == 0 || digits > maxScanDigits || s.in[first] == '0' && n > 1 {
		return false
	}
	if n < len(s.in) && (s.in[n] == '.' || s.in[n] == 'e' || s.in[n] == 'E') {
		return false
	}
	s.out, s.in = append(s.out, s.in[:n]...), s.in[n:]
	return true
}

func (s *scan) array(depth int) bool {
	s.take('[')
	s.out = append(s.out, '[')
	for first := true; !s.take(']'); first = false {
		if !first {
			if !s.take(',') {
				return false
			}
			s.out = append(s.out, ',')
		}
		if !s.value(depth) {
			return false
		}
	}
	s.out = append(s.out, ']')
	return true
}

// member is the position of a name and of its whole member in the output.
type member struct{ from, name, to int }

// object writes members in input order and sorts them afterwards.
func (s *scan) object(depth int) bool {
	s.take('{')
	s.out = append(s.out, '{')
	var few [16]member
	members := few[:0]
	for first := true; !s.take('}'); first = false {
		if !first {
			if !s.take(',') {
				return false
			}
			s.out = append(s.out, ',')
		}
		m := member{from: len(s.out)}
		s.space()
		if len(s.in) == 0 || s.in[0] != '"' || !s.text() || !plainName(s.out[m.from+1:len(s.out)-1]) || !s.take(':') {
			return false
		}
		m.name = len(s.out)
		s.out = append(s.out, ':')
		if !s.value(depth) {
			return false
		}
		m.to = len(s.out)
		members = append(members, m)
	}
	if !s.order(members) {
		return false
	}
	s.out = append(s.out, '}')
	return true
}

// plainName reports whether a name is sorted alike by bytes, by UTF-16 code units, and in quoted
// form.
func plainName(name []byte) bool {
	for _, c := range name {
		if c <= '"' || c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// order sorts the members at the end of the output by name; it returns false if a name occurs
// twice.
func (s *scan) order(members []member) bool {
	byName := func(a, b member) int { return bytes.Compare(s.out[a.from:a.name], s.out[b.from:b.name]) }
	sorted := true
	for i := 1; i < len(members) && sorted; i++ {
		sorted = byName(members[i-1], members[i]) < 0
	}
	if sorted {
		return true
	}
	start := members[0].from
	slices.SortFunc(members, byName)
	old := bytes.Clone(s.out[start:])
	s.out = s.out[:start]
	for i, m := range members {
		if i > 0 {
			s.out = append(s.out, ',')
			before := members[i-1]
			if bytes.Equal(old[before.from-start:before.name-start], old[m.from-start:m.name-start]) {
				return false
			}
		}
		s.out = append(s.out, old[m.from-start:m.to-start]...)
	}
	return true
}

// SizeOf returns the maximum number of bytes of a value as JSON in the log. It is computed from
// the canonical form instead of the output of the current encoder, because decisions depend on it.
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

// escapedSize returns the length of canonical JSON once it is escaped for HTML.
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

// Nesting returns the greatest depth of arrays and objects in a text that may be JSON, in one pass
// and without a stack. It limits the depth of external input before decoding.
func Nesting(text []byte) int {
	deepest, now := 0, 0
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
