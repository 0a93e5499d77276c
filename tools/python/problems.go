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
	raised   stage = iota // by the tokenizer; it also looks behind an error of the parser, and prefers these
	inside                // by the tokenizer in an f-string; not preferred
	stopped               // by the tokenizer without an exception of its own; not preferred
	indented              // by the parser, and final: unexpected indentation
	parsed                // by the parser
)

// The exceptions that a Problem can name.
const (
	SyntaxError      = "SyntaxError"
	IndentationError = "IndentationError"
	TabError         = "TabError"
)

// mostProblems bounds what a damaged text can cost; CPython itself reports one.
const mostProblems = 100

// setProblems takes the problems in the order in which they were found.
func (f *File) setProblems(found []Problem) {
	if len(found) == 0 {
		return
	}
	f.Problems, f.first = found, found[0]
	slices.SortStableFunc(f.Problems, func(a, b Problem) int { return cmp.Compare(a.Offset, b.Offset) })
}

// Found is the offset that a reader has come to when the problem shows, which may lie behind Offset.
func (p Problem) Found() int { return p.found }
