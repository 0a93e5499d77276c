package python

import (
	"fmt"
	"strings"
)

// prefix is what the letters in front of a string and its quotes say.
type prefix uint8

const (
	raw prefix = 1 << iota
	bytesLiteral
	formatted
	template
	triple
)

// letter names the kind of a string with replacement fields.
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

// quoted reads a string whose quotes begin at quote, or the start of an f-string.
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
	if p&bytesLiteral != 0 && !l.strict && !ascii(text[body:end]) { // found by the parser of CPython
		l.problem(start, parsed, "bytes can only contain ASCII literal characters")
	}
	return l.token(String, start, end)
}

// endOfSingle finds the end of a string of one line, behind its quote; false and the end of the line
// if there is none.
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

// endOfTriple finds the end of a string in triple quotes, behind them; false if there is none.
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

// unterminated reports a string without end. Inside an f-string of the same quotes it is the f-string
// that ends there.
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
