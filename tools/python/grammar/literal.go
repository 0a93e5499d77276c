package grammar

import (
	"fmt"
	"strings"
)

// notASCII is the error for a bytes literal with characters outside ASCII.
const notASCII = "bytes can only contain ASCII literal characters"

// literals records which kinds of string literals occur next to each other.
type literals struct{ text, bytes, template bool }

// add records a literal by its prefix.
func (l *literals) add(literal string) {
	prefix := prefixOf(literal)
	switch {
	case strings.ContainsAny(prefix, "bB"):
		l.bytes = true
	case strings.ContainsAny(prefix, "tT"):
		l.template = true
	default:
		l.text = true
	}
}

// mixed returns the error for kinds that may not be combined, or "".
func (l literals) mixed() string {
	switch {
	case l.template && (l.text || l.bytes):
		return "cannot mix t-string literals with string or bytes literals"
	case l.bytes && l.text:
		return "cannot mix bytes and nonbytes literals"
	}
	return ""
}

func prefixOf(literal string) string {
	return literal[:max(strings.IndexAny(literal, `"'`), 0)]
}

// wrongLiteral returns what is wrong with a string literal, or "" if it is valid.
func wrongLiteral(text string) string {
	prefix := prefixOf(text)
	bytes := strings.ContainsAny(prefix, "bB")
	if bytes && !ascii(text) {
		return notASCII
	}
	if !strings.Contains(text, "\\") || strings.ContainsAny(prefix, "rR") {
		return ""
	}
	body := text[len(prefix):]
	quotes := 1
	if len(body) >= 6 && body[1] == body[0] && body[2] == body[0] {
		quotes = 3
	}
	if len(body) < 2*quotes {
		return ""
	}
	body = body[quotes : len(body)-quotes]
	if bytes {
		return wrongByteEscape(body)
	}
	return wrongEscape(body)
}

func ascii(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// wrongByteEscape returns the error for the first invalid escape of a bytes literal, or "".
func wrongByteEscape(body string) string {
	at := 0
	for i := 0; i+1 < len(body); i++ {
		if body[i] == '\\' {
			if body[i+1] == 'x' && digits(body[i+2:], 2) < 2 {
				return fmt.Sprintf("(value error) invalid \\x escape at position %d", at)
			}
			i++
			at++
		}
		at++
	}
	return ""
}

// digits counts the leading hexadecimal digits of a text, up to n.
func digits(text string, n int) int {
	count := 0
	for count < n && count < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[count]) >= 0 {
		count++
	}
	return count
}

// wrongEscape returns the error for the first invalid escape of a string literal, or "". Positions are those of
// CPython's buffer, in which characters outside ASCII take ten bytes.
func wrongEscape(body string) string {
	at := 0
	for i, r := range body {
		if at < 0 { // this character follows a backslash
			at = -at + 1
			continue
		}
		if r >= 0x80 {
			at += 10
			continue
		}
		if r == '\\' && i+1 < len(body) {
			if why, n := badEscape(body[i+1:]); why != "" {
				return fmt.Sprintf("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: %s", at, at+n, why)
			}
			at = -(at + 1)
			if body[i+1] >= 0x80 {
				at -= 9
			}
			continue
		}
		at++
	}
	return ""
}

// badEscape checks an escape, given the text after the backslash. It returns what is wrong with it, and the
// number of bytes that it takes after the backslash.
func badEscape(rest string) (why string, n int) {
	switch rest[0] {
	case 'x':
		if n := digits(rest[1:], 2); n < 2 {
			return `truncated \xXX escape`, 1 + n
		}
	case 'u':
		if n := digits(rest[1:], 4); n < 4 {
			return `truncated \uXXXX escape`, 1 + n
		}
	case 'U':
		n := digits(rest[1:], 8)
		if n < 8 {
			return `truncated \UXXXXXXXX escape`, 1 + n
		}
		if rest[1:9] > "0010ffff" && strings.ToLower(rest[1:9]) > "0010ffff" {
			return "illegal Unicode character", 9
		}
	case 'N':
		if len(rest) < 2 || rest[1] != '{' {
			return `malformed \N character escape`, 1
		}
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return `malformed \N character escape`, len(rest)
		}
		if end == 2 {
			return `malformed \N character escape`, 2
		}
	}
	return "", 0
}
