package python

import "fmt"

// suite is a block that is being read.
type suite struct {
	owner       *Statement // nil: the module
	symbol      *Symbol    // enclosing class or function
	conditional bool       // inside a compound statement since symbol
	extra       bool       // unexpected indentation; the statements are those of the suite below
	base        int        // index of its first statement in parser.pending
	semicolon   int        // end of the last semicolon behind a statement
	col, alt    int
}

// maxIndents is how many suites CPython allows to be open, the module included.
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

// pop closes the innermost suite: its statements become the owner's body, and the owner ends where the
// last of them does or the semicolon behind it.
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

// keep copies statements into a list of their own.
func (p *parser) keep(list []*Statement) []*Statement {
	if len(p.lists) < len(list) {
		p.lists = make([]*Statement, max(p.chunk, len(list)))
	}
	out := p.lists[:len(list):len(list)]
	p.lists = p.lists[len(list):]
	copy(out, list)
	return out
}

// indent opens and closes suites for a logical line.
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

// unexpected takes a line that is too deep, and those that follow it there, into the suite.
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

// enough opens s unless it would be one suite too many.
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

// dedent closes the suites that are deeper than the line. A line between two suites is taken into the
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

// missingBlock reports a header without a suite at the place where it should have begun.
func (p *parser) missingBlock(head *Statement, offset int) {
	if p.colon && !p.lex.full() {
		text := fmt.Sprintf("expected an indented block after %s on line %d", blockOf(head, p.star), p.lex.lineOf(head.Start))
		p.problem(offset, offset, parsed, IndentationError, text)
	}
}

func (p *parser) problem(offset, found int, stage stage, exception, text string) {
	p.lex.report(Problem{offset, text, exception, stage, found})
}
