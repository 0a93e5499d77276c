package edit

import (
	"regexp"
	"sync"

	"manualslop/tools/python"
)

// directive is a comment that addresses a program and does not describe the definition below it: a
// shebang, an encoding cookie, a region marker, a cell mark, or a switch of a
// linter or formatter.
var directive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)^[ \t\f]*#(!|.*coding[=:]|\s*(region|endregion|end region|%%|fmt:|yapf:|isort:|ruff:|flake8:|pylint:|mypy:|pyright:|type:|noqa|nosec|pragma))`)
})

// attached returns the comment directly above a definition that describes it:
// the lines below the last directive.
func (s Source) attached(symbol *python.Symbol) (python.Span, bool) {
	span, ok := s.Comment(symbol)
	if !ok {
		return span, false
	}
	from, to := s.index(span.Start), s.index(max(span.Start, span.End-1))
	first := to + 1
	for first > from && !directive().MatchString(s.content(first-1)) {
		first--
	}
	if first > to {
		return python.Span{}, false
	}
	return python.Span{Start: s.Lines[first].Start + len(s.indent(first)), End: s.Lines[to].End}, true
}

// top returns the first line of a definition, including its decorators and attached comment.
func (s Source) top(symbol *python.Symbol) int {
	if span, ok := s.attached(symbol); ok {
		return s.index(span.Start)
	}
	return s.index(symbol.Statement.OuterStart())
}
