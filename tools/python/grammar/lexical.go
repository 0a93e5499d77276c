package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// lexical is an error that CPython's tokenizer finds.
type lexical struct {
	offset    int
	kind      string
	text      string
	found     int  // where the tokenizer had come to
	preferred bool // is reported even where the parser failed before
	unclosed  bool // a bracket that is never closed
	guessed   bool // the bracket may be closed, but a statement seems to begin inside
}

// lexicalProblems lists them in the order in which CPython would meet them.
func lexicalProblems(file *python.File, r *reader, version Version) []lexical {
	var out []lexical
	for _, p := range file.Problems {
		unclosed := strings.HasSuffix(p.Text, "was never closed")
		bracket := unclosed || strings.HasPrefix(p.Text, "unmatched '") || strings.HasPrefix(p.Text, "closing parenthesis '")
		if !p.Lexical() && !unclosed || p.Text == notASCII || p.Type == python.TabError || r.strict && bracket {
			continue
		}
		l := lexical{
			offset: p.Offset, kind: p.Type, text: version.wording(p, file.Text), found: p.Found(), preferred: p.Preferred(),
			unclosed: unclosed, guessed: unclosed && p.Found() < len(file.Text),
		}
		if p.Type != python.SyntaxError {
			l.found, l.preferred = lineStart(file, p.Offset), false
		}
		out = append(out, l)
	}
	for _, at := range r.tabs {
		out = append(out, lexical{offset: at, kind: python.TabError, text: "inconsistent use of tabs and spaces in indentation", found: at})
	}
	if r.bracket.text != "" {
		out = append(out, r.bracket)
	}
	slices.SortStableFunc(out, func(a, b lexical) int { return cmp.Compare(a.found, b.found) })
	return out
}

func lineStart(file *python.File, offset int) int {
	if len(file.Lines) == 0 {
		return 0
	}
	return file.Lines[document.NumberOf(file.Lines, offset)-1].Start
}

// balance follows the brackets of a text and notes the first one that does not fit.
func (r *reader) balance(t token) {
	switch t.sym {
	case opLeftParen, opLeftBracket, opLeftBrace:
		r.open = append(r.open, t)
		return
	case opRightParen, opRightBracket, opRightBrace:
	default:
		return
	}
	n := len(r.open)
	if n > 0 && r.open[n-1].sym == t.sym-1 {
		r.open = r.open[:n-1]
		return
	}
	if r.bracket.text == "" {
		r.bracket = mismatch(r.src, r.open, t)
	}
}

func mismatch(src string, open []token, t token) lexical {
	text := fmt.Sprintf("unmatched '%s'", t.text(src))
	if n := len(open); n > 0 {
		before := open[n-1]
		text = fmt.Sprintf("closing parenthesis '%s' does not match opening parenthesis '%s'", t.text(src), before.text(src))
		lines := document.Lines(src)
		if line := document.NumberOf(lines, int(before.start)); line != document.NumberOf(lines, int(t.start)) {
			text += fmt.Sprintf(" on line %d", line)
		}
	}
	return lexical{offset: int(t.start), kind: python.SyntaxError, text: text, found: int(t.start), preferred: true}
}

func neverClosed(src string, t token) lexical {
	return lexical{
		offset: int(t.start), kind: python.SyntaxError, text: fmt.Sprintf("'%s' was never closed", t.text(src)), found: len(src), unclosed: true,
	}
}
