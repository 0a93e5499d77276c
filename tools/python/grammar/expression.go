package grammar

// starExpressions reads expressions separated by commas. Several of them, or one with a comma after it, form a tuple.
func (p *parser) starExpressions() *node {
	n := p.new(kTuple, p.pos)
	first := p.starExpression()
	if p.sym() != opComma {
		return first
	}
	base := len(p.scratch)
	p.push(first)
	for p.take(opComma) && p.begins() {
		p.push(p.starExpression())
	}
	return p.close(n, base)
}

// begins reports whether the next token can begin an expression.
func (p *parser) begins() bool {
	switch s := p.sym(); s {
	case symName, symNumber, symString, symFStart, kwFalse, kwTrue, kwNone, kwNot, kwLambda, kwAwait,
		opLeftParen, opLeftBracket, opLeftBrace, opEllipsis, opPlus, opMinus, opTilde, opStar:
		return true
	}
	return false
}

// starExpression reads an expression, or a star and its operand.
func (p *parser) starExpression() *node {
	n := p.new(kStar, p.pos)
	if p.take(opStar) {
		return p.with(n, p.bitwise())
	}
	return p.expression()
}

// starNamed is like starExpression but also allows assignment expressions.
func (p *parser) starNamed() *node {
	n := p.new(kStar, p.pos)
	if p.take(opStar) {
		return p.with(n, p.bitwise())
	}
	return p.namedExpression()
}

// namedExpression reads an expression or "name := expression".
func (p *parser) namedExpression() *node {
	if p.sym() != symName || p.peek(1) != opWalrus {
		return p.expression()
	}
	n := p.new(kWalrus, p.pos)
	name := p.name()
	p.pos++
	return p.with(n, name, p.expression())
}

func (p *parser) yield() *node {
	n := p.new(kYield, p.pos)
	p.pos++
	if p.take(kwFrom) {
		return p.with(n, p.expression())
	}
	if !p.begins() {
		return n
	}
	return p.with(n, p.starExpressions())
}

// expression reads one expression other than a starred or a yield expression.
func (p *parser) expression() *node {
	p.enter()
	defer p.leave()
	if p.sym() == kwLambda {
		return p.lambda()
	}
	value := p.disjunction()
	if p.sym() != kwIf {
		return value
	}
	n := p.new(kIfElse, p.pos)
	n.start = value.start
	p.pos++
	condition := p.disjunction()
	p.expect(kwElse)
	return p.with(n, value, condition, p.expression())
}

func (p *parser) lambda() *node {
	n := p.new(kLambda, p.pos)
	p.pos++
	params := p.parameters(opColon, false)
	p.expect(opColon)
	return p.with(n, params, p.expression())
}

// disjunction reads operands joined by "and" and "or".
func (p *parser) disjunction() *node {
	first := p.inversion()
	if p.sym() != kwAnd && p.sym() != kwOr {
		return first
	}
	n := p.new(kBool, p.pos)
	n.start = first.start
	base := len(p.scratch)
	p.push(first)
	for p.take(kwAnd) || p.take(kwOr) {
		p.push(p.inversion())
	}
	return p.close(n, base)
}

func (p *parser) inversion() *node {
	if p.sym() != kwNot {
		return p.comparison()
	}
	p.enter()
	defer p.leave()
	n := p.new(kNot, p.pos)
	p.pos++
	return p.with(n, p.inversion())
}

func (p *parser) comparison() *node {
	first := p.bitwise()
	if !p.comparator() {
		return first
	}
	n := p.new(kCompare, p.pos)
	n.start = first.start
	base := len(p.scratch)
	p.push(first)
	for ok := true; ok; ok = p.comparator() {
		p.push(p.bitwise())
	}
	return p.close(n, base)
}

// comparator reads a comparison operator, if one is next.
func (p *parser) comparator() bool {
	switch s := p.sym(); {
	case s.comparison(), s == kwIn:
		p.pos++
	case s == kwIs:
		p.pos++
		p.take(kwNot)
	case s == kwNot && p.peek(1) == kwIn:
		p.pos += 2
	default:
		return false
	}
	return true
}

// bitwise reads operands joined by binary operators. It ignores their precedence, because all of them accept the
// same operands.
func (p *parser) bitwise() *node {
	first := p.factor()
	if !p.sym().binary() {
		return first
	}
	n := p.new(kBinary, p.pos)
	n.start = first.start
	base := len(p.scratch)
	p.push(first)
	for p.sym().binary() {
		p.pos++
		p.push(p.factor())
	}
	return p.close(n, base)
}

func (p *parser) factor() *node {
	switch p.sym() {
	case opPlus, opMinus, opTilde:
		p.enter()
		defer p.leave()
		n := p.new(kUnary, p.pos)
		p.pos++
		return p.with(n, p.factor())
	case kwAwait:
		n := p.new(kAwait, p.pos)
		p.pos++
		return p.with(n, p.primary())
	}
	return p.primary()
}

// primary reads an atom and the calls, subscripts and attributes that follow it.
func (p *parser) primary() *node {
	base := p.atom()
	switch p.sym() {
	case opDot, opLeftParen, opLeftBracket:
	default:
		return base
	}
	n := p.new(kChain, p.pos)
	n.start = base.start
	from := len(p.scratch)
	p.push(base)
	for {
		switch p.sym() {
		case opDot:
			trailer := p.new(kAttribute, p.pos)
			p.pos++
			trailer.token = int32(p.pos)
			p.expect(symName)
			p.push(p.with(trailer))
		case opLeftParen:
			p.push(p.call(true))
		case opLeftBracket:
			p.push(p.subscript())
		default:
			return p.close(n, from)
		}
	}
}

func (p *parser) subscript() *node {
	n := p.new(kSubscript, p.pos)
	p.pos++
	base := len(p.scratch)
	for {
		p.push(p.slice())
		if !p.take(opComma) || p.sym() == opRightBracket {
			break
		}
	}
	p.expect(opRightBracket)
	return p.close(n, base)
}

// slice reads an index, a slice or a starred index.
func (p *parser) slice() *node {
	n := p.new(kSlice, p.pos)
	if p.sym() == opStar {
		p.since(11)
		p.pos++
		n.kind = kStar
		return p.with(n, p.expression())
	}
	base := len(p.scratch)
	if p.sym() != opColon {
		first := p.namedExpression()
		if p.sym() != opColon {
			return first
		}
		if first.kind == kWalrus && !first.paren {
			p.fail()
		}
		p.push(first)
	}
	p.expect(opColon)
	for i := 0; i < 2; i++ {
		if s := p.sym(); s != opColon && s != opComma && s != opRightBracket {
			p.push(p.expression())
		}
		if i == 1 || !p.take(opColon) {
			break
		}
	}
	return p.close(n, base)
}
