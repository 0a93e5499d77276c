package grammar

import (
	"cmp"
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// lexical is an error that CPython's tokenizer finds.
type lexical struct {
	offset int
	kind   string
	text   string
	found  int // where the tokenizer had come to
}

// neverClosed is how the message about an open bracket ends.
const neverClosed = "was never closed"

// lexicalProblems lists those of a text, also those that follow other errors. The flag tells that a
// bracket was given up because a statement seems to begin inside, so that others may be wrong.
func lexicalProblems(file *python.File, r *reader, version Version) (out []lexical, guessed bool) {
	for _, p := range file.Problems {
		unclosed := strings.HasSuffix(p.Text, neverClosed)
		if p.Type != python.SyntaxError || !p.Lexical() && !unclosed {
			continue
		}
		guessed = guessed || unclosed && p.Found() < len(file.Text)
		out = append(out, lexicalOf(file, p, version))
	}
	out = append(out, r.blanks...)
	slices.SortStableFunc(out, func(a, b lexical) int { return cmp.Compare(a.found, b.found) })
	return out, guessed
}

func lexicalOf(file *python.File, p python.Problem, version Version) lexical {
	return lexical{offset: p.Offset, kind: p.Type, text: version.wording(p, file.Text), found: p.Found()}
}

// line is the number of the line that holds an offset.
func (c *checker) line(offset int) int { return document.NumberOf(c.file.Lines, offset) }
