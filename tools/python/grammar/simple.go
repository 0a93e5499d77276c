package grammar

// simple reads one simple statement.
func (p *parser) simple() *node {
	n := p.new(kWord, p.pos)
	switch p.sym() {
	case kwPass, kwBreak, kwContinue:
		p.pos++
		return n
	case kwReturn:
		n.kind = kReturn
		p.pos++
		if p.ends() {
			return n
		}
		return p.with(n, p.starExpressions())
	case kwRaise:
		return p.raise(n)
	case kwGlobal, kwNonlocal:
		return p.declaration(n)
	case kwDel:
		return p.delete(n)
	case kwAssert:
		return p.assert(n)
	case kwImport:
		return p.importNames(n)
	case kwFrom:
		return p.importFrom(n)
	case symName:
		if p.version >= 12 && p.word("type") && p.peek(1) == symName && (p.peek(2) == opAssign ||
			p.peek(2) == opLeftBracket) {
			return p.typeAlias(n)
		}
	}
	return p.expressionStatement(n)
}

// ends reports whether a simple statement ends before the next token.
func (p *parser) ends() bool {
	s := p.sym()
	return s == symNewline || s == opSemicolon
}

func (p *parser) raise(n *node) *node {
	n.kind = kRaise
	p.pos++
	if p.ends() {
		return n
	}
	base := len(p.scratch)
	p.push(p.expression())
	if p.take(kwFrom) {
		p.push(p.expression())
	}
	return p.close(n, base)
}

func (p *parser) declaration(n *node) *node {
	n.kind = kGlobal
	if p.sym() == kwNonlocal {
		n.kind = kNonlocal
	}
	p.pos++
	base := len(p.scratch)
	for ok := true; ok; ok = p.take(opComma) {
		p.push(p.name())
	}
	return p.close(n, base)
}

func (p *parser) delete(n *node) *node {
	n.kind = kDelete
	p.pos++
	base := len(p.scratch)
	for {
		target := p.bitwise()
		if !deletable(target) {
			p.fail()
		}
		p.push(target)
		if !p.take(opComma) || p.ends() {
			break
		}
	}
	if !p.ends() {
		p.fail()
	}
	return p.close(n, base)
}

func (p *parser) assert(n *node) *node {
	n.kind = kAssert
	p.pos++
	base := len(p.scratch)
	p.push(p.expression())
	if p.take(opComma) {
		p.push(p.expression())
	}
	return p.close(n, base)
}

func (p *parser) importNames(n *node) *node {
	n.kind = kImport
	p.pos++
	base := len(p.scratch)
	for ok := true; ok; ok = p.take(opComma) {
		alias := p.new(kAlias, p.pos)
		p.push(p.alias(alias, p.path()))
	}
	return p.close(n, base)
}

// alias reads an optional "as name" after an imported name.
func (p *parser) alias(n, what *node) *node {
	if p.take(kwAs) {
		return p.with(n, what, p.name())
	}
	return p.with(n, what)
}

// path reads a dotted name.
func (p *parser) path() *node {
	n := p.new(kPath, p.pos)
	base := len(p.scratch)
	for ok := true; ok; ok = p.take(opDot) {
		p.push(p.name())
	}
	return p.close(n, base)
}

func (p *parser) importFrom(n *node) *node {
	n.kind = kImportFrom
	p.pos++
	base := len(p.scratch)
	dots := false
	for p.take(opDot) || p.take(opEllipsis) {
		dots = true
	}
	if dots && p.sym() == kwImport {
		p.push(p.new(kPath, p.pos))
	} else {
		p.push(p.path())
	}
	p.expect(kwImport)
	n.token = -1
	switch {
	case p.sym() == opStar:
		n.token = int32(p.pos)
		p.pos++
	case p.take(opLeftParen):
		p.importedNames(true)
		p.expect(opRightParen)
	default:
		p.importedNames(false)
	}
	return p.close(n, base)
}

// importedNames reads "a, b as c". A trailing comma is allowed only in parentheses.
func (p *parser) importedNames(paren bool) {
	for {
		n := p.new(kAlias, p.pos)
		p.push(p.alias(n, p.name()))
		if !p.take(opComma) || paren && p.sym() == opRightParen {
			return
		}
	}
}

func (p *parser) typeAlias(n *node) *node {
	n.kind = kTypeAlias
	p.pos++
	name := p.name()
	params := p.typeParameters()
	p.expect(opAssign)
	return p.with(n, name, params, p.expression())
}

// expressionStatement reads an expression or an assignment of any form.
func (p *parser) expressionStatement(n *node) *node {
	first := p.yieldOrExpressions()
	switch s := p.sym(); {
	case s == opAssign:
		return p.assignment(n, first)
	case s.augmented():
		if !single(first) {
			p.fail()
		}
		p.pos++
		n.kind = kAugmented
		return p.with(n, first, p.yieldOrExpressions())
	case s == opColon:
		return p.annotated(n, first)
	}
	n.kind = kExpressionStatement
	return p.with(n, first)
}

func (p *parser) assignment(n, first *node) *node {
	n.kind = kAssign
	base := len(p.scratch)
	value := first
	for p.sym() == opAssign {
		if !assignable(value) {
			p.fail()
		}
		p.pos++
		p.push(value)
		value = p.yieldOrExpressions()
	}
	p.push(value)
	return p.close(n, base)
}

func (p *parser) annotated(n, target *node) *node {
	if !single(target) {
		p.fail()
	}
	n.kind = kAnnotated
	p.pos++
	base := len(p.scratch)
	p.push(target)
	p.push(p.expression())
	if p.take(opAssign) {
		p.push(p.yieldOrExpressions())
	}
	return p.close(n, base)
}

// yieldOrExpressions reads the right side of an assignment.
func (p *parser) yieldOrExpressions() *node {
	if p.sym() == kwYield {
		return p.yield()
	}
	return p.starExpressions()
}
