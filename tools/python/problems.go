package python

import (
	"cmp"
	"slices"
)

// Problem is an error in a text.
type Problem struct {
	Offset int    // the byte at the column that CPython reports
	Text   string // CPython's wording, if known
	Type   string // the exception: SyntaxError, IndentationError or TabError
	stage  stage
	found  int // how far the reader was when it found the problem
}

// stage says which part of CPython reports a problem. If there are several problems, it decides which one CPython
// reports.
type stage uint8

const (
	raised   stage = iota // by the tokenizer; preferred, because CPython runs the tokenizer on after a parser error
	inside                // by the tokenizer in an f-string; not preferred
	stopped               // by the tokenizer without an exception of its own; not preferred
	indented              // by the parser, and final: unexpected indentation
	parsed                // by the parser
)

// Exception names in Problem.Type.
const (
	SyntaxError      = "SyntaxError"
	IndentationError = "IndentationError"
	TabError         = "TabError"
)

// mostProblems limits the cost of a damaged text; CPython itself reports only one problem.
const mostProblems = 100

// setProblems sets the problems of the file. found is in the order of discovery.
func (f *File) setProblems(found []Problem) {
	if len(found) == 0 {
		return
	}
	f.Problems, f.first = found, found[0]
	slices.SortStableFunc(f.Problems, func(a, b Problem) int { return cmp.Compare(a.Offset, b.Offset) })
}

// Found returns the offset up to which a reader has read when it detects the problem. It may be after Offset.
func (p Problem) Found() int { return p.found }

// Broken returns the lexical or indentation error that CPython reports for text, and false if there is none.
func Broken(text string) (Problem, bool) { return Parse(text).Broken() }

// Broken returns the problem of the file that CPython would report, and false if there is none. It is not always
// the first: tokenizer errors take precedence over earlier parser errors.
func (f *File) Broken() (Problem, bool) {
	if len(f.Problems) == 0 {
		return Problem{}, false
	}
	if f.first.stage == parsed {
		if p, ok := f.InsteadOf(f.LineOf(f.first.found)); ok {
			return p, true
		}
	}
	return f.first, true
}

// InsteadOf returns the problem that CPython reports instead of a parser error in a line (1-based), and false if
// CPython reports the parser error itself. Tokenizer errors anywhere take precedence, as does an unclosed bracket on
// an earlier line.
func (f *File) InsteadOf(line int) (Problem, bool) {
	p := f.tokenize()
	return p, p.stage == raised && p.Text != "" || p.stage == parsed && f.LineOf(p.Offset) < line
}

// tokenize runs the tokenizer over the whole text, as CPython does after a parser error. It returns the problem
// at which it stops: a tokenizer error, or the bracket that is open there.
func (f *File) tokenize() Problem {
	l := f.lexer(len(f.Text))
	l.strict = true
	columns := []indentation{{}}
	var in indentation
	for l.begin(&in) {
		if columns = l.level(columns, in); columns == nil {
			return Problem{stage: stopped}
		}
		for token := l.next(); token != Newline && token != endOfText && len(l.problems) == 0; {
			token = l.next()
		}
		if len(l.problems) > 0 {
			break
		}
	}
	if len(l.problems) == 0 {
		return Problem{stage: stopped}
	}
	p := l.problems[0]
	if n := len(l.stack); p.stage == stopped && n > 0 {
		l.problems = nil
		l.neverClosed(l.stack[n-1], p.Offset)
		p = l.problems[0]
	}
	return p
}

// level updates the open indentation columns for a line. It returns nil if the tokenizer rejects the line's
// indentation.
func (l *lexer) level(columns []indentation, in indentation) []indentation {
	top := columns[len(columns)-1]
	if in.col > top.col {
		if in.alt <= top.alt || len(columns) == maxIndents {
			return nil
		}
		return append(columns, in)
	}
	for len(columns) > 1 && in.col < top.col {
		columns = columns[:len(columns)-1]
		top = columns[len(columns)-1]
	}
	if in.col != top.col || in.alt != top.alt {
		return nil
	}
	return columns
}
