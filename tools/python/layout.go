package python

import "strings"

// IndentUnit is the blanks by which most blocks of the file are deeper than their headers, the first
// among equals; empty for a file without blocks.
func (f *File) IndentUnit() string {
	count := map[string]int{}
	best := ""
	for s := range f.Statements() {
		if len(s.Body) == 0 || s.Inline {
			continue
		}
		unit, ok := strings.CutPrefix(s.Body[0].Indent, s.Indent)
		if !ok || unit == "" {
			continue
		}
		count[unit]++
		if best == "" || count[unit] > count[best] {
			best = unit
		}
	}
	return best
}

// InString tells whether a line (1-based) begins inside a string.
func (f *File) InString(line int) bool {
	inString, _ := f.begins(line)
	return inString
}

// Joined tells whether a line (1-based) goes on with a logical line: inside brackets or strings or after
// a backslash.
func (f *File) Joined(line int) bool {
	_, joined := f.begins(line)
	return joined
}

// begins says in what a line begins.
func (f *File) begins(line int) (inString, joined bool) {
	if line < 2 || line > len(f.Lines) {
		return false, false
	}
	at := f.Lines[line-1].Start
	l := newLexer(f.Text, f.Lines)
	l.pos, l.trivia = f.logicalStart(at), true
	kind := Newline
	for l.pos < at {
		kind = l.next()
	}
	switch {
	case l.end > at || l.innermost() >= 0 || l.literal:
		return true, true
	case len(l.stack) > 0:
		return false, true
	}
	return false, kind != Newline || l.end != at
}

// logicalStart is a place before at, outside of brackets and strings, where a statement begins.
func (f *File) logicalStart(at int) int {
	start, body := 0, f.Body
	for {
		low, high := 0, len(body)
		for low < high {
			if middle := (low + high) / 2; body[middle].OuterStart() < at {
				low = middle + 1
			} else {
				high = middle
			}
		}
		if low == 0 {
			return start
		}
		s := body[low-1]
		start = s.OuterStart()
		for _, d := range s.Decorators {
			if d.Start < at {
				start = d.Start
			}
		}
		if s.Start < at {
			start = s.Start
		}
		body = s.Body
	}
}
