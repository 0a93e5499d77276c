package fence

import (
	"strings"
	"unicode/utf8"

	"manualslop/events/chars"
)

// longestLookAlike limits the bytes in which a marker is searched for, so that the work is bounded
// whatever is between its letters.
const longestLookAlike = 256

// bracketed returns the markers that begin with a bracket, as the folded letters after it; the
// last four belong to bias profiles. Text after these letters does not matter.
func bracketed() []string {
	return []string{"system:filesupdated", "filesupdated", "untrusted", "enduntrusted", "highpriority", "preferred]",
		"lowpriority", "avoid]"}
}

// lineHeads returns the markers that are recognised at the beginning of a line.
func lineHeads() []string { return []string{"qaanalysis:"} }

// textHeads returns the words with which the engine begins an error or a denial.
func textHeads() []string { return []string{"denied:", "error:", "accessdenied:"} }

// Neutralise inserts NotOurs at everything that looks like a marker: after the bracket if the
// marker has one, else in front of it. Case, blanks, invisible characters and letters of other
// alphabets that look the same are ignored.
func Neutralise(text string) string {
	var b strings.Builder
	done, head := 0, true
	put := func(at int) {
		b.WriteString(text[done:at])
		b.WriteString(NotOurs)
		done = at
	}
	brackets, heads := bracketed(), lineHeads()
	for i := 0; i < len(text); {
		if !head {
			if i += plain(text[i:]); i == len(text) {
				break
			}
		}
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case c == '\n' || c == '\r' || c == '\u2028' || c == '\u2029' || c == '\u0085':
			head = true
		case opens(c):
			if begins(text[i+size:], brackets) {
				put(i + size)
			}
			head = false
		case head:
			folded := fold(c)
			if head = folded == skipped || isDecoration(folded); !head && begins(text[i:], heads) {
				put(i)
			}
		}
		i += size
	}
	if b.Len() == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// plain returns the number of bytes at the beginning of a text that are in one line and cannot
// start a marker.
func plain(text string) int {
	for i := range len(text) {
		if c := text[i]; c == '[' || c == '\n' || c == '\r' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// opens reports whether a character is a bracket, or looks like one.
func opens(c rune) bool {
	return c == '[' || c >= utf8.RuneSelf && strings.ContainsRune("［【〔〖⟦❲", c)
}

// isDecoration reports whether a character may precede a marker at the beginning of a line, as in
// a list, a heading or a quotation.
func isDecoration(r rune) bool { return r < utf8.RuneSelf && strings.ContainsRune("*#>+|/`\"'(", r) }

// neutraliseHead puts NotOurs in front of a text that begins like an error or a denial of the
// engine.
func neutraliseHead(text string) string {
	if begins(text, textHeads()) {
		return NotOurs + text
	}
	return text
}

// begins reports whether a text begins with one of the words after folding.
func begins(text string, words []string) bool {
	text = text[:min(len(text), longestLookAlike)]
	for _, w := range words {
		if beginsWith(text, w) {
			return true
		}
	}
	return false
}

func beginsWith(text, word string) bool {
	at := 0
	for _, r := range text {
		switch r = fold(r); {
		case r == skipped:
		case r != rune(word[at]):
			return false
		default:
			if at++; at == len(word) {
				return true
			}
		}
	}
	return false
}

// skipped means that a character is ignored in markers.
const skipped = -1

// fold maps a character to the lower-case ASCII character that it looks like.
func fold(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return foldASCII(r)
	case r >= '！' && r <= '～': // the full-width forms, in ASCII order
		return foldASCII(r - '！' + '!')
	case chars.Blank(r), chars.Format(r), chars.Mark(r), chars.Control(r):
		return skipped
	}
	return alike(r)
}

func foldASCII(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 'a'
	case r <= ' ', r == 0x7f, r == '_', r == '-':
		return skipped
	}
	return r
}

// alike returns the ASCII character that a character of another alphabet looks like, or the
// character itself.
func alike(r rune) rune {
	const from = "АВЕЅІЈКМНОРСТУХавеѕіјкмнорстухԁһԛԝѵӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυıſ∶ː꞉։‐‑‒–—−"
	const to = "abesijkmhopctyxabesijkmhopctyxdhqwvlabezhikmnoptyxaivopuis::::------"
	at := 0
	for _, c := range from {
		if c == r {
			return foldASCII(rune(to[at]))
		}
		at++
	}
	return r
}
