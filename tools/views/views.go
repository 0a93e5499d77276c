// Package views shortens source files for readers who need their design and not
// their bodies.
//
// A curated view is the file as it stands (classes, types, constants, comments,
// docstrings), with "hidden" in place of the bodies of functions. A function
// that is marked keeps its body: by a comment with [HOT] directly above it or on
// its first line, in Python also by the decorator core_logic. A skeleton hides
// every body, and long values, too.
//
// The functions here are pure; broken text gives what can be made of it, or an
// error that says where it is broken.
package views

import "strings"

// hotMark makes a function keep its body in curated views.
const hotMark = "[HOT]"

// cut is a piece of a text and what is in its place.
type cut struct {
	start, end int
	instead    string
}

// splice makes the cuts, which are in order. One that begins inside an earlier
// one is left out.
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

// markedInC reports whether a definition of a language with comments as in C is
// marked; it is at start, and its body begins at body.
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

// lineLeft returns the number of bytes up to the end of the first line.
func lineLeft(text string) int {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		return at
	}
	return len(text)
}
