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

// Problems lists comments and strings that are not closed, then unmatched brackets, at most 20 of each. After the
// first of them the structure is uncertain. Then come branches of an #if that are not read and whose braces do not
// balance.
func (f *File) Problems() []Problem {
	out := append(slices.Clone(f.open), brackets(f.Text, f.tokens)...)
	for _, start := range f.unsure[:min(len(f.unsure), maxProblems)] {
		if len(out) < maxProblems {
			out = append(out, Problem{f.line(start), "the braces of this branch do not balance"})
		}
	}
	return out
}

// balance describes the first missing or surplus bracket of a text, or a comment or string without end, or
// returns "".
func balance(text string) string {
	all, comments := lex(text)
	tokens, directives, _ := resolve(text, all)
	open := unclosed(document.Lines(text), append(directives, tokens...), comments)
	for _, p := range append(open, brackets(text, tokens)...) {
		return fmt.Sprintf("%s, in its line %d", p.Text, p.Line)
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
				say(t, "'%c' closes nothing")
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
