// Package anchor finds a slice of a text again after the text has changed.
//
// A slice is recorded with its line numbers and with its first and last lines, its anchors. It is found at the
// place nearest to the recorded one where most anchor lines match, ignoring blanks. If its anchors are gone, that
// is an error: the text that is now at its old line numbers is not returned instead.
package anchor

import (
	"fmt"
	"strings"
	"unicode"
)

// Limits of an anchor.
const (
	// MaxLines is the maximum number of lines.
	MaxLines = 3
	// MaxLine is the maximum length of each line in bytes; the rest is ignored.
	MaxLine = 200
)

// Slice is a recorded range of lines, 1-based and inclusive.
type Slice struct {
	Start, End int
	// Head holds its first lines and Tail its last ones, at most MaxLines each. If both are empty, the line
	// numbers are used.
	Head, Tail []string
}

// GoneError means that an anchor of a slice is no longer in the text.
type GoneError struct {
	Slice Slice
	// Which is "beginning" or "end".
	Which string
	// Line is one line of the missing anchor.
	Line string
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("the anchor is gone: the %s of the slice recorded as lines %d-%d (%q) is no longer in the file",
		e.Which, e.Slice.Start, e.Slice.End, e.Line)
}

// Create records lines start to end of a text with their anchors.
func Create(text string, start, end int) (Slice, error) {
	lines := split(text)
	if start < 1 || end < start || end > len(lines) {
		return Slice{}, fmt.Errorf("there are no lines %d-%d: the file has %d", start, end, len(lines))
	}
	piece := lines[start-1 : end]
	n := min(MaxLines, len(piece))
	return Slice{Start: start, End: end, Head: clipped(piece[:n]), Tail: clipped(piece[len(piece)-n:])}, nil
}

// clipped returns lines shortened to the form of an anchor.
func clipped(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = clip(line)
	}
	return out
}

func clip(line string) string {
	if len(line) <= MaxLine {
		return line
	}
	return strings.ToValidUTF8(line[:MaxLine], "")
}

// Resolve finds a slice in a text and returns it with its new position and anchors. A *GoneError says which
// anchor is missing.
func Resolve(text string, s Slice) (Slice, error) {
	if len(s.Head) == 0 && len(s.Tail) == 0 {
		return Create(text, s.Start, s.End)
	}
	if s.Start < 1 || s.End < s.Start || len(s.Head) == 0 || len(s.Tail) == 0 || max(len(s.Head), len(s.Tail)) > MaxLines {
		return Slice{}, fmt.Errorf("a slice must have line numbers, and 1 to %d lines in each anchor", MaxLines)
	}
	lines := split(text)
	start, ok := find(lines, s.Head, s.Start-1, 0)
	if !ok {
		return Slice{}, &GoneError{s, "beginning", telling(s.Head)}
	}
	last := start + s.End - s.Start
	tail, ok := find(lines, s.Tail, last-len(s.Tail)+1, start)
	if !ok {
		return Slice{}, &GoneError{s, "end", telling(s.Tail)}
	}
	return Create(text, start+1, min(tail+len(s.Tail), len(lines)))
}

// find returns the 0-based line at or after from at which most lines of the anchor match, nearest to near. It
// returns false if fewer than half of them match.
func find(lines, anchor []string, near, from int) (at int, ok bool) {
	want := make([]string, len(anchor))
	telling := 0
	for i, line := range anchor {
		if want[i] = plain(line); want[i] != "" {
			telling++
		}
	}
	best := 0
	for i := from; i < len(lines); i++ {
		score := 0
		for k, w := range want {
			if w != "" && i+k < len(lines) && plain(lines[i+k]) == w {
				score++
			}
		}
		if score > best || score == best && score > 0 && distance(i, near) < distance(at, near) {
			at, best = i, score
		}
	}
	return at, best > 0 && 2*best >= telling
}

func distance(a, b int) int { return max(a-b, b-a) }

// plain returns a line without leading and trailing blanks and with inner blanks reduced to one. It returns ""
// for a line without information, such as a bracket.
func plain(line string) string {
	line = clip(line)
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return strings.Join(strings.Fields(line), " ")
}

// telling returns the first informative line of an anchor.
func telling(anchor []string) string {
	for _, line := range anchor {
		if plain(line) != "" {
			return plain(line)
		}
	}
	return strings.Join(anchor, " ")
}

// split returns the lines of a text without their ends.
func split(text string) []string {
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// Text returns the text of a slice.
func (s Slice) Text(text string) string {
	lines := split(text)
	return strings.Join(lines[min(max(s.Start-1, 0), len(lines)):min(max(s.End, 0), len(lines))], "\n")
}
