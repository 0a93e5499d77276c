package grammar

// atom reads a name, a literal, or a bracketed expression.
func (p *parser) atom() *node {
	n := p.new(kConstant, p.pos)
	switch p.sym() {
	case symName:
		n.kind = kName
	case symNumber:
		n.kind = kNumber
	case kwTrue, kwFalse, kwNone, opEllipsis:
	case symString, symFStart:
		return p.strings(n)
	case opLeftParen:
		return p.parenthesised(n)
	case opLeftBracket:
		return p.listDisplay(n)
	case opLeftBrace:
		return p.braces(n)
	default:
		p.fail()
	}
	p.pos++
	return n
}

// parenthesised reads a tuple, a generator expression or an expression in parentheses.
func (p *parser) parenthesised(n *node) *node {
	p.enter()
	defer p.leave()
	p.pos++
	n.kind = kTuple
	switch p.sym() {
	case opRightParen:
		p.pos++
		return p.with(n)
	case kwYield:
		inner := p.yield()
		p.expect(opRightParen)
		inner.paren = true
		return inner
	}
	first := p.starNamed()
	switch {
	case p.sym() == opComma:
		base := len(p.scratch)
		p.push(first)
		p.more(opRightParen)
		return p.close(n, base)
	case first.kind == kStar && !first.paren:
		p.fail()
	case p.atComprehension():
		n.kind = kGenerator
		return p.comprehension(n, first, opRightParen)
	}
	p.expect(opRightParen)
	first.paren = true
	return first
}

// more pushes the remaining elements and reads the closing bracket.
func (p *parser) more(end symbol) {
	for p.take(opComma) && p.sym() != end {
		p.push(p.starNamed())
	}
	p.expect(end)
}

// atComprehension reports whether a comprehension's "for" begins at the next token.
func (p *parser) atComprehension() bool {
	return p.sym() == kwFor || p.sym() == kwAsync && p.peek(1) == kwFor
}

// comprehension reads the clauses after the first element, and the closing
// bracket.
func (p *parser) comprehension(n, element *node, end symbol) *node {
	base := len(p.scratch)
	p.push(element)
	p.clauses()
	p.expect(end)
	return p.close(n, base)
}

// clauses pushes the for clauses of a comprehension.
func (p *parser) clauses() {
	for p.atComprehension() {
		n := p.new(kFor, p.pos)
		n.flag = p.take(kwAsync)
		p.pos++
		base := len(p.scratch)
		p.push(p.targets())
		p.expect(kwIn)
		p.push(p.disjunction())
		for p.take(kwIf) {
			p.push(p.disjunction())
		}
		p.push(p.close(n, base))
	}
}

func (p *parser) listDisplay(n *node) *node {
	p.enter()
	defer p.leave()
	p.pos++
	n.kind = kList
	if p.take(opRightBracket) {
		return p.with(n)
	}
	first := p.starNamed()
	if p.atComprehension() && first.kind != kStar {
		n.kind = kListComp
		return p.comprehension(n, first, opRightBracket)
	}
	base := len(p.scratch)
	p.push(first)
	p.more(opRightBracket)
	return p.close(n, base)
}

// braces reads a dict, a set, or a dict or set comprehension.
func (p *parser) braces(n *node) *node {
	p.enter()
	defer p.leave()
	p.pos++
	n.kind = kDict
	if p.take(opRightBrace) {
		return p.with(n)
	}
	if p.sym() == opDoubleStar {
		return p.dict(n, nil)
	}
	first := p.starNamed()
	if p.sym() == opColon && first.kind != kStar && (first.kind != kWalrus || first.paren) {
		return p.dict(n, first)
	}
	n.kind = kSet
	if p.atComprehension() && first.kind != kStar {
		n.kind = kSetComp
		return p.comprehension(n, first, opRightBrace)
	}
	base := len(p.scratch)
	p.push(first)
	p.more(opRightBrace)
	return p.close(n, base)
}

// dict reads a dict display whose first key was already read. key is nil if the display begins with "**".
func (p *parser) dict(n, key *node) *node {
	base := len(p.scratch)
	for {
		if key == nil && p.sym() == opDoubleStar {
			star := p.new(kDoubleStar, p.pos)
			p.pos++
			p.push(p.with(star, p.bitwise()))
		} else {
			if key == nil {
				key = p.expression()
			}
			p.expect(opColon)
			p.push(key)
			p.push(p.expression())
		}
		if n.kind == kDict && key != nil && len(p.scratch) == base+2 && p.atComprehension() {
			return p.dictComprehension(n, base)
		}
		key = nil
		if !p.take(opComma) || p.sym() == opRightBrace {
			break
		}
	}
	p.expect(opRightBrace)
	return p.close(n, base)
}

func (p *parser) dictComprehension(n *node, base int) *node {
	pair := p.new(kPair, int(p.scratch[base].token))
	pair.start = p.scratch[base].start
	p.close(pair, base)
	n.kind = kDictComp
	return p.comprehension(n, pair, opRightBrace)
}

// call reads arguments in parentheses. generator allows a bare generator expression, which a class header may not
// have.
func (p *parser) call(generator bool) *node {
	p.enter()
	defer p.leave()
	n := p.new(kCall, p.pos)
	p.pos++
	base := len(p.scratch)
	keywords, doubleStar := false, false
	for first := true; p.sym() != opRightParen; first = false {
		arg := p.argument()
		switch arg.kind {
		case kKeyword:
			keywords = true
		case kDoubleStar:
			doubleStar = true
		case kStar:
			if doubleStar {
				p.fail()
			}
		default:
			if keywords || doubleStar {
				p.fail()
			}
		}
		if p.atComprehension() {
			if !generator || !first || arg.kind == kKeyword || arg.kind == kDoubleStar || arg.kind == kStar {
				p.fail()
			}
			g := p.new(kGenerator, int(arg.token))
			g.start = n.start
			p.push(p.comprehension(g, arg, opRightParen))
			return p.close(n, base)
		}
		p.push(arg)
		if !p.take(opComma) {
			break
		}
	}
	p.expect(opRightParen)
	return p.close(n, base)
}

// argument reads one argument of a call.
func (p *parser) argument() *node {
	n := p.new(kStar, p.pos)
	switch {
	case p.take(opStar):
		return p.with(n, p.expression())
	case p.take(opDoubleStar):
		n.kind = kDoubleStar
		return p.with(n, p.expression())
	case p.sym() == symName && p.peek(1) == opAssign:
		n.kind = kKeyword
		p.pos += 2
		return p.with(n, p.expression())
	}
	return p.namedExpression()
}
