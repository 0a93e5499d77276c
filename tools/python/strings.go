package python

import (
	"fmt"
	"strings"
)

// prefix holds the properties that a string's prefix and quotes give it.
type prefix uint8

const (
	raw prefix = 1 << iota
	bytesLiteral
	formatted
	template
	triple
)

// letter returns the letter that names the kind of a string with replacement fields.
func (p prefix) letter() string {
	if p&template != 0 {
		return "t"
	}
	return "f"
}

// prefixOf reads a string prefix of one or two letters in any case and order.
func prefixOf(word string) (prefix, bool) {
	var p prefix
	for i := range len(word) {
		var one prefix
		switch word[i] | 0x20 {
		case 'r':
			one = raw
		case 'b':
			one = bytesLiteral
		case 'f':
			one = formatted
		case 't':
			one = template
		case 'u':
			return 0, len(word) == 1
		default:
			return 0, false
		}
		if p&one != 0 {
			return 0, false
		}
		p |= one
	}
	return p, len(word) == 1 || p&raw != 0
}

// quoted reads a string whose opening quotes begin at quote, or the start of an f-string.
func (l *lexer) quoted(start, quote int, p prefix) TokenKind {
	text, q := l.text, l.text[quote]
	body := quote + 1
	if body+1 < len(text) && text[body] == q && text[body+1] == q {
		p |= triple
		body += 2
	}
	if p&(formatted|template) != 0 && len(l.stack) < maxFrames {
		return l.openString(start, body, q, p)
	}
	var end int
	var ok bool
	if p&triple != 0 {
		end, ok = endOfTriple(text, body, q)
	} else {
		end, ok = l.endOfSingle(body, q)
	}
	if !ok {
		return l.unterminated(start, body, end, q, p)
	}
	if p&bytesLiteral != 0 && !l.strict && !ascii(text[body:end]) { // CPython's parser reports this
		l.problem(start, parsed, "bytes can only contain ASCII literal characters")
	}
	return l.token(String, start, end)
}

// endOfSingle returns the end of a single-line string, after its quote. Without a closing quote it returns the
// end of the line and false.
func (l *lexer) endOfSingle(i int, q byte) (int, bool) {
	text := l.text
	for i < len(text) {
		switch c := text[i]; c {
		case q:
			return i + 1, true
		case '\\':
			i++
			if i < len(text) && text[i] == '\r' {
				i = l.lineAfter(i)
				continue
			}
		case '\n', '\r':
			return i, false
		}
		i++
	}
	return len(text), false
}

// endOfTriple returns the end of a triple-quoted string, after its quotes, or false if there is none.
func endOfTriple(text string, i int, q byte) (int, bool) {
	quotes := `"""`
	if q == '\'' {
		quotes = `'''`
	}
	n := strings.Index(text[i:], quotes)
	if n < 0 {
		return len(text), false
	}
	back := strings.IndexByte(text[i:i+n], '\\')
	if back < 0 {
		return i + n + 3, true
	}
	for i += back; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case q:
			if strings.HasPrefix(text[i:], quotes) {
				return i + 3, true
			}
		}
	}
	return len(text), false
}

// unterminated reports a string without closing quotes. Inside an f-string with the same quotes, the f-string
// ends there instead.
func (l *lexer) unterminated(start, body, end int, q byte, p prefix) TokenKind {
	if outer := l.innermost(); outer >= 0 {
		f := l.stack[outer]
		if f.kind == q && f.flags&triple == p&triple {
			l.problem(start, raised, f.flags.letter()+"-string: expecting '}'")
			l.stack, l.literal, l.lost = l.stack[:0], false, 0
			return l.token(FStringEnd, start, body)
		}
	}
	l.unterminatedProblem(start, end, p, "string")
	if p&triple == 0 {
		l.giveUpLine()
	}
	return l.token(String, start, end)
}

func (l *lexer) unterminatedProblem(start, end int, p prefix, what string) {
	if l.full() {
		return
	}
	if p&triple != 0 {
		what = "triple-quoted " + what
		end = len(l.text)
	}
	text := fmt.Sprintf("unterminated %s literal (detected at line %d)", what, l.lineOf(end))
	l.problem(start, raised, text)
}

// maxSpecs is the depth of nested format specifications at which CPython rejects a replacement field.
const maxSpecs = 3

// openString begins an f-string or t-string.
func (l *lexer) openString(start, body int, q byte, p prefix) TokenKind {
	l.push(frame{offset: start, kind: q, flags: p})
	if n := l.stack[len(l.stack)-1].strings; n == maxStrings+1 {
		l.problem(start, raised, "too many nested f-strings")
	}
	l.literal = true
	return l.token(FStringStart, start, body)
}

