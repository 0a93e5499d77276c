package python

import (
	"iter"
	"strings"

	"manualslop/tools/document"
)

// Span is a range of a text: from the byte Start to the byte before End.
type Span struct{ Start, End int }

// Empty reports whether the span is empty.
func (s Span) Empty() bool { return s.End <= s.Start }

// Of returns the text in the span.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// File is the structure of one source text.
type File struct {
	Text     string
	Lines    []document.Line
	Body     []*Statement // top level, in order
	Symbols  []*Symbol    // every class and function at any depth, ordered by their def or class keyword
	Problems []Problem    // lexical and indentation errors, in order, at most 100; if empty, the structure is exact
	first    Problem      // the problem that was found first
	hasCR    bool         // some lines end with CR or CRLF
}

// Statement is one statement of a text. A clause (elif, else, except, finally) is a separate statement next to
// its head; a case is a statement inside its match.
type Statement struct {
	Kind   StatementKind
	Async  bool // async def, async for, async with
	Inline bool // the suite is on the header's line
	// Span reaches from the first token (not a decorator) to the last token of the suite, without a semicolon
	// after a simple statement.
	Span
	Header     Span         // compound: first token through the colon; simple: like Span
	Decorators []Span       // each from its '@' to the last token of its logical line
	Parent     *Statement   // nil at top level
	Body       []*Statement // suite
	Indent     string       // blanks before its logical line (the header's, if inline), after any form feed
	Symbol     *Symbol      // set for every Def and Class, nil for all others
}

// OuterStart returns the start of the statement including its decorators.
func (s *Statement) OuterStart() int {
	if len(s.Decorators) > 0 {
		return s.Decorators[0].Start
	}
	return s.Start
}

// Kind says whether a symbol is a class, a function or a method.
type Kind string

// Kinds of symbols. A method is a function directly in a class, or inside an if, try, with or the like in that class.
const (
	KindClass         Kind = "class"
	KindFunction      Kind = "function"
	KindAsyncFunction Kind = "async_function"
	KindMethod        Kind = "method"
	KindAsyncMethod   Kind = "async_method"
)

// Symbol is a class or a function.
type Symbol struct {
	Name        string // last part of the path, NFKC
	Path        string // dotted: "A.m", "outer.inner"
	Kind        Kind
	Ordinal     int // 1-based among equal paths, in source order
	Of          int // number of symbols with this path
	Statement   *Statement
	Parent      *Symbol // enclosing class or function, nil at top
	NameSpan    Span    // the name in its header
	Conditional bool    // inside if, try, with, for, while or match of its class, function or module
}

// define creates the symbol of a definition whose name is the current token. A statement without a name is not a
// definition.
func (p *parser) define(s *Statement, token TokenKind) {
	l := &p.lex
	if token != Name || IsKeyword(l.text[l.start:l.end]) {
		s.Kind, s.Decorators = Simple, nil
		l.problem(l.start, parsed, "invalid syntax")
		return
	}
	top := p.top()
	if len(p.symbols) == 0 {
		p.symbols = make([]Symbol, max(p.chunk/8, 2))
	}
	symbol := &p.symbols[0]
	p.symbols = p.symbols[1:]
	symbol.Name = Normalize(l.text[l.start:l.end])
	symbol.Kind = kindOf(s, top.symbol)
	symbol.Statement, symbol.Parent = s, top.symbol
	symbol.NameSpan = Span{l.start, l.end}
	symbol.Conditional = top.conditional
	s.Symbol = symbol
	p.file.Symbols = append(p.file.Symbols, symbol)
}

func kindOf(s *Statement, parent *Symbol) Kind {
	inClass := parent != nil && parent.Kind == KindClass
	switch {
	case s.Kind == Class:
		return KindClass
	case inClass && s.Async:
		return KindAsyncMethod
	case inClass:
		return KindMethod
	case s.Async:
		return KindAsyncFunction
	}
	return KindFunction
}

// nameSymbols sets the paths and ordinals.
func nameSymbols(symbols []*Symbol) {
	if len(symbols) == 0 {
		return
	}
	var paths strings.Builder
	paths.Grow(pathBytes(symbols))
	last := make(map[string]*Symbol, len(symbols))
	for _, s := range symbols {
		s.Path = s.Name
		if s.Parent != nil {
			start := paths.Len()
			paths.WriteString(s.Parent.Path)
			paths.WriteByte('.')
			paths.WriteString(s.Name)
			s.Path = paths.String()[start:]
		}
		s.Ordinal = 1
		if before := last[s.Path]; before != nil {
			s.Ordinal = before.Ordinal + 1
		}
		last[s.Path] = s
	}
	for _, s := range symbols {
		s.Of = last[s.Path].Ordinal
	}
}

// pathBytes returns the total length of the paths of nested symbols. It stores the length of each path in Of for
// its children, until Of gets its final value.
func pathBytes(symbols []*Symbol) int {
	total := 0
	for _, s := range symbols {
		s.Of = len(s.Name)
		if s.Parent != nil {
			s.Of += s.Parent.Of + 1
			total += s.Of
		}
	}
	return total
}

// Statements returns every statement of the file at any depth, in source order.
func (f *File) Statements() iter.Seq[*Statement] {
	return func(yield func(*Statement) bool) {
		type level struct {
			body []*Statement
		}
		levels := []level{{f.Body}}
		for len(levels) > 0 {
			top := &levels[len(levels)-1]
			if len(top.body) == 0 {
				levels = levels[:len(levels)-1]
				continue
			}
			s := top.body[0]
			top.body = top.body[1:]
			if !yield(s) {
				return
			}
			if len(s.Body) > 0 {
				levels = append(levels, level{s.Body})
			}
		}
	}
}
