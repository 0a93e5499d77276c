package views

import (
	"strings"

	"manualslop/tools/python"
)

// hotDecorator marks a function to keep its body, whichever module the decorator comes from.
const hotDecorator = "core_logic"

// PythonCurated returns a Python file in which the bodies of unmarked functions are hidden; their docstrings stay.
func PythonCurated(f *python.File) string {
	p := pythonCuts{file: f}
	p.suite(f.Body)
	return splice(f.Text, p.cuts)
}

type pythonCuts struct {
	file *python.File
	cuts []cut
}

func (p *pythonCuts) suite(body []*python.Statement) {
	for _, s := range body {
		switch {
		case s.Symbol == nil || s.Kind == python.Class:
			p.suite(s.Body)
		case !p.marked(s):
			p.function(s)
		}
	}
}

// function hides the body after the docstring.
func (p *pythonCuts) function(s *python.Statement) {
	const hidden = "... # Hidden"
	if len(s.Body) == 0 {
		return
	}
	first, rest := s.Body[0], s.Body
	doc, documented := p.file.Docstring(s.Symbol)
	if documented && first.Start <= doc.Start && doc.End <= first.End {
		rest = s.Body[1:]
	}
	switch {
	case len(rest) == 0 || len(rest) == 1 && p.isNothing(rest[0]):
	case len(rest) < len(s.Body) && !s.Inline:
		p.cuts = append(p.cuts, cut{first.End, s.End, "\n" + first.Indent + hidden})
	default:
		p.cuts = append(p.cuts, cut{first.OuterStart(), s.End, hidden})
	}
}

// isNothing reports whether a statement has no effect, so that there is nothing to hide.
func (p *pythonCuts) isNothing(s *python.Statement) bool {
	text := s.Of(p.file.Text)
	return text == "pass" || text == "..."
}

// marked reports whether a function is marked to keep its body.
func (p *pythonCuts) marked(s *python.Statement) bool {
	for _, d := range s.Decorators {
		name, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(d.Of(p.file.Text), "@")), "(")
		if name = strings.TrimSpace(name); name[strings.LastIndexByte(name, '.')+1:] == hotDecorator {
			return true
		}
	}
	if above, ok := p.file.Comment(s.Symbol); ok && strings.Contains(above.Of(p.file.Text), hotMark) {
		return true
	}
	end := s.Header.End + lineLeft(p.file.Text[s.Header.End:])
	for line := range strings.Lines(p.file.Text[s.OuterStart():end]) {
		if _, comment, ok := strings.Cut(line, "#"); ok && strings.Contains(comment, hotMark) {
			return true
		}
	}
	return false
}
