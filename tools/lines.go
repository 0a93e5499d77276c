package tools

import "strings"

// line is one line of a text: text[start:end] without and text[start:next] with its end. Lines end
// at LF, CRLF or CR. What follows the last end is a line only if it is not empty.
type line struct {
	start, end, next int
}

func splitLines(text string) []line {
	var out []line
	start := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			out = append(out, line{start, i, i + 1})
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
			out = append(out, line{start, i, i + 2})
			i++
		case text[i] == '\r':
			out = append(out, line{start, i, i + 1})
		default:
			continue
		}
		start = i + 1
	}
	if start < len(text) {
		out = append(out, line{start, len(text), len(text)})
	}
	return out
}

// numberOf is the 1-based number of the line that holds the byte at offset.
func numberOf(lines []line, offset int) int {
	low, high := 0, len(lines)
	for low < high {
		middle := (low + high) / 2
		if lines[middle].next <= offset {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return min(low+1, max(len(lines), 1))
}

// lineEnd is the line end that new text at line number i (0-based) takes: that of the line itself,
// of the nearest one before, of the nearest one after, else LF.
func lineEnd(text string, lines []line, i int) string {
	for j := min(i, len(lines)-1); j >= 0; j-- {
		if lines[j].end < lines[j].next {
			return text[lines[j].end:lines[j].next]
		}
	}
	for j := i + 1; j < len(lines); j++ {
		if lines[j].end < lines[j].next {
			return text[lines[j].end:lines[j].next]
		}
	}
	return "\n"
}

// withEnds rewrites all line ends of text as end.
func withEnds(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	if end == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", end)
}
