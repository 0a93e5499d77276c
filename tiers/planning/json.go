package planning

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"manualslop/events/chars"
	"manualslop/tiers"
)

// Model output is parsed by a JSON reader of our own: what it accepts, and the position and text
// of errors, must not change with a library.

// maxDepth limits the nesting of lists and objects.
const maxDepth = 100

// kind is the type of a value, named by its first character.
type kind byte

const (
	isNull   kind = 'n'
	isBool   kind = 't'
	isNumber kind = '0'
	isText   kind = '"'
	isList   kind = '['
	isObject kind = '{'
)

// value is one JSON value.
type value struct {
	kind kind
	text string   // of a string; true or false; a number as written
	list []value  // of a list, or the member values of an object
	keys []string // the member names
}

// member returns the last member with this name; false if there is none.
func (v value) member(name string) (value, bool) {
	for i := len(v.keys) - 1; i >= 0; i-- {
		if v.keys[i] == name {
			return v.list[i], true
		}
	}
	return value{}, false
}

// jsonReader parses a text from its beginning.
type jsonReader struct {
	text string
	at   int
}

// read parses a text; it returns what is wrong with it if it is not valid.
func read(text string) (value, string) {
	r := jsonReader{text: text}
	v, ok := r.value(0)
	if r.space(); ok && r.at == len(text) {
		return v, ""
	}
	return value{}, ": something is wrong at byte " + strconv.Itoa(r.at) + ", after " + chars.Quote(tiers.Tail(text[:r.at],
		20))
}

func (r *jsonReader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// next returns the next character after white space; 0 at the end.
func (r *jsonReader) next() byte {
	if r.space(); r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// take consumes the next character if it is c.
func (r *jsonReader) take(c byte) bool {
	if r.next() != c || c == 0 {
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) value(depth int) (value, bool) {
	c := r.next()
	switch {
	case depth > maxDepth:
		return value{}, false
	case c == '"':
		text, ok := r.quoted()
		return value{kind: isText, text: text}, ok
	case c == '[':
		return r.array(depth)
	case c == '{':
		return r.object(depth)
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, word := range []value{{kind: isBool, text: "true"}, {kind: isBool, text: "false"},
		{kind: isNull, text: "null"}} {
		if strings.HasPrefix(r.text[r.at:], word.text) {
			r.at += len(word.text)
			return word, true
		}
	}
	return value{}, false
}

func (r *jsonReader) array(depth int) (value, bool) {
	out := value{kind: isList}
	r.take('[')
	if r.take(']') {
		return out, true
	}
	for {
		v, ok := r.value(depth + 1)
		if !ok {
			return value{}, false
		}
		out.list = append(out.list, v)
		if r.take(']') {
			return out, true
		}
		if !r.take(',') {
			return value{}, false
		}
	}
}

func (r *jsonReader) object(depth int) (value, bool) {
	out := value{kind: isObject}
	r.take('{')
	if r.take('}') {
		return out, true
	}
	for {
		if r.next() != '"' {
			return value{}, false
		}
		key, ok := r.quoted()
		if !ok || !r.take(':') {
			return value{}, false
		}
		v, ok := r.value(depth + 1)
		if !ok {
			return value{}, false
		}
		out.keys, out.list = append(out.keys, key), append(out.list, v)
		if r.take('}') {
			return out, true
		}
		if !r.take(',') {
			return value{}, false
		}
	}
}

// number parses a number and keeps its spelling.
func (r *jsonReader) number() (value, bool) {
	from := r.at
	digits := func() int {
		n := 0
		for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
			r.at, n = r.at+1, n+1
		}
		return n
	}
	has := func(set string) bool {
		if r.at == len(r.text) || strings.IndexByte(set, r.text[r.at]) < 0 {
			return false
		}
		r.at++
		return true
	}
	has("-")
	zero := r.at < len(r.text) && r.text[r.at] == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		return value{}, false
	}
	if has(".") && digits() == 0 {
		return value{}, false
	}
	if has("eE") {
		if has("+-"); digits() == 0 {
			return value{}, false
		}
	}
	return value{kind: isNumber, text: r.text[from:r.at]}, true
}

// quoted parses a string. Invalid characters become U+FFFD.
func (r *jsonReader) quoted() (string, bool) {
	var b strings.Builder
	r.at++
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return b.String(), true
		case c < ' ':
			return "", false
		case c == '\\':
			if !r.escape(&b) {
				return "", false
			}
		default:
			char, size := utf8.DecodeRuneInString(r.text[r.at:])
			b.WriteRune(char)
			r.at += size
		}
	}
	return "", false
}

// escape parses an escape sequence; a surrogate pair gives one character.
func (r *jsonReader) escape(b *strings.Builder) bool {
	if r.at+1 == len(r.text) {
		return false
	}
	const short, stands = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(short, r.text[r.at+1]); i >= 0 {
		b.WriteByte(stands[i])
		r.at += 2
		return true
	}
	first, ok := r.unit()
	if !ok {
		return false
	}
	if at := r.at; first >= 0xd800 && first < 0xdc00 {
		if second, ok := r.unit(); ok && second >= 0xdc00 && second < 0xe000 {
			first = 0x10000 + (first-0xd800)<<10 + (second - 0xdc00)
		} else {
			r.at = at
		}
	}
	b.WriteRune(first) // a lone surrogate becomes U+FFFD
	return true
}

// unit parses \u and four hex digits.
func (r *jsonReader) unit() (rune, bool) {
	const length = 6
	if len(r.text)-r.at < length || r.text[r.at] != '\\' || r.text[r.at+1] != 'u' {
		return 0, false
	}
	var out rune
	for _, c := range r.text[r.at+2 : r.at+length] {
		digit := strings.IndexRune("0123456789abcdef", c|0x20)
		if digit < 0 || c < '0' {
			return 0, false
		}
		out = out<<4 | rune(digit)
	}
	r.at += length
	return out, true
}
