package cfamily

import (
	"fmt"

	"manualslop/tools/document"
)

// Problem is a bracket that does not fit.
type Problem struct {
	Line int // counted from 1
	Text string
}

// maxProblems bounds Problems.
const maxProblems = 20

// Problems lists the brackets that close nothing or are not closed, at most 20; where there are some,
// the structure is uncertain from there on.
func (f *File) Problems() []Problem { return brackets(f.Text, f.tokens) }

// balance says what bracket of a text is missing or too many; empty where none is.
func balance(text string) string {
	all, _ := lex(text)
	tokens, _ := resolve(text, all)
	for _, p := range brackets(text, tokens) {
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
			for c == '}' && len(open) > 0 && text[open[len(open)-1].start] != '{' { // a block ends what is open in it
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
