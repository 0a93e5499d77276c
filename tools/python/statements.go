package python

import "slices"

// simples reads the simple statements of a logical line, or the rest of one, from the token that was
// read last on.
func (p *parser) simples(kind StatementKind) {
	l := &p.lex
	for {
		s := p.add(kind, l.start)
		s.End = l.end
		token := p.rest(s)
		if token != Op {
			return
		}
		for token == Op && l.text[l.start] == ';' {
			p.top().semicolon = l.end
			token = l.next()
		}
		if token == Newline || token == endOfText {
			return
		}
		kind = p.inlineKind(token)
	}
}

// inlineKind is the kind of a statement that does not begin its logical line.
func (p *parser) inlineKind(token TokenKind) StatementKind {
	l := &p.lex
	if token != Name {
		return Simple
	}
	word := l.text[l.start:l.end]
	kind := statementKind(word)
	if kind.Compound() || word == "async" {
		l.problem(l.start, parsed, "invalid syntax")
		return Simple
	}
	if word == "type" && l.aliasAhead() {
		return TypeAlias
	}
	return kind
}

// rest reads s through its last token and gives what ends it: Op for a semicolon, else Newline or
// endOfText.
func (p *parser) rest(s *Statement) TokenKind {
	l := &p.lex
	for {
		token := l.next()
		if token == Newline || token == endOfText || token == Op && l.text[l.start] == ';' && len(l.stack) == 0 {
			s.Header = s.Span
			return token
		}
		s.End = l.end
	}
}

// compound reads a compound statement whose keyword was read: the header and a suite on its line.
func (p *parser) compound(s *Statement) {
	l := &p.lex
	s.Header = Span{s.Start, l.end}
	if len(p.marks) > 0 {
		s.Decorators = slices.Clone(p.marks)
		p.marks = p.marks[:0]
	}
	token := l.next()
	star := s.Kind == Except && token == Op && l.text[l.start] == '*'
	if s.Kind == Def || s.Kind == Class {
		p.define(s, token)
	}
	end := p.header(s, token)
	s.End = s.Header.End
	if end == Op && l.text[l.start] == ':' {
		p.suite(s, star)
		return
	}
	l.problem(l.start, parsed, "expected ':'")
	if end == Op { // a semicolon: what follows is no block of this
		p.tail(l.next())
		return
	}
	p.head, p.colon = s, false
}

// suite reads what follows the colon of a header.
func (p *parser) suite(s *Statement, star bool) {
	token := p.lex.next()
	if token == Newline || token == endOfText {
		p.head, p.colon, p.star = s, true, star
		return
	}
	s.Inline = true
	p.push(s, p.top().col, p.top().alt)
	p.tail(token)
	p.pop()
}

// tail reads simple statements that follow something on their line.
func (p *parser) tail(token TokenKind) {
	if token != Newline && token != endOfText {
		p.simples(p.inlineKind(token))
	}
}

// header reads a header through its colon, or up to what ends it before: a semicolon, which like the
// colon is an Op, the Newline or endOfText.
func (p *parser) header(s *Statement, token TokenKind) TokenKind {
	l := &p.lex
	lambdas := 0
	for ; token != Newline && token != endOfText; token = l.next() {
		if len(l.stack) == 0 && l.end > l.start {
			switch c := l.text[l.start]; {
			case token == Name && c == 'l' && l.text[l.start:l.end] == "lambda":
				lambdas++
			case token != Op || l.end != l.start+1:
			case c == ';':
				return Op
			case c == ':' && lambdas > 0:
				lambdas--
			case c == ':':
				s.Header.End = l.end
				return Op
			}
		}
		s.Header.End = l.end
	}
	return token
}

// match reads a line that begins with the word match: a match statement where it ends in its colon.
func (p *parser) match(start int) {
	l := &p.lex
	s := p.add(Simple, start)
	s.Header = Span{start, l.end}
	token := l.next()
	if !l.beginsSubject(token) {
		p.otherwise(s, token)
		return
	}
	end := p.header(s, token)
	s.End = s.Header.End
	if end != Op || l.text[l.start] == ';' {
		p.otherwise(s, end)
		return
	}
	token = l.next()
	if token != Newline && token != endOfText {
		p.otherwise(s, token)
		return
	}
	s.Kind, p.head, p.colon, p.star = Match, s, true, false
}

// otherwise goes on with a simple statement that could have been something else.
func (p *parser) otherwise(s *Statement, token TokenKind) {
	l := &p.lex
	s.End = max(s.End, s.Header.End)
	semicolon := token == Op && l.text[l.start] == ';' && len(l.stack) == 0
	if token != Newline && token != endOfText && !semicolon {
		s.End = l.end
		token = p.rest(s)
	}
	s.Header = s.Span
	if token == Op {
		p.tail(l.next())
	}
}

// beginsSubject tells whether the token that was read can begin the subject of a match.
func (l *lexer) beginsSubject(token TokenKind) bool {
	switch token {
	case Number, String, FStringStart:
		return true
	case Name:
		switch l.text[l.start:l.end] {
		case "and", "or", "in", "is", "if", "else", "for", "as", "async":
			return false
		}
		return true
	case Op:
		switch l.text[l.start] {
		case '(', '[', '{', '-', '+', '~', '*':
			return l.end == l.start+1
		case '.':
			return l.end == l.start+3
		}
	}
	return false
}

// aliasAhead tells whether the word type that was read begins a type alias.
func (l *lexer) aliasAhead() bool {
	ahead := *l
	if ahead.next() != Name || IsKeyword(ahead.text[ahead.start:ahead.end]) {
		return false
	}
	return ahead.next() == Op && (ahead.text[ahead.start] == '[' || ahead.text[ahead.start] == '=')
}
