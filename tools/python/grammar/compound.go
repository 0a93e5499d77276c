package grammar

// compoundOrSimple reads a statement including its line end.
func (p *parser) compoundOrSimple() *node {
	n := p.new(kInvalid, p.pos)
	switch p.sym() {
	case kwIf:
		return p.ifStatement(n)
	case kwWhile:
		return p.while(n)
	case kwFor:
		return p.forLoop(n)
	case kwTry:
		return p.try(n)
	case kwWith:
		return p.withStatement(n)
	case kwDef:
		return p.function(n, nil)
	case kwClass:
		return p.class(n, nil)
	case opAt:
		return p.decorated(n)
	case kwAsync:
		return p.async(n)
	case symName:
		if p.version >= 10 && p.word("match") && p.opensMatch() {
			return p.match(n)
		}
	}
	return p.simpleStatements()
}

func (p *parser) async(n *node) *node {
	p.pos++
	n.flag = true
	switch p.sym() {
	case kwDef:
		return p.function(n, nil)
	case kwFor:
		return p.forLoop(n)
	case kwWith:
		return p.withStatement(n)
	}
	p.fail()
	return nil
}

func (p *parser) ifStatement(n *node) *node {
	n.kind = kIf
	base := len(p.scratch)
	p.pos++
	p.push(p.namedExpression())
	p.push(p.block())
	for p.sym() == kwElif {
		clause := p.new(kElif, p.pos)
		p.pos++
		condition := p.namedExpression()
		p.push(p.with(clause, condition, p.block()))
	}
	p.elseClause()
	return p.close(n, base)
}

// elseClause pushes an else clause, if there is one.
func (p *parser) elseClause() {
	if p.sym() == kwElse {
		p.push(p.clause(kElse))
	}
}

// clause reads a clause that consists of a keyword and a block.
func (p *parser) clause(k kind) *node {
	n := p.new(k, p.pos)
	p.pos++
	return p.with(n, p.block())
}

func (p *parser) while(n *node) *node {
	n.kind = kWhile
	base := len(p.scratch)
	p.pos++
	p.push(p.namedExpression())
	p.push(p.block())
	p.elseClause()
	return p.close(n, base)
}

func (p *parser) forLoop(n *node) *node {
	n.kind = kForLoop
	base := len(p.scratch)
	p.pos++
	p.push(p.targets())
	p.expect(kwIn)
	p.push(p.starExpressions())
	p.push(p.block())
	p.elseClause()
	return p.close(n, base)
}

func (p *parser) try(n *node) *node {
	n.kind = kTry
	base := len(p.scratch)
	p.pos++
	p.push(p.block())
	star := p.version >= 11 && p.sym() == kwExcept && p.peek(1) == opStar
	handled := false
	for p.sym() == kwExcept {
		p.push(p.except(star))
		handled = true
	}
	if handled {
		p.elseClause()
	}
	if p.sym() == kwFinally {
		p.push(p.clause(kFinally))
	} else if !handled {
		p.fail()
	}
	return p.close(n, base)
}

// except reads a handler. Several types without parentheses need Python 3.14.
func (p *parser) except(star bool) *node {
	n := p.new(kExcept, p.pos)
	base := len(p.scratch)
	p.pos++
	if p.take(opStar) != star {
		p.pos--
		p.fail()
	}
	var as *node
	if p.sym() != opColon || star {
		p.push(p.expression())
		switch {
		case p.take(kwAs):
			as = p.name()
		default:
			for p.sym() == opComma {
				p.since(14)
				if p.pos++; p.sym() == opColon {
					break
				}
				p.push(p.expression())
			}
		}
	}
	p.push(as)
	p.push(p.block())
	return p.close(n, base)
}

func (p *parser) withStatement(n *node) *node {
	n.kind = kWith
	base := len(p.scratch)
	p.pos++
	if p.parenthesisedItems() {
		p.expect(opLeftParen)
		p.items(opRightParen)
		p.expect(opRightParen)
	} else {
		p.items(opColon)
	}
	p.push(p.block())
	return p.close(n, base)
}

