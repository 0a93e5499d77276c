package grammar

import "manualslop/tools/python"

// token is one token of a logical line. Comments and empty lines are no tokens, indentation is.
type token struct {
	sym        symbol
	start, end int32
}

// reader makes tokens for the parser of those of package python.
type reader struct {
	src       string
	toks      []token
	indents   []int
	lineStart int // where the logical line begins that the next token belongs to
	fresh     bool
}

// tokensOf reads all tokens of a file. The last one is symEnd.
func tokensOf(file *python.File) []token {
	r := reader{src: file.Text, toks: make([]token, 0, len(file.Text)/4+8), indents: []int{0}, fresh: true}
	for t := range file.Tokens(python.Span{Start: 0, End: len(file.Text)}) {
		r.read(t)
	}
	return r.finish()
}

func (r *reader) read(t python.Token) {
	switch t.Kind {
	case python.Comment:
		return
	case python.NL:
		if r.fresh {
			r.lineStart = t.End
		}
		return
	case python.Newline:
		r.add(symNewline, t.Start, t.End)
		r.lineStart, r.fresh = t.End, true
		return
	}
	if r.fresh {
		r.fresh = false
		r.indent(t.Start)
	}
	r.add(r.symbol(t), t.Start, t.End)
}

func (r *reader) add(s symbol, start, end int) {
	r.toks = append(r.toks, token{s, int32(start), int32(end)})
}

func (r *reader) symbol(t python.Token) symbol {
	switch t.Kind {
	case python.Name:
		return symName
	case python.Keyword:
		return keywordSymbols[r.src[t.Start:t.End]]
	case python.Number:
		return symNumber
	case python.String:
		return symString
	case python.FStringStart:
		return symFStart
	case python.FStringMiddle:
		return symFMiddle
	case python.FStringEnd:
		return symFEnd
	}
	if s, ok := operatorSymbols[r.src[t.Start:t.End]]; ok {
		return s
	}
	return symError
}

// indent adds what the indentation of a logical line says whose first token begins at an offset.
func (r *reader) indent(at int) {
	column := width(r.src[r.lineStart:at])
	if column > r.indents[len(r.indents)-1] {
		r.indents = append(r.indents, column)
		r.add(symIndent, at, at)
	}
	for column < r.indents[len(r.indents)-1] {
		r.indents = r.indents[:len(r.indents)-1]
		r.add(symDedent, at, at)
	}
}

// width is the indentation that blanks make. Behind a backslash only the blanks before it count,
// unless there are none.
func width(blanks string) int {
	column, joined := 0, 0
	for i := 0; i < len(blanks); i++ {
		switch blanks[i] {
		case ' ':
			column++
		case '\t':
			column = (column/8 + 1) * 8
		case '\f':
			column = 0
		case '\\':
			if joined == 0 {
				joined = column
			}
		}
	}
	if joined > 0 {
		return joined
	}
	return column
}

// finish ends the last line and all blocks.
func (r *reader) finish() []token {
	end := len(r.src)
	if n := len(r.toks); n > 0 && r.toks[n-1].sym != symNewline {
		r.add(symNewline, end, end)
	}
	for range r.indents[1:] {
		r.add(symDedent, end, end)
	}
	r.add(symEnd, end, end)
	return r.toks
}
