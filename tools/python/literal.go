package python

import (
	"maps"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"
)

// PlainString returns the value of a string literal without escapes, and false for any other literal.
func PlainString(literal string) (string, bool) {
	value, ok := stringValue(literal)
	return value, ok && !strings.Contains(literal, `\`)
}

// stringValue returns the value of a string literal. It returns false for bytes and for an unterminated literal.
// Invalid escapes are kept as written, and an unpaired surrogate becomes U+FFFD.
func stringValue(literal string) (string, bool) {
	quote := strings.IndexAny(literal, `"'`)
	if quote < 0 {
		return "", false
	}
	p, ok := prefix(0), true
	if quote > 0 {
		p, ok = prefixOf(literal[:quote])
	}
	if !ok || p&bytesLiteral != 0 {
		return "", false
	}
	size := 1
	if body := literal[quote:]; len(body) >= 6 && body[1] == body[0] && body[2] == body[0] {
		size = 3
	}
	if len(literal) < quote+2*size || !strings.HasSuffix(literal, literal[quote:quote+size]) {
		return "", false
	}
	body := literal[quote+size : len(literal)-size]
	if strings.IndexByte(body, '\r') >= 0 {
		body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	}
	if p&raw != 0 || strings.IndexByte(body, '\\') < 0 {
		return body, true
	}
	return unescape(body, charactersOf(body)), true
}

func unescape(body string, characters map[string]rune) string {
	var b strings.Builder
	for {
		back := strings.IndexByte(body, '\\')
		if back < 0 || back+1 == len(body) {
			b.WriteString(body)
			return b.String()
		}
		b.WriteString(body[:back])
		text, size := escapeValue(body[back+1:], characters)
		b.WriteString(text)
		body = body[back+1+size:]
	}
}

// escapeValue returns the value of the escape after a backslash, and its size.
func escapeValue(s string, characters map[string]rune) (string, int) {
	switch c := s[0]; c {
	case '\n':
		return "", 1
	case '\\', '\'', '"':
		return s[:1], 1
	case 'a':
		return "\a", 1
	case 'b':
		return "\b", 1
	case 'f':
		return "\f", 1
	case 'n':
		return "\n", 1
	case 'r':
		return "\r", 1
	case 't':
		return "\t", 1
	case 'v':
		return "\v", 1
	case 'x':
		return codePoint(s, 2)
	case 'u':
		return codePoint(s, 4)
	case 'U':
		return codePoint(s, 8)
	case 'N':
		return namedCharacter(s, characters)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return octal(s)
	}
	return `\`, 0
}

// codePoint reads an escape with the given number of hexadecimal digits.
func codePoint(s string, digits int) (string, int) {
	if len(s) < 1+digits {
		return `\`, 0
	}
	var r rune
	for i := 1; i <= digits; i++ {
		v := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if s[i] < '0' || v < 0 || r > utf8.MaxRune {
			return `\`, 0
		}
		r = r<<4 | rune(v)
	}
	if r > utf8.MaxRune {
		return `\`, 0
	}
	if utf16.IsSurrogate(r) {
		r = utf8.RuneError
	}
	return string(r), 1 + digits
}

func octal(s string) (string, int) {
	var r rune
	i := 0
	for i < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7' {
		r = r<<3 | rune(s[i]-'0')
		i++
	}
	return string(r), i
}

// namedCharacter reads an escape with the name of a character. Unknown names are kept as written.
func namedCharacter(s string, characters map[string]rune) (string, int) {
	name, ok := escapedName(s)
	r, known := characters[strings.ToUpper(name)]
	if !ok || !known {
		return `\`, 0
	}
	return string(r), len("N{}") + len(name)
}

// escapedName returns the name in an escape that begins at its N.
func escapedName(s string) (string, bool) {
	if !strings.HasPrefix(s, "N{") {
		return "", false
	}
	end := strings.IndexAny(s, "}\\")
	if end < 0 || s[end] != '}' {
		return "", false
	}
	return s[len("N{"):end], true
}

// charactersOf returns the characters that the escapes of a literal name.
func charactersOf(body string) map[string]rune {
	var wanted map[string]rune
	for rest := body; ; {
		at := strings.Index(rest, `\N{`)
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		if name, ok := escapedName(rest); ok {
			if wanted == nil {
				wanted = map[string]rune{}
			}
			wanted[strings.ToUpper(name)] = -1
		}
	}
	if wanted == nil {
		return nil
	}
	for r := range rune(lastNamed) {
		if name := runenames.Name(r); name != "" && name[0] != '<' {
			if _, ok := wanted[name]; ok {
				wanted[name] = r
			}
		}
	}
	maps.DeleteFunc(wanted, func(_ string, r rune) bool { return r < 0 })
	return wanted
}

// lastNamed is one more than the last character that has its own name and is not a variation selector.
const lastNamed = 0x20000
