package edit

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// marker matches a region marker: the first group is its kind.
var marker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[ \t\f]*#[ \t]*(region|end[ \t]?region)\b`)
})

// WrapRegion inserts "#region NAME" above line start and "#endregion" below line end (1-based, inclusive), at the
// indentation of their block. The lines must be whole statements of one block, and must not partly overlap
// another region.
func (s Source) WrapRegion(start, end int, name string) (Change, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' ||
			r == '\u2029'
	}):
		return Change{}, refuse("region_name must be one line of text without control characters")
	case end < start:
		return Change{}, refuse("end_line %d is before start_line %d", end, start)
	case end > len(s.Lines):
		return Change{}, refuse("lines %d-%d are out of range: %s has %d lines", start, end, s.Path, len(s.Lines))
	}
	first, last := start-1, end-1
	if err := s.checkRegion(first, last); err != nil {
		return Change{}, err
	}
	indent, err := s.regionIndent(first, last)
	if err != nil {
		return Change{}, err
	}
	above := document.Splice{Start: s.Lines[first].Start, End: s.Lines[first].Start, New: indent + "#region " + name +
		s.lineEnd(first)}
	offset := s.behind(last)
	below := document.Splice{Start: offset, End: offset, New: indent + "#endregion" + s.lineEnd(last)}
	if s.Lines[last].End == offset {
		below.New = s.lineEnd(last) + below.New
	}
	change, err := s.finish([]document.Splice{above, below}, 0, 0, 1)
	change.End = change.Start + end - start + 2
	return change, err
}

// checkRegion rejects lines that do not begin and end with a statement, that
// cut a block, or that cross a region.
func (s Source) checkRegion(first, last int) error {
	switch {
	case s.inside(first):
		return refuse("line %d of %s is inside a string, a bracket or a joined line, where a region cannot begin; line %d "+
			"begins that statement",
			first+1, s.Path, s.outward(first, -1)+1)
	case s.inside(last + 1):
		return refuse("line %d of %s is inside a string, a bracket or a joined line, where a region cannot end; line %d "+
			"ends that statement",
			last+1, s.Path, s.outward(last, 1)+1)
	case first < 2 && directive().MatchString(s.content(first)) && !marker().MatchString(s.content(first)):
		return refuse("line %d of %s must stay at the top of the file; begin the region below it", first+1, s.Path)
	case first == 0 && len(s.Lines) > 1 && s.comment(0) && s.comment(1) && cookie().MatchString(s.content(1)):
		return refuse("line 2 of %s must stay at the top of the file; begin the region below it", s.Path)
	}
	if err := s.checkNesting(first, last); err != nil {
		return err
	}
	return s.checkBlock(s.Body, first, last)
}

// cookie is a comment that declares the encoding of a file.
var cookie = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)
})

// outward returns the first or last line of the logical line that contains line i.
func (s Source) outward(i, step int) int {
	if step < 0 {
		for s.inside(i) {
			i--
		}
		return i
	}
	for s.inside(i + 1) {
		i++
	}
	return i
}

// checkNesting rejects lines that contain only one of the two markers of a region.
func (s Source) checkNesting(first, last int) error {
	var open []int
	for i := first; i <= last; i++ {
		found := marker().FindStringSubmatch(s.content(i))
		switch {
		case found == nil || !s.comment(i):
		case strings.EqualFold(found[1], "region"):
			open = append(open, i)
		case len(open) == 0:
			return refuse("the region that ends at line %d of %s begins above line %d; regions must not cross, so begin above "+
				"it or end before it",
				i+1, s.Path, first+1)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return refuse("the region that begins at line %d of %s ends below line %d; regions must not cross, so end below it "+
			"or begin after it",
			open[len(open)-1]+1, s.Path, last+1)
	}
	return nil
}

// checkBlock rejects lines that cut a statement of a block: each statement must be completely inside the lines,
// completely outside them, or contain all of them in its suite.
func (s Source) checkBlock(body []*python.Statement, first, last int) error {
	for _, chain := range chains(body) {
		from, to := s.index(chain[0].OuterStart()), s.last(chain[len(chain)-1].End)
		if last >= from && first <= to && (first > from || last < to) {
			return s.checkChain(chain, from, to, first, last)
		}
	}
	return nil
}

// checkChain checks the statement, including its clauses, that contains the lines.
func (s Source) checkChain(chain []*python.Statement, from, to, first, last int) error {
	for _, statement := range chain {
		if len(statement.Body) == 0 || statement.Inline {
			continue
		}
		if first > s.last(statement.Header.End) && last <= s.last(statement.End) {
			return s.checkBlock(statement.Body, first, last)
		}
	}
	return refuse("lines %d-%d of %s cut the statement at lines %d-%d (%q); take all of it or lines of one block inside "+
		"of it",
		first+1, last+1, s.Path, from+1, to+1, shorten(s.content(s.index(chain[0].Start))))
}

// regionIndent returns the indentation of the first statement that begins in the lines. If none does, it returns
// the indentation of the first comment.
func (s Source) regionIndent(first, last int) (string, error) {
	comment := -1
	for i := first; i <= last; i++ {
		switch {
		case s.blank(i) || strings.TrimSpace(s.content(i)) == "":
		case s.comment(i):
			if comment < 0 {
				comment = i
			}
		default:
			return s.indent(i)[strings.LastIndexByte(s.indent(i), '\f')+1:], nil
		}
	}
	if comment < 0 {
		return "", refuse("lines %d-%d of %s are blank; choose lines with something to wrap", first+1, last+1, s.Path)
	}
	return s.indent(comment), nil
}
