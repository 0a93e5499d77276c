package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"manualslop/tools/document"
)

// MarkerChars is the number of characters reserved for a truncation marker.
const MarkerChars = 200

// Clamp shortens a text to the limits at a line end and says what is missing.
func Clamp(text string, limits Limits) string {
	if !utf8.ValidString(text) { // checking is several times faster than repairing
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if Fits(text, limits) {
		return text
	}
	lines := document.Lines(text)
	kept, shown := TakeLines(text, lines, limits)
	return kept + Marker(shown+1, len(lines), len(lines), "")
}

func Fits(text string, limits Limits) bool {
	if len(text) > limits.MaxChars && utf8.RuneCountInString(text) > limits.MaxChars {
		return false
	}
	lines := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		lines++
	}
	return lines <= limits.MaxLines
}

// Marker says which lines of a text are missing. next says how to continue, or is empty.
func Marker(from, to, total int, next string) string {
	if from > to {
		return fmt.Sprintf("… truncated: line %d of %d is too long and was cut%s", to, total, next)
	}
	return fmt.Sprintf("… truncated: lines %d–%d of %d not shown%s", from, to, total, next)
}

// TakeLines returns as many whole lines as the limits allow in addition to a marker, each ended by a line end,
// and their number. If the first line alone is too long, it is cut in the middle.
func TakeLines(text string, lines []document.Line, limits Limits) (string, int) {
	room := limits.MaxChars - MarkerChars
	var b strings.Builder
	for i, l := range lines {
		if i >= limits.MaxLines-1 {
			return b.String(), i
		}
		piece := text[l.Start:l.End]
		length := utf8.RuneCountInString(piece) + 2 // a line end is at most two characters
		if length > room && i == 0 {
			b.WriteString(CutMiddle(piece, room-MarkerChars/2) + "\n")
			return b.String(), 1
		}
		if length > room {
			return b.String(), i
		}
		b.WriteString(piece)
		b.WriteString(breakOf(text, l))
		room -= length
	}
	return b.String(), len(lines)
}

// breakOf returns the line's own end, or a line feed for a last line without an end.
func breakOf(text string, l document.Line) string {
	if l.End == l.Next {
		return "\n"
	}
	return text[l.End:l.Next]
}

// CutMiddle shortens a line to about n characters and says how many are missing.
func CutMiddle(text string, n int) string {
	runes := []rune(text)
	half := n / 2
	if len(runes) <= 2*half {
		return text
	}
	return fmt.Sprintf("%s … %d characters not shown … %s",
		string(runes[:half]), len(runes)-2*half, string(runes[len(runes)-half:]))
}
