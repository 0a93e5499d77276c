package events

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// quick parses one JSON text of valid UTF-8. If a method returns false, encoding/json parses the
// text and reports any error.
type quick struct {
	in      []byte
	at      int
	scratch []byte // for strings with escapes
}

// maxQuickDepth limits nesting; deeper texts are left to encoding/json.
const maxQuickDepth = 200

// space skips white space.
func (q *quick) space() {
	for q.at < len(q.in) {
		switch q.in[q.at] {
		case ' ', '\n', '\r', '\t':
			q.at++
		default:
			return
		}
	}
}

// take consumes c if it is the next byte after white space.
func (q *quick) take(c byte) bool {
	if q.at < len(q.in) && q.in[q.at] == c {
		q.at++
		return true
	}
	q.space()
	if q.at < len(q.in) && q.in[q.at] == c {
		q.at++
		return true
	}
	return false
}

// next returns the next byte after white space without consuming it; 0 at the end.
func (q *quick) next() byte {
	q.space()
	if q.at == len(q.in) {
		return 0
	}
	return q.in[q.at]
}

// word consumes a literal.
func (q *quick) word(w string) bool {
	if len(q.in)-q.at < len(w) || string(q.in[q.at:q.at+len(w)]) != w {
		return false
	}
	q.at += len(w)
	return true
}

// plainRun returns how many bytes of b precede its first quote, backslash or control character.
func plainRun(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		found := (quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x
		if found &= highs; found != 0 { // the lowest bit set is exact
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(b) && b[n] >= ' ' && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// text consumes a string and returns the bytes between its quotes, and whether they contain
// escapes, which are then well-formed.
func (q *quick) text() (raw []byte, escaped, ok bool) {
	if !q.take('"') {
		return nil, false, false
	}
	from := q.at
	for {
		q.at += plainRun(q.in[q.at:])
		if q.at == len(q.in) {
			return nil, false, false
		}
		switch q.in[q.at] {
		case '"':
			q.at++
			return q.in[from : q.at-1], escaped, true
		case '\\':
			n := escapeLength(q.in[q.at:])
			if n == 0 {
				return nil, false, false
			}
			q.at += n
			escaped = true
		default:
			return nil, false, false
		}
	}
}

// escapeLength returns the length of the escape at the start of b; 0 if there is none.
func escapeLength(b []byte) int {
	const numbered = 6
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= numbered && escapedUnit(b) >= 0 {
			return numbered
		}
	}
	return 0
}

// escapedUnit returns the UTF-16 code unit of \u and four digits; -1 if invalid.
func escapedUnit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		digit := hexDigit(c)
		if digit < 0 {
			return -1
		}
		r = r<<4 | digit
	}
	return r
}

// str decodes a string as encoding/json does.
func (q *quick) str() (string, bool) {
	raw, escaped, ok := q.text()
	if !ok || !escaped {
		return string(raw), ok
	}
	out := q.scratch[:0]
	for len(raw) > 0 {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			out = append(out, raw...)
			break
		}
		out = append(out, raw[:n]...)
		raw = raw[n:]
		switch raw[1] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := escapedUnit(raw)
			raw = raw[4:]
			if utf16.IsSurrogate(r) {
				if pair := utf16.DecodeRune(r, escapedUnit(raw[2:])); pair != unicode.ReplacementChar {
					r = pair
					raw = raw[6:]
				} else {
					r = unicode.ReplacementChar
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, raw[1])
		}
		raw = raw[2:]
	}
	q.scratch = out
	return string(out), true
}

// number consumes a number and returns its text, and whether it is a whole number.
func (q *quick) number() (raw []byte, whole, ok bool) {
	q.space()
	b, i := q.in[q.at:], 0
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	if !digits() || b[first] == '0' && i > first+1 {
		return nil, false, false
	}
	whole = true
	if i < len(b) && b[i] == '.' {
		i++
		whole = false
		if !digits() {
			return nil, false, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		whole = false
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return nil, false, false
		}
	}
	q.at += i
	return b[:i], whole, true
}

// whole decodes a whole number that fits into the given number of bits.
func (q *quick) whole(size int) (int64, bool) {
	raw, whole, ok := q.number()
	if !ok || !whole {
		return 0, false
	}
	const surely = 18 // this many digits always fit into 64 bits
	if size == 64 && len(raw) <= surely && raw[0] != '-' {
		var n int64
		for _, c := range raw {
			n = n*10 + int64(c-'0')
		}
		return n, true
	}
	n, err := strconv.ParseInt(string(raw), 10, size)
	return n, err == nil
}

// value consumes any value and returns its text.
func (q *quick) value() ([]byte, bool) {
	q.space()
	from := q.at
	if !q.skip(0) {
		return nil, false
	}
	return q.in[from:q.at], true
}

// skip consumes any value.
func (q *quick) skip(depth int) bool {
	switch c := q.next(); c {
	case '"':
		_, _, ok := q.text()
		return ok
	case '{', '[':
		return depth < maxQuickDepth && q.skipAll(c, depth+1)
	case 't':
		return q.word("true")
	case 'f':
		return q.word("false")
	case 'n':
		return q.word("null")
	}
	_, _, ok := q.number()
	return ok
}

// skipAll consumes an object or an array.
func (q *quick) skipAll(open byte, depth int) bool {
	q.at++
	shut := open + 2 // the closing bracket in ASCII
	if q.take(shut) {
		return true
	}
	for {
		if open == '{' {
			if _, _, ok := q.text(); !ok || !q.take(':') {
				return false
			}
		}
		if !q.skip(depth) {
			return false
		}
		if q.take(shut) {
			return true
		}
		if !q.take(',') {
			return false
		}
	}
}

// end reports whether nothing but white space is left.
func (q *quick) end() bool {
	q.space()
	return q.at == len(q.in)
}
