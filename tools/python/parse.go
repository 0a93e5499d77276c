package python

import (
	"strings"

	"manualslop/tools/document"
)

// parser builds the statements of a file from the tokens of a lexer.
type parser struct {
	lex     lexer
	file    *File
	suites  []suite
	pending []*Statement // statements of all open suites, one suite after another
	marks   []Span       // decorators that have no definition yet
	head    *Statement   // a header whose block has not begun
	colon   bool         // the head has a colon
	star    bool         // the head is an except*
	deep    bool         // inside a suite beyond the nesting limit
	line    indentation  // the current logical line

	statements []Statement // preallocated, not yet used
	symbols    []Symbol
	lists      []*Statement
	chunk      int
}

// Parse reads the structure of decoded text, which must not begin with a byte order mark. It never fails and never
// panics; see File.Problems.
func Parse(text string) *File {
	f := &File{Text: text, hasCR: strings.IndexByte(text, '\r') >= 0}
	f.Lines = f.lines()
	p := &parser{file: f, lex: f.lexer(len(text)), chunk: min(max(len(f.Lines)/2, 8), 512)}
	p.suites = append(make([]suite, 0, 8), suite{})
	if null := strings.IndexByte(text, 0); null >= 0 {
		p.lex.report(Problem{Offset: null, Text: "source code cannot contain null bytes", Type: SyntaxError, stage: stopped})
	}
	for p.lex.begin(&p.line) {
		p.indent(p.line)
		p.logical()
	}
	if p.head != nil {
		p.missingBlock(p.head, f.Lines[len(f.Lines)-1].End)
	}
	for len(p.suites) > 0 {
		p.pop()
	}
	f.setProblems(p.lex.problems)
	nameSymbols(f.Symbols)
	return f
}

// lines is like document.Lines but faster for texts without CR.
func (f *File) lines() []document.Line {
	if f.hasCR {
		return document.Lines(f.Text)
	}
	text := f.Text
	lines := make([]document.Line, 0, strings.Count(text, "\n")+1)
	start := 0
	for start < len(text) {
		n := strings.IndexByte(text[start:], '\n')
		if n < 0 {
			lines = append(lines, document.Line{Start: start, End: len(text), Next: len(text)})
			break
		}
		lines = append(lines, document.Line{Start: start, End: start + n, Next: start + n + 1})
		start += n + 1
	}
	return lines
}

// add appends a statement that begins at start to the innermost suite.
func (p *parser) add(kind StatementKind, start int) *Statement {
	if len(p.statements) == 0 {
		p.statements = make([]Statement, p.chunk)
	}
	s := &p.statements[0]
	p.statements = p.statements[1:]
	s.Kind, s.Start, s.End = kind, start, start
	s.Parent = p.top().owner
	s.Indent = p.lex.text[p.line.from:p.line.blank]
	p.pending = append(p.pending, s)
	return s
}

// logical reads one logical line.
func (p *parser) logical() {
	l := &p.lex
	token := l.next()
	if token == Op && l.text[l.start] == '@' && l.end == l.start+1 {
		p.marks = append(p.marks, p.mark())
		return
	}
	if token != Name {
		p.orphans()
		p.simples(Simple)
		return
	}
	word := l.text[l.start:l.end]
	kind := statementKind(word)
	if len(p.marks) > 0 && kind != Def && kind != Class && word != "async" {
		p.orphans()
	}
	switch {
	case kind.Compound():
		p.compound(p.add(kind, l.start))
	case kind != Simple:
		p.simples(kind)
	default:
		p.soft(word)
	}
}

// soft reads a logical line that begins with a name or a soft keyword.
func (p *parser) soft(word string) {
	start := p.lex.start
	switch word {
	case "async":
		p.async(start)
	case "match":
		p.match(start)
	case "case":
		if owner := p.top().owner; owner != nil && owner.Kind == Match {
			p.compound(p.add(Case, start))
			return
		}
		p.simples(Simple)
	case "type":
		kind := Simple
		if p.lex.aliasAhead() {
			kind = TypeAlias
		}
		p.simples(kind)
	default:
		p.simples(Simple)
	}
}

// async reads a definition, a loop or a with statement that begins with async.
func (p *parser) async(start int) {
	l := &p.lex
	end := l.end
	token := l.next()
	if token == Name {
		switch kind := statementKind(l.text[l.start:l.end]); kind {
		case Def, For, With:
			if kind != Def {
				p.orphans()
			}
			s := p.add(kind, start)
			s.Async = true
			p.compound(s)
			return
		}
	}
	p.orphans()
	s := p.add(Simple, start)
	s.Header = Span{start, end}
	p.otherwise(s, token)
}

// mark reads a decorator after its '@'.
func (p *parser) mark() Span {
	l := &p.lex
	span := Span{l.start, l.end}
	for token := l.next(); token != Newline && token != endOfText; token = l.next() {
		span.End = l.end
	}
	return span
}

// orphans turns decorators without a definition into statements.
func (p *parser) orphans() {
	for _, mark := range p.marks {
		s := p.add(Simple, mark.Start)
		s.End, s.Header = mark.End, mark
		s.Indent = p.lex.text[p.lex.lines[p.lex.lineOf(mark.Start)-1].Start:mark.Start]
	}
	p.marks = p.marks[:0]
}
