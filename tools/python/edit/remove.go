package edit

import (
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Remove removes a definition with its decorators and attached comment. A block that would be left empty gets a
// pass, and surplus blank lines around the gap are removed. It also returns the lines of the result that still
// use the name.
func (s Source) Remove(name string) (Change, []int, error) {
	symbol, err := s.definition(name)
	if err != nil {
		return Change{}, nil, err
	}
	splices := s.removal(symbol)
	change, err := s.finish(splices, len(splices)-1, 0, 0)
	if err != nil {
		return Change{}, nil, err
	}
	return change, usesIn(change.Result, symbol, false), nil
}

// removal returns the splices that remove a definition. The last one removes
// its lines or replaces them with a pass.
func (s Source) removal(symbol *python.Symbol) []document.Splice {
	statement := symbol.Statement
	from, to := s.top(symbol), s.last(statement.End)
	if statement.Parent == nil || len(statement.Parent.Body) > 1 {
		return []document.Splice{s.gap(statement, from, to)}
	}
	pass := base(statement) + "pass"
	header := s.last(statement.Parent.Header.End)
	for i := header + 1; i < from; i++ {
		if s.comment(i) {
			at := s.behind(header)
			return []document.Splice{{Start: at, End: at, New: pass + s.lineEnd(header)}, s.gap(statement, from, to)}
		}
	}
	start := s.Lines[from].Start + len(s.indent(from))
	return []document.Splice{{Start: start, End: s.Lines[to].End, New: "pass"}}
}

// gap removes the lines from first to last, which hold a statement, and surplus blank lines around them.
func (s Source) gap(statement *python.Statement, first, last int) document.Splice {
	before, after := 0, 0
	for first-before > 0 && s.blank(first-before-1) {
		before++
	}
	for s.blank(last + 1 + after) {
		after++
	}
	if last+after+1 == len(s.Lines) {
		return s.gapAtEnd(first-before, last)
	}
	want := max(before, after)
	switch {
	case s.ends(statement, last+after+1):
		return document.Splice{Start: s.Lines[first-before].Start, End: s.behind(last)}
	case s.begins(statement, first-before-1):
		want = before
	}
	want = max(0, min(want, separation(statement)))
	kept := min(before, want)
	return document.Splice{Start: s.Lines[first-before+kept].Start, End: s.behind(last + after - (want - kept))}
}

// gapAtEnd removes the last non-blank lines of the file, from first on. The line end of the last line stays as it
// is, present or not, as do trailing blank lines. A blank line that a backslash joins to the line above keeps its
// line end, which ends that statement.
func (s Source) gapAtEnd(first, last int) document.Splice {
	gone := document.Splice{Start: s.Lines[first].Start, End: s.Lines[last].Next}
	switch {
	case first == 0:
		gone.End = len(s.Text)
	case s.Lines[last].End == s.Lines[last].Next && (s.content(first-1) != "" || !s.inside(first-1)):
		gone.Start = s.Lines[first-1].End
	}
	return gone
}

// separation returns the number of blank lines between definitions in the block of a statement.
func separation(statement *python.Statement) int {
	if statement.Parent == nil {
		return 2
	}
	return 1
}

// ends reports whether line i is after the block of a statement.
func (s Source) ends(statement *python.Statement, i int) bool {
	return statement.Parent != nil && width(s.indent(i)) < width(base(statement))
}

// begins reports whether line i, which is above a statement, is outside the statement's block: i is -1 or the end
// of the header.
func (s Source) begins(statement *python.Statement, i int) bool {
	if statement.Parent == nil {
		return i < 0
	}
	return i <= s.last(statement.Parent.Header.End)
}

// trailing returns the last line of the comments after line i that are indented by at least least columns. Blank
// lines between them are skipped.
func (s Source) trailing(i, least int) int {
	for j := i + 1; s.blank(j) || s.comment(j); j++ {
		switch {
		case s.blank(j):
		case width(s.indent(j)) < least:
			return i
		default:
			i = j
		}
	}
	return i
}

// isDocstring reports whether a statement is the docstring of its owner.
func (s Source) isDocstring(statement *python.Statement, owner *python.Symbol) bool {
	doc, ok := s.Docstring(owner)
	return ok && doc.Start >= statement.Start && doc.End <= statement.End && !strings.HasPrefix(s.Text[statement.Start:],
		"class")
}
