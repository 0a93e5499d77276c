package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Size of a snippet in bytes: before the match, and in total.
const (
	snippetBefore = 60
	snippetSize   = 200
)

// snippet returns a part of a text around the first match of a term, and the position of the match
// in it. Without a match it returns the beginning of the text.
func snippet(text string, terms []term) (string, [2]int) {
	start, end := firstMatch(text, terms)
	from := boundary(text, max(start-snippetBefore, 0))
	to := boundary(text, min(max(from+snippetSize, end), len(text), from+2*snippetSize))
	end = min(end, to)
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	plain(&b, text[from:start])
	match := [2]int{b.Len(), 0}
	plain(&b, text[start:end])
	match[1] = b.Len()
	plain(&b, text[end:to])
	if to < len(text) {
		b.WriteString("…")
	}
	return b.String(), match
}

// boundary moves a position back to the start of a character.
func boundary(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// plain writes a text on one line, without terminal control and bidirectional characters.
func plain(b *strings.Builder, text string) {
	for _, c := range text {
		switch {
		case c == '\n', c == '\t', c == '\r', c == '\u2028', c == '\u2029':
			b.WriteByte(' ')
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c):
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(c)
		}
	}
}

// firstMatch returns the position of the first match of a word or phrase.
func firstMatch(text string, terms []term) (start, end int) {
	longest := 1
	for _, t := range terms {
		longest = max(longest, len(t.words))
	}
	var last []word // the newest words, as many as the longest phrase has
	eachWord(text, func(w word) bool {
		if last = append(last, w); len(last) > longest {
			last = last[1:]
		}
		for _, t := range terms {
			if n := len(t.words); !t.not && n <= len(last) && t.matches(last[len(last)-n:]) {
				start, end = last[len(last)-n].start, w.end
				return false
			}
		}
		return true
	})
	return start, end
}

func (t term) matches(found []word) bool {
	if t.prefix {
		return strings.HasPrefix(found[0].text, t.words[0])
	}
	return slices.EqualFunc(t.words, found, func(want string, w word) bool { return want == w.text })
}
