package term

import (
	"unicode"

	"golang.org/x/text/width"
)

// Columns returns how many terminal columns a text takes after [Visible]; a tab counts as one.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// columnsOf returns two for the wide characters of East Asian scripts and for emoji, and zero for combining marks.
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
