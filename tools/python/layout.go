package python

import (
	"sort"
	"strings"
)

// IndentUnit returns the blanks that most blocks of the file add to the indentation of their header. In a tie the
// first one wins. It returns "" for a file without blocks.
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

// InString reports whether a line (1-based) begins inside a string, including inside a replacement field.
func (f *File) InString(line int) bool {
	inString, _ := f.begins(line)
	return inString
}

// Joined reports whether a line (1-based) continues a logical line: it is inside brackets or strings, or follows
// a backslash.
func (f *File) Joined(line int) bool {
	_, joined := f.begins(line)
	return joined
}

// begins reports whether a line begins inside a string, and whether it continues a logical line.
func (f *File) begins(line int) (inString, joined bool) {
	if line < 2 || line > len(f.Lines) {
		return false, false
	}
	at := f.Lines[line-1].Start
	l := f.lexer(len(f.Text))
	l.pos, l.trivia = f.logicalBefore(at).Start, true
	kind := Newline
	for l.pos < at {
		inString = l.innermost() >= 0
		if kind = l.next(); l.start >= at { // only blanks and backslashes in between
			return inString, true
		}
	}
	if l.pos > at || l.innermost() >= 0 {
		return true, true
	}
	return false, len(l.stack) > 0 || kind != Newline
}

// logicalBefore returns the last simple statement, header or decorator that begins before at, or an empty span if
// there is none.
func (f *File) logicalBefore(at int) Span {
	last, body := Span{}, f.Body
	for {
		n := sort.Search(len(body), func(i int) bool { return body[i].OuterStart() >= at })
		if n == 0 {
			return last
		}
		s := body[n-1]
		for _, d := range s.Decorators {
			if d.Start < at {
				last = d
			}
		}
		if s.Start < at {
			last = s.Header
		}
		body = s.Body
	}
}
