package python

import (
	"fmt"
	"slices"
)

// simples reads the simple statements of the rest of a logical line, starting with the current token.
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

// inlineKind returns the kind of a statement that does not begin its logical line.
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

// rest reads s through its last token and returns the token that ends it: Op for a semicolon, otherwise Newline
// or endOfText.
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

// compound reads a compound statement after its keyword: the header, and a suite on the same line if there is one.
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
	if end == Op { // the text after a semicolon is not its block
		p.tail(l.next())
		return
	}
	p.head, p.colon = s, false
}

// suite reads the text after the colon of a header.
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

// tail reads simple statements that follow other code on the line.
func (p *parser) tail(token TokenKind) {
	if token != Newline && token != endOfText {
		p.simples(p.inlineKind(token))
	}
}

// header reads a header through its colon, or up to the token that ends it early: a semicolon, which is an Op
// like the colon, or Newline or endOfText.
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

// match reads a line that begins with the word match. It is a match statement if it ends with a colon.
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

// otherwise continues with a simple statement that could also have begun another kind of statement.
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

// beginsSubject reports whether the current token can begin the subject of a match.
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

// aliasAhead reports whether the word "type" just read begins a type alias.
func (l *lexer) aliasAhead() bool {
	ahead := *l
	if ahead.next() != Name || IsKeyword(ahead.text[ahead.start:ahead.end]) {
		return false
	}
	return ahead.next() == Op && (ahead.text[ahead.start] == '[' || ahead.text[ahead.start] == '=')
}

// suite is a block that is being read.
type suite struct {
	owner       *Statement // nil for the module
	symbol      *Symbol    // enclosing class or function
	conditional bool       // inside a compound statement below symbol
	extra       bool       // unexpected indentation; the statements belong to the suite below it
	base        int        // index of its first statement in parser.pending
	semicolon   int        // end of the last semicolon that follows a statement
	col, alt    int
}

// maxIndents is the number of open suites that CPython allows, including the module.
const maxIndents = 100

func (p *parser) top() *suite { return &p.suites[len(p.suites)-1] }

// push opens the suite of a compound statement.
func (p *parser) push(owner *Statement, col, alt int) {
	top := p.top()
	s := suite{owner: owner, symbol: top.symbol, conditional: true, base: len(p.pending), col: col, alt: alt}
	if owner.Symbol != nil {
		s.symbol, s.conditional = owner.Symbol, false
	}
	p.suites = append(p.suites, s)
}

// pop closes the innermost suite: its statements become the owner's body. The owner ends where the last of them
// does, or at the semicolon after it.
func (p *parser) pop() {
	p.orphans()
	s := *p.top()
	p.suites = p.suites[:len(p.suites)-1]
	if s.extra {
		p.top().semicolon = s.semicolon
		return
	}
	if len(p.pending) == s.base {
		return
	}
	body := p.keep(p.pending[s.base:])
	p.pending = p.pending[:s.base]
	if s.owner == nil {
		p.file.Body = body
		return
	}
	s.owner.Body, s.owner.End = body, max(body[len(body)-1].End, s.semicolon)
}

// keep copies statements into a separate list.
func (p *parser) keep(list []*Statement) []*Statement {
	if len(p.lists) < len(list) {
		p.lists = make([]*Statement, max(p.chunk, len(list)))
	}
	out := p.lists[:len(list):len(list)]
	p.lists = p.lists[len(list):]
	copy(out, list)
	return out
}

// indent opens and closes suites as a logical line requires.
func (p *parser) indent(in indentation) {
	top, head := p.top(), p.head
	p.head = nil
	if head != nil && in.col > top.col {
		p.enter(head, in)
		return
	}
	if in.col != top.col {
		p.orphans()
	}
	p.deep = p.deep && in.col > top.col
	place := in.first
	switch {
	case in.col > top.col:
		p.unexpected(in)
		return
	case in.col < top.col:
		place = max(in.first-1, in.line)
		p.dedent(in)
		top = p.top()
	}
	if in.col == top.col && in.alt != top.alt {
		p.tabs(in)
	}
	if head != nil {
		p.missingBlock(head, place)
	}
}

// unexpected reports a line that is indented too deeply, and opens an extra suite for it and the lines that follow.
func (p *parser) unexpected(in indentation) {
	if p.deep {
		return
	}
	if in.alt <= p.top().alt {
		p.tabs(in)
	}
	p.problem(max(in.first-1, 0), in.first, indented, IndentationError, "unexpected indent")
	extra := *p.top()
	extra.extra, extra.col, extra.alt = true, in.col, in.alt
	p.enough(extra, in)
}

// enter opens the indented suite of head.
func (p *parser) enter(head *Statement, in indentation) {
	if in.alt <= p.top().alt {
		p.tabs(in)
	}
	p.push(head, in.col, in.alt)
	s := *p.top()
	p.suites = p.suites[:len(p.suites)-1]
	p.enough(s, in)
}

// enough opens s unless that would exceed the nesting limit.
func (p *parser) enough(s suite, in indentation) {
	if len(p.suites) < maxIndents {
		p.suites = append(p.suites, s)
		return
	}
	if !p.deep {
		p.problem(in.line, in.first, stopped, IndentationError, "too many levels of indentation")
	}
	p.deep = true
}

// dedent closes the suites that are deeper than the line. A line between the levels of two suites is added to the
// inner one.
func (p *parser) dedent(in indentation) {
	for len(p.suites) > 1 && in.col < p.top().col {
		if in.col > p.suites[len(p.suites)-2].col {
			at := p.lex.lineEnd(in.first)
			p.problem(at, in.first, stopped, IndentationError, "unindent does not match any outer indentation level")
			p.top().col, p.top().alt = in.col, in.alt
			return
		}
		p.pop()
	}
}

func (p *parser) tabs(in indentation) {
	p.problem(in.line, in.first, stopped, TabError, "inconsistent use of tabs and spaces in indentation")
}

// missingBlock reports a header without a suite, at the position where the suite should begin.
func (p *parser) missingBlock(head *Statement, offset int) {
	if p.colon && !p.lex.full() {
		text := fmt.Sprintf("expected an indented block after %s on line %d", blockOf(head, p.star), p.lex.lineOf(head.Start))
		p.problem(offset, offset, parsed, IndentationError, text)
	}
}

func (p *parser) problem(offset, found int, stage stage, exception, text string) {
	p.lex.report(Problem{offset, text, exception, stage, found})
}
