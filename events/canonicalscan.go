package events

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// maxScanDepth bounds nesting in the scan; deeper texts take the long way.
const maxScanDepth = 200

// maxScanDigits bounds whole numbers in the scan: fewer digits than a double has.
const maxScanDigits = 15

// scanned is the canonical form of a common JSON text, in one pass and without
// a tree: of objects whose names are printable ASCII, and of whole numbers.
// false is no verdict on the text; it only takes the long way.
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

// take reads one byte behind white space, if it is c.
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

// whole copies a whole number other than 0 with a sign.
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

// member is where a name and the whole of its member stand in the output.
type member struct{ from, name, to int }

// object writes members as they come and puts them in order afterwards.
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

// plainName tells whether the order of such names by bytes is theirs by UTF-16
// code units, and that of their quoted forms.
func plainName(name []byte) bool {
	for _, c := range name {
		if c <= '"' || c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// order sorts the members that end the output by name; false for a name that
// stands twice.
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
