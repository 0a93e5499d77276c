package python

import (
	"fmt"
	"strings"
)

// number reads a number that begins with a digit.
func (l *lexer) number(i int) TokenKind {
	if l.text[i] != '0' {
		return l.decimal(i)
	}
	switch l.at(i+1) | 0x20 {
	case 'x':
		return l.based(i, "hexadecimal", func(c byte) bool {
			return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
		})
	case 'o':
		return l.based(i, "octal", func(c byte) bool { return c >= '0' && c <= '7' })
	case 'b':
		return l.based(i, "binary", func(c byte) bool { return c == '0' || c == '1' })
	}
	return l.zero(i)
}

// at returns the byte at i, or 0 past the end.
func (l *lexer) at(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// based reads a number with a base prefix such as 0x.
func (l *lexer) based(start int, name string, valid func(byte) bool) TokenKind {
	i := start + 2
	for {
		if l.at(i) == '_' {
			i++
		}
		if c := l.at(i); !valid(c) {
			if digit(c) && name != "hexadecimal" {
				return l.badNumber(start, i+1, fmt.Sprintf("invalid digit '%c' in %s literal", c, name))
			}
			return l.badNumber(start, i, "invalid "+name+" literal")
		}
		for valid(l.at(i)) {
			i++
		}
		if l.at(i) != '_' {
			break
		}
	}
	if c := l.at(i); digit(c) {
		return l.badNumber(start, i+1, fmt.Sprintf("invalid digit '%c' in %s literal", c, name))
	}
	return l.endNumber(start, i, name)
}

// zero reads a number that begins with 0 and has no base prefix.
func (l *lexer) zero(start int) TokenKind {
	i, nonzero := start+1, false
	for {
		if l.at(i) == '_' {
			i++
			if !digit(l.at(i)) {
				return l.badNumber(start, i, "invalid decimal literal")
			}
		}
		if l.at(i) != '0' {
			break
		}
		i++
	}
	if digit(l.at(i)) {
		nonzero = true
		end, ok := l.digits(i)
		if !ok {
			return l.badNumber(start, end, "invalid decimal literal")
		}
		i = end
	}
	switch c := l.at(i); {
	case c == '.' || c|0x20 == 'e' || c|0x20 == 'j':
		return l.tail(start, i)
	case nonzero:
		l.problem(start, raised, "leading zeros in decimal integer literals are not permitted; "+
			"use an 0o prefix for octal integers")
		return l.token(Number, start, i)
	}
	return l.endNumber(start, i, "decimal")
}

// digits reads digits separated by single underscores. It returns false if no digit follows an underscore.
func (l *lexer) digits(i int) (int, bool) {
	for {
		for digit(l.at(i)) {
			i++
		}
		if l.at(i) != '_' {
			return i, true
		}
		i++
		if !digit(l.at(i)) {
			return i, false
		}
	}
}

func (l *lexer) decimal(start int) TokenKind {
	i, ok := l.digits(start)
	if !ok {
		return l.badNumber(start, i, "invalid decimal literal")
	}
	return l.tail(start, i)
}

// tail reads the part of a decimal number after its integer part.
func (l *lexer) tail(start, i int) TokenKind {
	if l.at(i) == '.' {
		return l.fraction(start, i+1)
	}
	return l.exponent(start, i)
}

// fraction reads a number from the digits after its decimal point on.
func (l *lexer) fraction(start, i int) TokenKind {
	if digit(l.at(i)) {
		end, ok := l.digits(i)
		if !ok {
			return l.badNumber(start, end, "invalid decimal literal")
		}
		i = end
	}
	return l.exponent(start, i)
}

func (l *lexer) exponent(start, i int) TokenKind {
	if l.at(i)|0x20 == 'e' {
		e := i + 1
		if c := l.at(e); c == '+' || c == '-' {
			e++
			if !digit(l.at(e)) {
				return l.badNumber(start, e, "invalid decimal literal")
			}
		} else if !digit(c) {
			return l.endNumber(start, i, "decimal")
		}
		end, ok := l.digits(e)
		if !ok {
			return l.badNumber(start, end, "invalid decimal literal")
		}
		i = end
	}
	if l.at(i)|0x20 == 'j' {
		return l.endNumber(start, i+1, "imaginary")
	}
	return l.endNumber(start, i, "decimal")
}

// endNumber ends a number at i. Letters may follow only if they begin a keyword that is allowed after a number.
func (l *lexer) endNumber(start, i int, name string) TokenKind {
	c := l.at(i)
	if !wordBytes[c] {
		return l.token(Number, start, i)
	}
	end := i
	for end < len(l.text) && wordBytes[l.text[end]] {
		end++
	}
	switch word := l.text[i:end]; word {
	case "and", "else", "for", "not", "or":
		return l.token(Number, start, i)
	default: // CPython checks only two letters
		if len(word) >= 2 && word[0] == 'i' && strings.IndexByte("fns", word[1]) >= 0 {
			return l.token(Number, start, i)
		}
	}
	return l.badNumber(start, i, "invalid "+name+" literal")
}

// badNumber reports a number that is invalid after at, and takes everything that looks like part of it as one token.
func (l *lexer) badNumber(start, at int, text string) TokenKind {
	l.problem(max(start, at-1), raised, text)
	end := max(at, start+1)
	for end < len(l.text) && wordBytes[l.text[end]] {
		end++
	}
	return l.token(Number, start, min(end, len(l.text)))
}
