package python

import (
	"cmp"
	"slices"
)

// Problem is an error in a text.
type Problem struct {
	Offset int    // where CPython points to: the byte its column names
	Text   string // CPython's wording where it is known
	Type   string // the exception: SyntaxError, IndentationError or TabError
	stage  stage
	found  int // where the reader had come to
}

// stage says how CPython comes to report a problem, which decides where there are several.
type stage uint8

const (
	raised   stage = iota // by the tokenizer; it also looks after an error of the parser, and prefers these
	inside                // by the tokenizer in an f-string; not preferred
	stopped               // by the tokenizer without its own exception; not preferred
	indented              // by the parser, and final: unexpected indentation
	parsed                // by the parser
)

// The exceptions that a Problem can name.
const (
	SyntaxError      = "SyntaxError"
	IndentationError = "IndentationError"
	TabError         = "TabError"
)

// mostProblems limits what a damaged text can cost; CPython itself reports one.
const mostProblems = 100

// setProblems takes the problems in the order in which they were found.
func (f *File) setProblems(found []Problem) {
	if len(found) == 0 {
		return
	}
	f.Problems, f.first = found, found[0]
	slices.SortStableFunc(f.Problems, func(a, b Problem) int { return cmp.Compare(a.Offset, b.Offset) })
}

// Found returns the offset that a reader has come to when the problem shows,
// which may lie behind Offset.
func (p Problem) Found() int { return p.found }

// Broken returns the problem that CPython reports for text, as far as lexical
// and indentation errors go, and false if there is none of these.
func Broken(text string) (Problem, bool) { return Parse(text).Broken() }

// Broken returns the problem of the file that CPython would report, and false
// if there is none. It need not be the first: errors of the tokenizer win over
// earlier ones of the parser.
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

// InsteadOf returns the problem that CPython reports instead of an error that
// its parser finds in a line (1-based), and false if it reports that one:
// errors of the tokenizer anywhere win, and so does a bracket of an earlier
// line that is never closed. Unexpected indentation is reported in any case.
func (f *File) InsteadOf(line int) (Problem, bool) {
	p := f.tokenize()
	return p, p.stage == raised && p.Text != "" || p.stage == parsed && f.LineOf(p.Offset) < line
}

// tokenize runs the tokenizer over the whole text as CPython does after an error of its parser, and
// gives the problem at which it stops: one of its own, or the bracket that is open there.
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

// level follows the indentation; nil if the tokenizer stops over it.
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
