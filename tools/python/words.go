package python

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize gives a name as Python compares it: in NFKC.
func Normalize(name string) string {
	if ascii(name) {
		return name
	}
	return norm.NFKC.String(name)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// word reads a name, or the string whose prefix it is.
func (l *lexer) word(i int) TokenKind {
	text, end := l.text, i
	for end < len(text) && wordBytes[text[end]] {
		end++
	}
	if end < len(text) {
		c := text[end]
		if c >= utf8.RuneSelf {
			return l.wideWord(i, end)
		}
		if classes[c] == classQuote && end-i <= 2 {
			if p, ok := prefixOf(text[i:end]); ok {
				return l.quoted(i, end, p)
			}
		}
	}
	return l.token(Name, i, end)
}

// wideWord goes on with a name at its first byte beyond ASCII. A character that cannot be in a name is
// reported where it begins a token.
func (l *lexer) wideWord(start, end int) TokenKind {
	for end < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[end:])
		if !inName(r, end == start) || r == utf8.RuneError && size == 1 {
			break
		}
		end += size
	}
	if end > start {
		return l.token(Name, start, end)
	}
	r, size := utf8.DecodeRuneInString(l.text[start:])
	l.invalid(start, r)
	return l.token(Op, start, start+size)
}

func (l *lexer) invalid(at int, r rune) {
	switch {
	case l.full():
	case unicode.IsPrint(r):
		l.problem(at, raised, fmt.Sprintf("invalid character '%c' (U+%04X)", r, r))
	default:
		l.problem(at, raised, fmt.Sprintf("invalid non-printable character U+%04X", r))
	}
}

// inName tells whether r may begin a name or go on with it: XID_Start and XID_Continue, which ask the
// same of the compatibility decomposition.
func inName(r rune, first bool) bool {
	if r < utf8.RuneSelf {
		return wordBytes[r] && !(first && r >= '0' && r <= '9')
	}
	if !idContinue(r) || first && !idStart(r) {
		return false
	}
	for i, d := range norm.NFKC.String(string(r)) {
		if !idContinue(d) || first && i == 0 && !idStart(d) {
			return false
		}
	}
	return true
}

func idStart(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

func idContinue(r rune) bool {
	return idStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
