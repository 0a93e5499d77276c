package grammar

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Error is a syntax error of a text.
type Error struct {
	Line      int    // 1-based
	Column    int    // 1-based, in characters, as SyntaxError.offset of CPython
	EndLine   int    // 1-based; the line of the last character
	EndColumn int    // 1-based, after the last character; 0 if the end is not known
	Kind      string // SyntaxError, IndentationError or TabError
	Text      string // the message
	Source    string // the line, without its end
}

// maxErrors limits the errors of one text.
const maxErrors = 100

// Check returns the syntax errors of a text that does not begin with a byte order mark: first the one that a compiler
// reports, then one for every other line that has an error, in order. It returns at most limit errors, or 100 if limit
// is not positive, and nil if the text is valid in the newest version of Python.
func Check(text string, limit int) []Error {
	return CheckFile(python.Parse(text), limit)
}

// CheckFile is like Check for a parsed file.
func CheckFile(file *python.File, limit int) []Error {
	return CheckVersion(file, limit, NewestVersion)
}

// CheckVersion is like CheckFile for one version of Python: newer syntax is an error.
func CheckVersion(file *python.File, limit int, version Version) []Error {
	if limit <= 0 || limit > maxErrors {
		limit = maxErrors
	}
	toks := tokensOf(file)
	_, failures := parse(file.Text, toks, version)
	if len(failures) == 0 && len(file.Problems) == 0 {
		return nil
	}
	c := checker{file: file, toks: toks}
	out := append([]Error{c.first(failures)}, c.all(failures)...)
	seen := map[int]bool{}
	out = slices.DeleteFunc(out, func(e Error) bool {
		again := seen[e.Line]
		seen[e.Line] = true
		return again
	})
	return out[:min(len(out), limit)]
}

// checker describes the errors of one file.
type checker struct {
	file *python.File
	toks []token
}

// first returns the error that a compiler reports. Token errors come before grammar errors, even if they are
// later in the text; see [python.File.InsteadOf].
func (c *checker) first(failures []failure) Error {
	problem, found := c.file.Broken()
	if len(failures) == 0 {
		return c.problem(problem)
	}
	start := int(c.toks[failures[0].at].start)
	if found && problem.Found() <= start {
		return c.problem(problem)
	}
	if problem, found = c.file.InsteadOf(c.file.LineOf(start)); found {
		return c.problem(problem)
	}
	return c.failure(failures[0])
}

// all returns the errors in order. It omits the grammar error of a statement that already has a token or
// indentation error before the point of failure.
func (c *checker) all(failures []failure) []Error {
	var out []Error
	for _, p := range c.file.Problems {
		out = append(out, c.problem(p))
	}
	for _, f := range failures {
		start, end := int(c.toks[f.statement].start), int(c.toks[f.at].start)
		caused := func(p python.Problem) bool { return start <= p.Offset && p.Offset <= end }
		if !slices.ContainsFunc(c.file.Problems, caused) {
			out = append(out, c.failure(f))
		}
	}
	slices.SortStableFunc(out, func(a, b Error) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// problem converts a token or indentation error.
func (c *checker) problem(p python.Problem) Error {
	e := Error{Kind: p.Type, Text: p.Text}
	e.Line, e.Column = c.position(p.Offset)
	e.EndLine, e.Source = e.Line, c.source(e.Line)
	return e
}

// failure converts a grammar error.
func (c *checker) failure(f failure) Error {
	t := c.toks[f.at]
	switch e := c.over(t.start, t.end, cmp.Or(f.text, "invalid syntax")); t.sym {
	case symIndent, symDedent:
		e.Kind = python.IndentationError
		return e
	default:
		return e
	}
}

// over returns a syntax error that covers the bytes from start to the one before end.
func (c *checker) over(start, end int32, text string) Error {
	e := Error{Kind: python.SyntaxError, Text: text}
	e.Line, e.Column = c.position(int(start))
	e.EndLine, e.EndColumn = c.position(max(int(start), int(end)-1))
	if end > start {
		e.EndColumn++
	}
	e.Source = c.source(e.Line)
	return e
}

// source returns the text of a line, or "" after the last one.
func (c *checker) source(number int) string {
	if number > len(c.file.Lines) {
		return ""
	}
	line := c.file.Lines[number-1]
	return c.file.Text[line.Start:line.End]
}

// position returns the line and column of an offset.
func (c *checker) position(offset int) (line, column int) {
	lines, text := c.file.Lines, c.file.Text
	if n := len(lines); n == 0 || offset >= len(text) && lines[n-1].End < lines[n-1].Next {
		return n + 1, 1
	}
	line = document.NumberOf(lines, offset)
	start := lines[line-1].Start
	return line, utf8.RuneCountInString(text[start:max(start, min(offset, len(text)))]) + 1
}
