// Package views shortens source files for readers who need the design but not the function bodies.
//
// A curated view is the file (classes, types, constants, comments, docstrings) with "hidden" in place of function
// bodies. A marked function keeps its body. The mark is a comment with [HOT] directly above the function or on
// its first line; in Python, the decorator core_logic also works. A skeleton hides every body, and long values
// as well.
//
// The functions here are pure. For broken text they return as much as they can, or an error that says where the
// text is broken.
package views

import "strings"

// hotMark marks a function to keep its body in curated views.
const hotMark = "[HOT]"

// cut is a range of a text and its replacement.
type cut struct {
	start, end int
	instead    string
}

// splice makes the cuts, which must be in order. It skips a cut that begins inside an earlier one.
func splice(text string, cuts []cut) string {
	var b strings.Builder
	at := 0
	for _, c := range cuts {
		if c.start < at {
			continue
		}
		b.WriteString(text[at:c.start])
		b.WriteString(c.instead)
		at = c.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// markedInC reports whether a definition in a language with C-style comments is marked. The definition begins at
// start, its body at body.
func markedInC(text string, start, body int) bool {
	head := text[start : body+lineLeft(text[body:])]
	if at := strings.Index(head, hotMark); at >= 0 {
		before := head[:at]
		before = before[strings.LastIndexByte(before, '\n')+1:]
		if strings.Contains(before, "//") || strings.Contains(before, "/*") {
			return true
		}
	}
	for at := strings.LastIndexByte(text[:start], '\n'); at > 0; {
		from := strings.LastIndexByte(text[:at], '\n') + 1
		line := strings.TrimSpace(text[from:at])
		if !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") && !strings.HasPrefix(line, "*") &&
			!strings.HasSuffix(line, "*/") {
			return false
		}
		if strings.Contains(line, hotMark) {
			return true
		}
		at = from - 1
	}
	return false
}

// lineLeft returns the number of bytes before the end of the first line.
func lineLeft(text string) int {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		return at
	}
	return len(text)
}
