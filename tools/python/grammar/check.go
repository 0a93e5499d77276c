package grammar

import (
	"cmp"
	"slices"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Error is a syntax error of a text.
type Error struct {
	Line      int    // 1-based
	Column    int    // 1-based, in characters, as SyntaxError.offset of CPython
	EndLine   int    // 1-based; the line of the last character
	EndColumn int    // 1-based, behind the last character; 0 where the end is not known
	Kind      string // SyntaxError, IndentationError or TabError
	Text      string // the message
	Source    string // the line, without its end
	Certain   bool   // the wording is known to be CPython's
}

// Check gives the syntax errors of a text without byte order mark: one for each statement that fails
// on its own, in order, at most limit (zero or less: all). The first is the one that CPython reports. Nil means that this
// parser found none.
func Check(text string, limit int) []Error { return CheckFile(python.Parse(text), limit) }

// CheckFile is Check for a text whose structure is known.
func CheckFile(file *python.File, limit int) []Error {
	toks := tokensOf(file)
	_, failures := parse(file.Text, toks)
	var out []Error
	taken := map[int]bool{}
	for _, p := range file.Problems {
		if p.Lexical() {
			e := errorOf(file, p)
			out, taken[e.Line] = append(out, e), true
		}
	}
	for _, f := range failures {
		t := toks[f.at]
		text := "invalid syntax"
		if f.deep {
			text = "too many nested expressions"
		}
		if e := located(file, Error{Kind: python.SyntaxError, Text: text}, int(t.start), int(t.end)); !taken[e.Line] {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out
}

func errorOf(file *python.File, p python.Problem) Error {
	return located(file, Error{Kind: p.Type, Text: p.Text, Certain: true}, p.Offset, p.Offset)
}

// located fills in the place of an error.
func located(file *python.File, e Error, start, end int) Error {
	e.Line, e.Column = position(file, start)
	e.EndLine, e.EndColumn = position(file, end)
	if e.Line <= len(file.Lines) {
		line := file.Lines[e.Line-1]
		e.Source = file.Text[line.Start:line.End]
	}
	return e
}

// position gives line and column of an offset.
func position(file *python.File, offset int) (line, column int) {
	if len(file.Lines) == 0 {
		return 1, 1
	}
	line = document.NumberOf(file.Lines, offset)
	start := file.Lines[line-1].Start
	return line, len([]rune(file.Text[start:min(max(offset, start), len(file.Text))])) + 1
}
