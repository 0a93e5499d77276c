package edit

import (
	"strings"

	"manualslop/tools/document"
)

// replacement returns the splice that replaces the bytes from start to end with lines. The bytes are whole lines,
// except that they exclude the indentation of the first line and the end of the last.
func (s Source) replacement(start, end int, lines []string) document.Splice {
	lines = append([]string(nil), lines...)
	lines[0] = strings.TrimLeft(lines[0], " \t\f")
	return document.Splice{Start: start, End: end, New: s.ended(start, end, lines)}
}

// ended joins lines with the line ends of the text they replace. An unchanged line keeps its own end, a changed
// line takes the end of the line it replaces, and additional lines take the end of the last one.
func (s Source) ended(start, end int, lines []string) string {
	first := s.index(start)
	old := make([]string, 0, 16)
	for i := first; i < len(s.Lines) && (i == first || s.Lines[i].Start < end); i++ {
		old = append(old, s.Text[max(start, s.Lines[i].Start):max(start, min(end, s.Lines[i].End))])
	}
	head := 0
	for head < min(len(old), len(lines)) && old[head] == lines[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(lines))-head && old[len(old)-1-tail] == lines[len(lines)-1-tail] {
		tail++
	}
	var b strings.Builder
	for i, line := range lines[:len(lines)-1] {
		j := i
		switch {
		case i < head:
		case i >= len(lines)-tail:
			j = i - len(lines) + len(old)
		default:
			j = max(0, min(i, len(old)-tail-1))
		}
		b.WriteString(line)
		b.WriteString(s.lineEnd(first + j))
	}
	b.WriteString(lines[len(lines)-1])
	return b.String()
}
