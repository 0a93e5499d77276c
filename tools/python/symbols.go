package python

import "strings"

// define makes the symbol of a definition whose name is the token that was read. Without a name it is
// no definition.
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

// pathBytes is how many bytes the paths of nested symbols take together. The length of each is kept in
// Of for its children, until Of gets its value.
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
