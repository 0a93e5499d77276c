package web

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Window is a part of a text.
type Window struct {
	Text  string
	Start int // 1-based position of the first character of Text
	End   int // position of the last character of Text; Start-1 if Text is empty
	Total int // length of the whole text in characters
}

// Cut returns the part of a text that begins at its start-th character and has at most chars characters and lines
// lines. It ends at a line end if that does not shorten it much. A start after the end is a *Problem.
func Cut(text string, start, chars, lines int) (Window, error) {
	total := utf8.RuneCountInString(text)
	start = max(start, 1)
	if start > total && total > 0 || start > 1 && total == 0 {
		return Window{}, problem("start is %d, but the text has %d characters", start, total)
	}
	text = skipRunes(text, start-1)
	piece := text[:len(text)-len(skipRunes(text, chars))]
	piece = firstLines(piece, lines)
	if len(piece) < len(text) {
		if at := strings.LastIndexByte(piece, '\n'); at > len(piece)*9/10 {
			piece = piece[:at+1]
		}
	}
	return Window{Text: piece, Start: start, End: start - 1 + utf8.RuneCountInString(piece), Total: total}, nil
}

// Truncated reports whether text follows the window.
func (w Window) Truncated() bool { return w.End < w.Total }

// Marker says which characters follow the window and how to get them.
func (w Window) Marker(tool string) string {
	return fmt.Sprintf("… truncated: characters %d–%d of %d not shown; call %s with start=%d", w.End+1, w.Total, w.Total,
		tool, w.End+1)
}

func skipRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[i:]
		}
		n--
	}
	return ""
}

func firstLines(text string, n int) string {
	at := 0
	for range n {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return text
		}
		at += next + 1
	}
	return text[:at]
}
