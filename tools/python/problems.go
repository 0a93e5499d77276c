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

// stage says who finds a problem in CPython, which decides what is reported when there are several.
type stage uint8

const (
	raised  stage = iota // the tokenizer; found also behind an error of the parser, and then preferred
	stopped              // the tokenizer, but not preferred
	parsed               // the parser
)

// The exceptions that a Problem can name.
const (
	SyntaxError      = "SyntaxError"
	IndentationError = "IndentationError"
	TabError         = "TabError"
)

// mostProblems bounds what a damaged text can cost; CPython itself reports one.
const mostProblems = 100

// Broken gives the problem that CPython reports for text, as far as lexical and indentation errors go,
// and false where there is none of these.
func Broken(text string) (Problem, bool) { return Parse(text).Broken() }

// Broken gives the problem that CPython would report of those in the file, and false where there is
// none. Errors of the tokenizer win over earlier ones of the parser.
func (f *File) Broken() (Problem, bool) {
	if len(f.Problems) == 0 {
		return Problem{}, false
	}
	problems := slices.Clone(f.Problems)
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.found, b.found) })
	first := problems[0]
	if first.stage != parsed {
		return first, true
	}
	for _, p := range problems[1:] {
		if p.stage == raised {
			return p, true
		}
		if p.stage == stopped {
			break
		}
	}
	return first, true
}

func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Offset, b.Offset) })
}

// Lexical tells whether it is CPython's tokenizer that finds the problem, not its parser.
func (p Problem) Lexical() bool { return p.stage != parsed }

// Preferred tells whether CPython reports the problem even where its parser failed on an earlier
// line: true for what its tokenizer finds, except for the end of the text.
func (p Problem) Preferred() bool { return p.stage == raised }

// Found is the offset that a reader has come to when the problem shows, which may lie behind Offset.
func (p Problem) Found() int { return p.found }
