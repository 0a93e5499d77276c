package term

import (
	"unicode"

	"golang.org/x/text/width"
)

// Columns is how many columns of a terminal a text takes that [visible] has made
// so; a tab counts as one.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// columnsOf is two for the wide characters of East Asian scripts and for emoji,
// and none for marks that stand over the character before.
func columnsOf(r rune) int {
	if r < unicode.MaxLatin1 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