// parenthesisedItems reports whether the next token opens a parenthesis around all items: a colon follows it, and
// it directly contains an "as".
func (p *parser) parenthesisedItems() bool {
	if p.sym() != opLeftParen || p.version < 9 {
		return false
	}
	level, as := 0, false
	for i := p.pos; ; i++ {
		switch p.toks[i].sym {
		case opLeftParen, opLeftBracket, opLeftBrace:
			level++
		case opRightParen, opRightBracket, opRightBrace:
			if level--; level == 0 {
				return as && p.peek(i+1-p.pos) == opColon
			}
		case kwAs:
			as = as || level == 1
		case symNewline, symEnd:
			return false
		}
	}
}

// items reads the items of a with statement. A trailing comma is allowed only in parentheses.
func (p *parser) items(end symbol) {
	for {
		n := p.new(kItem, p.pos)
		base := len(p.scratch)
		p.push(p.expression())
		if p.take(kwAs) {
			p.push(p.target())
		}
		p.push(p.close(n, base))
		if !p.take(opComma) || end == opRightParen && p.sym() == end {
			return
		}
	}
}

func (p *parser) decorated(n *node) *node {
	decorators := p.new(kDecorators, p.pos)
	base := len(p.scratch)
	for p.take(opAt) {
		p.push(p.namedExpression())
		p.expect(symNewline)
	}
	p.close(decorators, base)
	switch p.sym() {
	case kwDef:
		return p.function(n, decorators)
	case kwClass:
		return p.class(n, decorators)
	case kwAsync:
		n.flag = true
		p.pos++
		if p.sym() == kwDef {
			return p.function(n, decorators)
		}
	}
	p.fail()
	return nil
}

func (p *parser) function(n, decorators *node) *node {
	n.kind = kFunction
	p.pos++
	n.token = int32(p.pos)
	p.expect(symName)
	base := len(p.scratch)
	p.push(decorators)
	p.push(p.typeParameters())
	p.expect(opLeftParen)
	p.push(p.parameters(opRightParen, true))
	p.expect(opRightParen)
	var result *node
	if p.take(opArrow) {
		result = p.expression()
	}
	p.push(result)
	p.push(p.block())
	return p.close(n, base)
}

func (p *parser) class(n, decorators *node) *node {
	n.kind = kClass
	p.pos++
	n.token = int32(p.pos)
	p.expect(symName)
	base := len(p.scratch)
	p.push(decorators)
	p.push(p.typeParameters())
	var bases *node
	if p.sym() == opLeftParen {
		bases = p.call(false)
	}
	p.push(bases)
	p.push(p.block())
	return p.close(n, base)
}

// typeParameters reads "[T, *Ts, **P]". It returns nil if there are none.
func (p *parser) typeParameters() *node {
	n := p.new(kTypeParameters, p.pos)
	if p.sym() != opLeftBracket {
		return nil
	}
	p.since(12)
	p.pos++
	base := len(p.scratch)
	for {
		p.push(p.typeParameter())
		if !p.take(opComma) || p.sym() == opRightBracket {
			break
		}
	}
	p.expect(opRightBracket)
	return p.close(n, base)
}

func (p *parser) typeParameter() *node {
	n := p.new(kTypeParameter, p.pos)
	star := p.take(opStar)
	double := !star && p.take(opDoubleStar)
	n.flag = star || double
	n.token = int32(p.pos)
	p.expect(symName)
	var bound, value *node
	if !n.flag && p.take(opColon) {
		bound = p.expression()
	}
	if p.sym() == opAssign {
		p.since(13)
		p.pos++
		if star {
			value = p.starExpression()
		} else {
			value = p.expression()
		}
	}
	return p.with(n, bound, value)
}
