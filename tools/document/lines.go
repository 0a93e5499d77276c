package document

import "strings"

// Line is one line of a text: text[Start:End] excludes its line end, text[Start:Next] includes it.
type Line struct {
	Start, End, Next int
}

// Lines splits a text into lines. The text after the last line end is a line only if it is not empty.
func Lines(text string) []Line {
	if strings.IndexByte(text, '\r') < 0 {
		return linesOfLF(text)
	}
	var out []Line
	start := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			out = append(out, Line{start, i, i + 1})
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
			out = append(out, Line{start, i, i + 2})
			i++
		case text[i] == '\r':
			out = append(out, Line{start, i, i + 1})
		default:
			continue
		}
		start = i + 1
	}
	if start < len(text) {
		out = append(out, Line{start, len(text), len(text)})
	}
	return out
}

// LinesFrom returns at most most lines, starting with the 1-based line first, and the number of lines of the
// text. For a few lines of a long text it is faster than Lines.
func LinesFrom(text string, first, most int) (lines []Line, total int) {
	if strings.IndexByte(text, '\r') >= 0 {
		all := Lines(text)
		from := min(max(first, 1)-1, len(all))
		return all[from:min(from+max(most, 0), len(all))], len(all)
	}
	total = strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		total++
	}
	lines = make([]Line, 0, min(max(most, 0), total))
	start := 0
	for range first - 1 {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			return nil, total
		}
		start += end + 1
	}
	for len(lines) < most && start < len(text) {
		end, next := len(text), len(text)
		if at := strings.IndexByte(text[start:], '\n'); at >= 0 {
			end, next = start+at, start+at+1
		}
		lines = append(lines, Line{start, end, next})
		start = next
	}
	return lines, total
}

// linesOfLF splits a text without carriage returns, the usual case.
func linesOfLF(text string) []Line {
	out := make([]Line, 0, strings.Count(text, "\n")+1)
	for start := 0; start < len(text); {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			return append(out, Line{start, len(text), len(text)})
		}
		out = append(out, Line{start, start + end, start + end + 1})
		start += end + 1
	}
	return out
}

// NumberOf returns the 1-based number of the line that contains the byte at offset.
func NumberOf(lines []Line, offset int) int {
	low, high := 0, len(lines)
	for low < high {
		middle := (low + high) / 2
		if lines[middle].Next <= offset {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return min(low+1, max(len(lines), 1))
}

// LineEnd returns the line end for new text at the 0-based line i: that of the line itself, of the nearest
// previous line, of the nearest following line, or LF.
func LineEnd(text string, lines []Line, i int) string {
	for j := min(i, len(lines)-1); j >= 0; j-- {
		if lines[j].End < lines[j].Next {
			return text[lines[j].End:lines[j].Next]
		}
	}
	for j := i + 1; j < len(lines); j++ {
		if lines[j].End < lines[j].Next {
			return text[lines[j].End:lines[j].Next]
		}
	}
	return "\n"
}

// WithEnds converts all line ends of text to end.
func WithEnds(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}

// Clip shortens a text to at most n characters, replacing the last one with "…".
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
