package cfamily

import (
	"fmt"
	"slices"

	"manualslop/tools/document"
)

// Problem is an unmatched bracket, or a comment or string that is not closed.
type Problem struct {
	Line int // 1-based
	Text string
}

// maxProblems limits the result of Problems.
const maxProblems = 20

// Problems lists at most 20 problems: comments and strings that are not closed, unmatched brackets, and branches of an
// #if that are not read and whose braces do not balance. After the first of them the structure is uncertain.
func (f *File) Problems() []Problem {
	out := append(slices.Clone(f.open), brackets(f.Text, f.tokens)...)
	out = append(out, unbalanced(f.lines, f.unsure)...)
	return out[:min(len(out), maxProblems)]
}

// unbalanced makes problems of branches of an #if that begin at the given offsets.
func unbalanced(lines []document.Line, starts []int) []Problem {
	var out []Problem
	for _, start := range starts {
		out = append(out, Problem{document.NumberOf(lines, start), "the braces of this branch do not balance"})
	}
	return out
}

// balance describes the first problem of a text as Problems does, or returns "".
func balance(text string) string {
	all, comments := lex(text)
	tokens, directives, damaged := resolve(text, all)
	lines := document.Lines(text)
	open := unclosed(lines, slices.Concat(directives, tokens), comments)
	for _, p := range slices.Concat(open, brackets(text, tokens), unbalanced(lines, damaged)) {
		return fmt.Sprintf("%s, on its line %d", p.Text, p.Line)
	}
	return ""
}

func brackets(text string, tokens []token) []Problem {
	closes := map[byte]byte{')': '(', ']': '[', '}': '{'}
	lines := document.Lines(text)
	out := []Problem{}
	say := func(t token, format string) {
		if len(out) < maxProblems {
			out = append(out, Problem{document.NumberOf(lines, int(t.start)), fmt.Sprintf(format, text[t.start])})
		}
	}
	var open []token
	for _, t := range tokens {
		if t.kind != sign {
			continue
		}
		switch c := text[t.start]; c {
		case '(', '[', '{':
			open = append(open, t)
		case ')', ']', '}':
			for c == '}' && len(open) > 0 && text[open[len(open)-1].start] != '{' { // also closes what is open in it
				say(open[len(open)-1], "'%c' is not closed")
				open = open[:len(open)-1]
			}
			if len(open) == 0 || text[open[len(open)-1].start] != closes[c] {
				say(t, "'%c' has no opening counterpart")
				continue
			}
			open = open[:len(open)-1]
		}
	}
	for _, t := range open {
		say(t, "'%c' is not closed")
	}
	return out
}
