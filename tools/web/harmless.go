package web

import (
	"strings"
	"unicode"

	"manualslop/tools/document"
)

// harmless removes characters that a user cannot see but that affect a model or a terminal. Control characters
// become U+FFFD, and invisible and direction-changing characters are removed. Line ends become line feeds.
// Joiners stay between letters of scripts that need them. It also returns the number of characters removed or
// replaced.
func harmless(text string) (string, int) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.ToValidUTF8(text, "\uFFFD")
	if plain(text) {
		return text, 0
	}
	var b strings.Builder
	b.Grow(len(text))
	taken, before := 0, rune(0)
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r):
			r = '\uFFFD'
			taken++
		case r == '\u200C' || r == '\u200D':
			if before < 0x300 || i+1 == len(runes) || runes[i+1] < 0x300 {
				taken++
				continue
			}
		case invisible(r):
			taken++
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String(), taken
}

// plain reports whether a text is ASCII without control characters, the usual case.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// invisible reports whether r is a format character, filler, tag or selector that can hide text.
func invisible(r rune) bool {
	switch {
	case r == '\u2028' || r == '\u2029', r == '\u00AD', r == '\u034F', r == '\u115F', r == '\u1160', r == '\u17B4',
		r == '\u17B5', r == '\u3164', r == '\uFFA0':
		return true
	case r >= 0x180B && r <= 0x180F, r >= 0xFE00 && r <= 0xFE0E, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// oneLine makes a text harmless, joins its lines, and shortens it to n characters.
func oneLine(text string, n int) string {
	text, _ = harmless(text)
	return document.Clip(strings.Join(strings.Fields(text), " "), n)
}
