// Package chars classifies characters for everything that decides: whether they are blank or
// visible, and which letters differ only in case.
//
// # Contract
//
//   - Results do not depend on the Go release, the locale or the version of
//     Unicode: the tables are our own and never change. Deciders and folds use
//     these functions instead of those in unicode, strings and strconv, which a
//     test in docs checks.
//   - The package is pure and imports nothing that has such tables.
package chars

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// span is a range of characters.
type span struct{ lo, hi rune }

// folding is a range of letters in which every stride-th differs from its first case by delta.
type folding struct{ lo, hi, stride, delta rune }

func in(r rune, table []span) bool {
	i := sort.Search(len(table), func(i int) bool { return table[i].hi >= r })
	return i < len(table) && table[i].lo <= r
}

// Blank reports whether a character is white space.
func Blank(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0x85, r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200a,
		r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	}
	return false
}

// Control reports whether a character is one of the control codes.
func Control(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f }

// Format reports whether a character is an invisible format character.
func Format(r rune) bool { return in(r, formats) }

// Mark reports whether a character combines with the one before it.
func Mark(r rune) bool { return r >= 0x300 && in(r, marks) }

// Printable reports whether a character is visible on a line: anything but a control code, a
// format character, a blank other than the space, or a private-use character.
func Printable(r rune) bool {
	switch {
	case r == ' ':
		return true
	case Control(r), Blank(r), Format(r), r >= 0xd800 && r <= 0xf8ff, r >= 0xf0000, r&0xfffe == 0xfffe, r >= 0xfdd0 &&
		r <= 0xfdef:
		return false
	}
	return true
}

// Trim returns a text without the blanks around it.
func Trim(s string) string { return strings.TrimFunc(s, Blank) }

// Words splits a text at blanks.
func Words(s string) []string { return strings.FieldsFunc(s, Blank) }

// Lower converts the ASCII capital letters of a text to lower case.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// Fold maps a letter to the first of its cases, so that letters that differ only in case become
// equal.
func Fold(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}
	i := sort.Search(len(cases), func(i int) bool { return cases[i].hi >= r })
	if i < len(cases) && cases[i].lo <= r && (r-cases[i].lo)%cases[i].stride == 0 {
		return r + cases[i].delta
	}
	return r
}

// Quote returns a text in quotation marks with its invisible characters escaped.
func Quote(s string) string {
	const hexadecimal = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && s[i] != "\uFFFD"[0]: // an invalid byte
			b.WriteString(`\x`)
			b.WriteByte(hexadecimal[s[i]>>4])
			b.WriteByte(hexadecimal[s[i]&15])
		case Printable(r):
			b.WriteRune(r)
		default:
			b.WriteString(`\u{`)
			digits := ""
			for n := r; n > 0 || digits == ""; n >>= 4 {
				digits = string(hexadecimal[n&15]) + digits
			}
			b.WriteString(digits + "}")
		}
	}
	b.WriteByte('"')
	return b.String()
}
