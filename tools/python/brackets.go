package python

import "fmt"

// open reads an opening bracket.
func (l *lexer) open(i int) TokenKind {
	switch depth := len(l.stack); {
	case depth >= maxFrames:
		l.lost++
	default:
		if depth == maxBrackets {
			l.problem(i, raised, "too many nested parentheses")
		}
		l.push(frame{offset: i, kind: l.text[i]})
	}
	return l.token(Op, i, i+1)
}

// close reads a closing bracket. If it does not match, it closes a nearby open
// bracket of its kind, if any.
func (l *lexer) close(i int) TokenKind {
	c := l.text[i]
	l.token(Op, i, i+1)
	if l.lost > 0 {
		l.lost--
		return Op
	}
	n := len(l.stack)
	if n == 0 {
		if !l.full() {
			l.problem(i, raised, fmt.Sprintf("unmatched '%c'", c))
		}
		return Op
	}
	top := l.stack[n-1]
	switch {
	case opposite(top.kind) == c:
		l.stack = l.stack[:n-1]
	case top.kind == field && c == '}':
		l.stack = l.stack[:n-1]
		l.literal = true // the literal text of the f-string continues
	default:
		l.mismatch(i, c, top)
	}
	return Op
}

func opposite(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	}
	return 0
}

// mismatch reports a closing bracket that does not match, and treats it as
// closing the bracket that was probably meant.
func (l *lexer) mismatch(i int, c byte, top frame) {
	switch {
	case l.full():
	case top.kind == field:
		l.problem(i, raised, fmt.Sprintf("%s-string: unmatched '%c'", l.stack[top.owner].flags.letter(), c))
	default:
		text := fmt.Sprintf("closing parenthesis '%c' does not match opening parenthesis '%c'", c, top.kind)
		if line := l.lineOf(top.offset); line != l.lineOf(i) {
			text += fmt.Sprintf(" on line %d", line)
		}
		l.problem(i, raised, text)
	}
	for n := len(l.stack) - 1; n >= max(0, len(l.stack)-4); n-- {
		open := l.stack[n].kind
		if opposite(open) == c || open == field && c == '}' {
			l.stack = l.stack[:n]
			l.literal = open == field
			return
		}
		if opposite(open) == 0 {
			return
		}
	}
}

// neverClosed reports a bracket that is still open, at the position where that
// was detected.
func (l *lexer) neverClosed(open frame, at int) {
	if l.full() {
		return
	}
	kind := open.kind
	if kind == field || kind == spec {
		kind = '{'
	}
	text := fmt.Sprintf("'%c' was never closed", kind)
	l.report(Problem{open.offset, text, SyntaxError, parsed, at})
}

// beginsStatement reports whether the line at i begins with a keyword that
// cannot be inside brackets.
func (l *lexer) beginsStatement(i int) bool {
	for i < len(l.text) && classes[l.text[i]] == classBlank {
		i++
	}
	if i == len(l.text) || l.text[i] < 'a' || l.text[i] > 'w' {
		return false
	}
	end := i + 1
	for end < len(l.text) && wordBytes[l.text[end]] {
		end++
	}
	return end-i <= len("continue") && l.at(end) < 0x80 && beginsStatement(l.text[i:end])
}

// recover discards brackets that are still open at the line end at i when the next line begins a statement. It
// discards those inside the innermost triple-quoted f-string, whose literal text then continues. Without such an
// f-string it discards all of them and returns true.
func (l *lexer) recover(i, at int) bool {
	l.neverClosed(l.stack[len(l.stack)-1], i)
	l.lost = 0
	for n := len(l.stack) - 1; n >= 0; n-- {
		if f := l.stack[n]; f.flags&triple != 0 {
			l.stack, l.literal, l.pos = l.stack[:n+1], true, at
			return false
		}
	}
	l.stack, l.literal = l.stack[:0], false
	return true
}