// push puts f on the stack and records the enclosing f-string.
func (l *lexer) push(f frame) {
	f.owner = -1
	if n := len(l.stack); n > 0 {
		top := l.stack[n-1]
		f.owner, f.strings = top.owner, top.strings
		if top.isString() {
			f.owner = int32(n - 1)
		}
		if f.kind == field && top.kind == spec {
			f.specs = top.specs + 1
		}
	}
	if f.isString() {
		f.strings++
	}
	l.stack = append(l.stack, f)
}

func (f frame) isString() bool { return f.kind == '"' || f.kind == '\'' }

// innermost returns the index of the f-string that the lexer is in, or -1 if it is in none.
func (l *lexer) innermost() int {
	n := len(l.stack) - 1
	if n < 0 || l.stack[n].isString() {
		return n
	}
	return int(l.stack[n].owner)
}

// giveUpLine ends all single-line f-strings, up to the innermost triple-quoted one.
func (l *lexer) giveUpLine() {
	for n := l.innermost(); n >= 0 && l.stack[n].flags&triple == 0; n = l.innermost() {
		l.stack, l.literal, l.lost = l.stack[:n], false, 0
	}
}

// middle reads the literal text of an f-string or of a format specification. It returns endOfText where ordinary
// tokens continue.
func (l *lexer) middle() TokenKind {
	top := l.stack[len(l.stack)-1]
	inSpec := top.kind == spec
	str := top
	if inSpec {
		str = l.stack[top.owner]
	}
	start := l.pos
	end := l.literalEnd(start, str, inSpec)
	if end > start {
		return l.token(FStringMiddle, start, end)
	}
	if end == len(l.text) {
		return l.endlessString(str, end)
	}
	switch c := l.text[end]; c {
	case '{':
		return l.openField(end)
	case '}': // end of a field that has a specification
		l.stack = l.stack[:len(l.stack)-1]
		return l.token(Op, end, end+1)
	case '\n', '\r':
		if !inSpec {
			return l.endlessString(str, end)
		}
		l.stack[len(l.stack)-1].kind, l.literal = field, false
		return endOfText
	}
	return l.closeString(end, str, inSpec)
}

// literalEnd returns the end of the literal text that begins at i: before the quotes, a field, the end of a field
// or a line end that the string cannot contain.
func (l *lexer) literalEnd(i int, str frame, inSpec bool) int {
	text, named := l.text, false
	for i < len(text) {
		switch c := text[i]; c {
		case str.kind:
			if str.flags&triple == 0 || i+2 < len(text) && text[i+1] == c && text[i+2] == c {
				return i
			}
		case '{':
			doubled := i+1 < len(text) && text[i+1] == '{' && !inSpec
			if !doubled && len(l.stack) < maxFrames {
				return i
			}
			if doubled {
				i++
			}
		case '}':
			switch {
			case named:
				named = false
			case inSpec:
				return i
			case i+1 < len(text) && text[i+1] == '}':
				i++
			default:
				l.problem(i, raised, str.flags.letter()+"-string: single '}' is not allowed")
			}
		case '\\':
			var skip int
			skip, named = l.escape(i, str.flags, named)
			i += skip
		case '\n', '\r':
			if str.flags&triple == 0 {
				return i
			}
		}
		i++
	}
	return len(text)
}

// escape returns the number of bytes after the backslash at i that belong to the escape, and whether a character
// name in braces follows.
func (l *lexer) escape(i int, p prefix, named bool) (int, bool) {
	switch c := l.at(i + 1); {
	case c == '{' || c == '}' || i+1 >= len(l.text):
		return 0, named
	case c == '\r':
		return l.lineAfter(i+1) - i - 1, named
	case c == 'N' && p&raw == 0 && strings.HasPrefix(l.text[i+2:], "{"):
		return 2, true
	}
	return 1, named
}

// openField begins a replacement field.
func (l *lexer) openField(i int) TokenKind {
	l.push(frame{offset: i, kind: field})
	if l.stack[len(l.stack)-1].specs == maxSpecs {
		l.problem(i-1, raised, "f-string: expressions nested too deeply")
	}
	l.literal = false
	return l.token(Op, i, i+1)
}

// closeString ends an f-string at its quotes.
func (l *lexer) closeString(i int, str frame, inSpec bool) TokenKind {
	n := len(l.stack) - 1
	if inSpec {
		l.problem(i, parsed, str.flags.letter()+"-string: expecting '}'")
		n = int(l.stack[n].owner)
	}
	l.stack, l.literal = l.stack[:n], false
	if str.flags&triple != 0 {
		return l.token(FStringEnd, i, i+3)
	}
	return l.token(FStringEnd, i, i+1)
}

// endlessString ends an f-string without closing quotes.
func (l *lexer) endlessString(str frame, end int) TokenKind {
	l.unterminatedProblem(str.offset, end, str.flags, str.flags.letter()+"-string")
	if str.flags&triple == 0 {
		l.giveUpLine()
	} else {
		l.stack, l.literal, l.lost = l.stack[:0], false, 0
	}
	return l.token(FStringEnd, end, end)
}
