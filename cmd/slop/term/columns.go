package term

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Columns returns how many terminal columns a text takes after [Visible]; a tab counts as one.
func Columns(s string) int {
	sum := 0
	for _, n := range clusters(s) {
		sum += n
	}
	return sum
}

// emojiForm is the variation selector after which terminals show a character in two columns.
const emojiForm = '\uFE0F'

// clusters yields what a line must not be broken within, and its columns: characters with their combining marks, and
// escape sequences for styles.
func clusters(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for s != "" {
			r, size := utf8.DecodeRuneInString(s)
			n := columnsOf(r)
			end := -1
			if r == '\x1b' {
				end = strings.IndexByte(s, 'm')
			}
			if end > 0 {
				n, size = 0, end+1
			} else {
				for size < len(s) {
					mark, more := utf8.DecodeRuneInString(s[size:])
					if columnsOf(mark) > 0 {
						break
					}
					if size += more; mark == emojiForm {
						n = 2
					}
				}
			}
			if !yield(s[:size], n) {
				return
			}
			s = s[size:]
		}
	}
}

// after returns the column of the cursor once a text is written, with tab stops as terminals have them.
func after(column int, s string) int {
	const tabStop = 8
	for cluster, n := range clusters(s) {
		if cluster == "\t" {
			n = tabStop - column%tabStop
		}
		column += n
	}
	return column
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
