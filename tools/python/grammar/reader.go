package grammar

import (
	"strings"

	"manualslop/tools/python"
)

// token is one token of a logical line. Comments and empty lines are no tokens, indentation is.
type token struct {
	sym        symbol
	start, end int32
}

func (t token) text(src string) string { return src[t.start:t.end] }

// reader makes tokens for the parser of those of package python.
type reader struct {
	src       string
	toks      []token
	indents   []indentation
	blanks    []lexical // errors of indentation
	lineStart int       // where the logical line begins that the next token belongs to
	comment   int       // where the last comment begins
	fresh     bool

	strict bool // a line end inside brackets is none, whatever the next line looks like
	level  int  // open brackets
}

// indentation is a width with tabs to columns of eight, and one with tabs as wide as a blank.
type indentation struct{ column, other int }

// tokensOf reads all tokens of a file. The last one is symEnd.
func tokensOf(file *python.File) []token {
	r := newReader(file)
	r.run(file)
	return r.toks
}

func newReader(file *python.File) *reader {
	return &reader{src: file.Text, toks: make([]token, 0, len(file.Text)/4+8), indents: []indentation{{}}, fresh: true}
}

func (r *reader) run(file *python.File) {
	for t := range file.Tokens(python.Span{Start: 0, End: len(file.Text)}) {
		r.read(t)
	}
	r.finish()
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
		if r.strict && r.level > 0 {
			return
		}
		r.level = 0
		r.newline(t.Start)
		r.lineStart, r.fresh = t.End, true
		return
	}
	if r.fresh {
		r.fresh = false
		r.indent(t.Start)
	}
	s := r.symbol(t)
	switch s {
	case opLeftParen, opLeftBracket, opLeftBrace:
		r.level++
	case opRightParen, opRightBracket, opRightBrace:
		r.level = max(0, r.level-1)
	}
	r.add(s, t.Start, t.End)
}

// newline adds the end of a logical line. As in CPython it begins where a comment in front of it
// does, and is one character long.
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

// indent adds what the indentation of a logical line says whose first token begins at an offset.
func (r *reader) indent(at int) {
	now := width(r.src[r.lineStart:at])
	top := r.indents[len(r.indents)-1]
	if now.column > top.column {
		if now.other <= top.other {
			r.badTabs()
		}
		r.indents = append(r.indents, now)
		r.add(symIndent, at, at)
		return
	}
	for now.column < r.indents[len(r.indents)-1].column {
		r.indents = r.indents[:len(r.indents)-1]
		r.add(symDedent, at, at)
	}
	switch top = r.indents[len(r.indents)-1]; {
	case now.column != top.column:
		end := at + strings.IndexAny(r.src[at:]+"\n", "\r\n")
		r.blanks = append(r.blanks, lexical{
			offset: end, found: r.lineStart, kind: python.IndentationError, text: "unindent does not match any outer indentation level",
		})
	case now.other != top.other:
		r.badTabs()
	}
}

// badTabs notes that the indentation of the line depends on the width of a tab.
func (r *reader) badTabs() {
	r.blanks = append(r.blanks, lexical{
		offset: r.lineStart, found: r.lineStart, kind: python.TabError, text: "inconsistent use of tabs and spaces in indentation",
	})
}

// width is the indentation that blanks make. Behind a backslash only the blanks before it count,
// unless there are none.
func width(blanks string) indentation {
	var now, joined indentation
	for i := 0; i < len(blanks); i++ {
		switch blanks[i] {
		case ' ':
			now.column++
			now.other++
		case '\t':
			now.column = (now.column/8 + 1) * 8
			now.other++
		case '\f':
			now = indentation{}
		case '\\':
			if joined.column == 0 {
				joined = now
			}
		}
	}
	if joined.column > 0 {
		return joined
	}
	return now
}

// finish ends the last line and all blocks.
func (r *reader) finish() {
	end := len(r.src)
	if n := len(r.toks); n > 0 && r.toks[n-1].sym != symNewline {
		if r.level > 0 {
			r.comment = 0 // the text ends inside brackets
		}
		r.newline(end)
	}
	for range r.indents[1:] {
		r.add(symDedent, end, end)
	}
	r.add(symEnd, end, end)
}
