package events

import "unicode/utf8"

// text copies a quoted string, its escapes as RFC 8785 wants them. Halves of
// characters beyond 16 bits take the long way.
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

// escape writes the escape that in begins with and returns its length, 0 for
// one that it does not know.
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

// numbered is escape for \u and four digits.
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

// appendCanonicalRune writes a character as it stands between quotes.
func appendCanonicalRune(b []byte, r rune) []byte {
	n := len(b)
	b = appendString(b, string(r))
	copy(b[n:], b[n+1:])
	return b[:len(b)-2]
}
