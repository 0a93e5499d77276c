package python

import "strings"

// maxSpecs is how many format specifications CPython lets a replacement field not stand in.
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

// push puts f on the stack and notes the f-string around it.
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

// innermost is the index of the f-string that the lexer is in, -1 if it is in none.
func (l *lexer) innermost() int {
	n := len(l.stack) - 1
	if n < 0 || l.stack[n].isString() {
		return n
	}
	return int(l.stack[n].owner)
}

// giveUpLine ends all f-strings of one line up to the first that may have several.
func (l *lexer) giveUpLine() {
	for n := l.innermost(); n >= 0 && l.stack[n].flags&triple == 0; n = l.innermost() {
		l.stack, l.literal, l.lost = l.stack[:n], false, 0
	}
}

// middle reads in the literal text of an f-string, or in a format specification, which is literal
// text too. It gives endOfText where ordinary tokens go on.
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
	case '}': // of a field, whose specification ends here
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

// literalEnd is where literal text that begins at i ends: before the quotes, a field, the end of a
// field or a line end that the string cannot hold.
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

// escape says how many bytes behind the backslash at i belong to it, and whether a character's name
// in braces follows.
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

// endlessString ends an f-string that has no end.
func (l *lexer) endlessString(str frame, end int) TokenKind {
	l.unterminatedProblem(str.offset, end, str.flags, str.flags.letter()+"-string")
	if str.flags&triple == 0 {
		l.giveUpLine()
	} else {
		l.stack, l.literal, l.lost = l.stack[:0], false, 0
	}
	return l.token(FStringEnd, end, end)
}
