package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord limits the length of an indexed word in bytes: a SHA-256 is indexed, a base64 picture is
// not.
const maxWord = 128

// word is one word of a text: its folded form and its position.
type word struct {
	text       string
	start, end int
}

// eachWord calls f with each word of a text until f returns false. A word is a run of letters,
// marks and digits, and case is ignored. In scripts without spaces each character is a word. So
// parse_line(2) has three words and is found as a phrase of these.
func eachWord(text string, f func(word) bool) {
	start := -1
	end := func(at int) bool {
		from := start
		start = -1
		if from < 0 || at-from > maxWord {
			return true
		}
		return f(word{fold(text[from:at]), from, at})
	}
	for i := 0; i < len(text); {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case !inWord(c):
			if !end(i) {
				return
			}
		case alone(c):
			if !end(i) || !f(word{text[i : i+size], i, i + size}) {
				return
			}
		case start < 0:
			start = i
		}
		i += size
	}
	end(len(text))
}

func inWord(c rune) bool {
	if c < utf8.RuneSelf {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c))
}

// alone reports whether a character belongs to a script without spaces between words.
func alone(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}

// fold converts a word to lower case.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// words returns the words of a text.
func words(text string) []string {
	var out []string
	eachWord(text, func(w word) bool { out = append(out, w.text); return true })
	return out
}
