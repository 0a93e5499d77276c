package grammar

import "manualslop/tools/python"

// token is one token of a logical line. Comments and blank lines produce no tokens; indentation does.
type token struct {
	sym        symbol
	start, end int32
}

func (t token) text(src string) string { return src[t.start:t.end] }

// reader converts the tokens of package python for the parser.
type reader struct {
	src       string
	toks      []token
	indents   []int // columns of the open blocks
	lineStart int   // where the logical line of the next token begins
	comment   int   // where the last comment begins
	fresh     bool  // the next token begins a logical line
}

// tokensOf reads all tokens of a file. The last one is symEnd.
func tokensOf(file *python.File) []token {
	r := &reader{src: file.Text, toks: make([]token, 0, len(file.Text)/4+8), indents: []int{0}, fresh: true}
	for t := range file.Tokens(python.Span{Start: 0, End: len(file.Text)}) {
		r.read(t)
	}
	r.finish()
	return r.toks
}

func (r *reader) read(t python.Token) {
	switch t.Kind {
	case python.Comment:
		r.comment = t.Start
		return
	case python.NL:
		if r.fresh {
			r.lineStart = t.End
		}
		return
	case python.Newline:
		r.newline(t.Start)
		r.lineStart, r.fresh = t.End, true
		return
	}
	if r.fresh {
		r.fresh = false
		r.indent(t.Start)
	}
	r.add(r.symbol(t), t.Start, t.End)
}

// newline adds the end of a logical line. As in CPython it includes a comment before it, and a line end counts as
// one character.
func (r *reader) newline(at int) {
	start := at
	if n := len(r.toks); n > 0 && r.comment >= int(r.toks[n-1].end) {
		start = r.comment
	}
	r.add(symNewline, start, at+1)
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

// indent adds the start or the ends of blocks before the logical line whose first token begins at an offset. A
// column between those of two blocks counts as the outer one's.
func (r *reader) indent(at int) {
	now := width(r.src[r.lineStart:at])
	if now > r.indents[len(r.indents)-1] {
		r.indents = append(r.indents, now)
		r.add(symIndent, at, at)
		return
	}
	for now < r.indents[len(r.indents)-1] {
		r.indents = r.indents[:len(r.indents)-1]
		r.add(symDedent, at, at)
	}
}

// width returns the column that blanks reach, with tab stops every eight columns. After a backslash only the
// blanks before it count, unless there are none.
func width(blanks string) int {
	var now, joined int
	for i := 0; i < len(blanks); i++ {
		switch blanks[i] {
		case ' ':
			now++
		case '\t':
			now = (now/8 + 1) * 8
		case '\f':
			now = 0
		case '\\':
			if joined == 0 {
				joined = now
			}
		}
	}
	if joined > 0 {
		return joined
	}
	return now
}

// finish ends the last line and all blocks.
func (r *reader) finish() {
	end := len(r.src)
	if n := len(r.toks); n > 0 && r.toks[n-1].sym != symNewline {
		r.newline(end)
	}
	for range r.indents[1:] {
		r.add(symDedent, end, end)
	}
	r.add(symEnd, end, end)
}
