package grammar

// opensMatch reports whether a match statement begins at the name "match": a
// line that ends with a colon, followed by an indented "case".
func (p *parser) opensMatch() bool {
	switch s := p.peek(1); {
	case s == opAssign, s == opDot, s == opComma, s == opColon, s == symNewline, s.augmented():
		return false
	}
	i := p.pos
	for p.toks[i].sym != symNewline && p.toks[i].sym != symEnd {
		i++
	}
	if i+2 >= len(p.toks) || p.toks[i-1].sym != opColon || p.toks[i].sym != symNewline || p.toks[i+1].sym != symIndent {
		return false
	}
	t := p.toks[i+2]
	return t.sym == symName && p.src[t.start:t.end] == "case"
}

func (p *parser) match(n *node) *node {
	n.kind = kMatch
	base := len(p.scratch)
	p.pos++
	p.push(p.subject())
	p.expect(opColon)
	p.expect(symNewline)
	p.expect(symIndent)
	for p.sym() != symDedent {
		p.push(p.caseClause())
	}
	p.expect(symDedent)
	return p.close(n, base)
}

// subject reads the subject of a match statement.
func (p *parser) subject() *node {
	n := p.new(kTuple, p.pos)
	first := p.starNamed()
	if p.sym() != opComma {
		if first.kind == kStar {
			p.fail()
		}
		return first
	}
	base := len(p.scratch)
	p.push(first)
	for p.take(opComma) && p.sym() != opColon {
		p.push(p.starNamed())
	}
	return p.close(n, base)
}

func (p *parser) caseClause() *node {
	n := p.new(kCase, p.pos)
	if !p.word("case") {
		p.fail()
	}
	p.pos++
	pattern := p.openPattern()
	var guard *node
	if p.take(kwIf) {
		guard = p.namedExpression()
	}
	return p.with(n, pattern, guard, p.block())
}

// openPattern reads the pattern of a case, which may be a sequence without brackets.
func (p *parser) openPattern() *node {
	n := p.new(kPatterns, p.pos)
	first := p.starPattern()
	if p.sym() != opComma {
		if first.flag {
			p.fail()
		}
		return first
	}
	base := len(p.scratch)
	p.push(first)
	for p.take(opComma) && p.sym() != kwIf && p.sym() != opColon {
		p.push(p.starPattern())
	}
	return p.close(n, base)
}

// starPattern reads an element of a sequence pattern. A starred element has its flag set.
func (p *parser) starPattern() *node {
	if !p.take(opStar) {
		return p.pattern()
	}
	n := p.new(kCapture, p.pos)
	n.flag = true
	if p.word("_") {
		n.kind = kMatchWildcard
	}
	p.expect(symName)
	return n
}

// pattern reads alternative patterns and an optional "as" name.
func (p *parser) pattern() *node {
	p.enter()
	defer p.leave()
	n := p.new(kPatterns, p.pos)
	first := p.closedPattern()
	if p.sym() != opBar && p.sym() != kwAs {
		return first
	}
	base := len(p.scratch)
	p.push(first)
	for p.take(opBar) {
		p.push(p.closedPattern())
	}
	if p.take(kwAs) {
		if p.word("_") {
			p.fail()
		}
		p.push(p.capture())
	}
	return p.close(n, base)
}

func (p *parser) capture() *node {
	n := p.new(kCapture, p.pos)
	p.expect(symName)
	switch p.sym() {
	case opDot, opLeftParen, opAssign:
		p.fail()
	}
	return n
}

func (p *parser) closedPattern() *node {
	n := p.new(kMatchValue, p.pos)
	switch p.sym() {
	case symString, symFStart, kwNone, kwTrue, kwFalse:
		return p.with(n, p.atom())
	case symNumber, opMinus, opPlus:
		p.numberPattern()
		return p.with(n)
	case symName:
		return p.namePattern(n)
	case opLeftParen:
		return p.sequencePattern(n, opRightParen)
	case opLeftBracket:
		return p.sequencePattern(n, opRightBracket)
	case opLeftBrace:
		return p.mappingPattern(n)
	}
	p.fail()
	return nil
}

// numberPattern reads a signed or complex number.
func (p *parser) numberPattern() {
	if !p.take(opMinus) {
		p.take(opPlus)
	}
	real := p.toks[p.pos]
	p.expect(symNumber)
	if p.sym() != opPlus && p.sym() != opMinus {
		return
	}
	if p.imaginary(real) || p.peek(1) != symNumber || !p.imaginary(p.toks[p.pos+1]) {
		p.fail()
	}
	p.pos += 2
}

// imaginary reports whether a number token is imaginary.
func (p *parser) imaginary(t token) bool {
	last := p.src[t.end-1]
	return last == 'j' || last == 'J'
}

// namePattern reads a capture, a dotted value or a class pattern.
func (p *parser) namePattern(n *node) *node {
	if next := p.peek(1); next != opDot && next != opLeftParen {
		n.kind = kCapture
		if p.word("_") {
			n.kind = kMatchWildcard
		}
		p.pos++
		if p.sym() == opAssign {
			p.fail()
		}
		return n
	}
	value := p.dotted()
	if p.sym() != opLeftParen {
		if p.sym() == opAssign {
			p.fail()
		}
		return p.with(n, value)
	}
	n.kind = kMatchClass
	base := len(p.scratch)
	p.push(value)
	p.pos++
	keywords := false
	for p.sym() != opRightParen {
		if keyword := p.sym() == symName && p.peek(1) == opAssign; keyword {
			k := p.new(kKeyword, p.pos)
			p.pos += 2
			p.push(p.with(k, p.pattern()))
			keywords = true
		} else {
			if keywords {
				p.fail()
			}
			p.push(p.pattern())
		}
		if !p.take(opComma) {
			break
		}
	}
	p.expect(opRightParen)
	return p.close(n, base)
}

// dotted reads a name or a dotted chain of names.
func (p *parser) dotted() *node {
	n := p.new(kChain, p.pos)
	first := p.name()
	if p.sym() != opDot {
		return first
	}
	base := len(p.scratch)
	p.push(first)
	for p.sym() == opDot {
		trailer := p.new(kAttribute, p.pos)
		p.pos++
		trailer.token = int32(p.pos)
		p.expect(symName)
		p.push(p.with(trailer))
	}
	return p.close(n, base)
}

// sequencePattern reads a sequence in brackets, or a pattern in parentheses.
func (p *parser) sequencePattern(n *node, end symbol) *node {
	n.kind = kPatterns
	p.pos++
	base := len(p.scratch)
	comma := false
	for p.sym() != end {
		item := p.starPattern()
		p.push(item)
		comma = p.take(opComma)
		if !comma {
			if end == opRightParen && item.flag && len(p.scratch) == base+1 {
				p.fail()
			}
			break
		}
	}
	p.expect(end)
	return p.close(n, base)
}

func (p *parser) mappingPattern(n *node) *node {
	n.kind = kMatchMapping
	p.pos++
	base := len(p.scratch)
	for p.sym() != opRightBrace {
		if p.take(opDoubleStar) {
			if p.word("_") {
				p.fail()
			}
			p.push(p.capture())
			p.take(opComma)
			break
		}
		p.push(p.key())
		p.expect(opColon)
		p.push(p.pattern())
		if !p.take(opComma) {
			break
		}
	}
	p.expect(opRightBrace)
	return p.close(n, base)
}

// key reads a key of a mapping pattern: a literal or a dotted name.
func (p *parser) key() *node {
	n := p.new(kMatchValue, p.pos)
	switch p.sym() {
	case symString, symFStart, kwNone, kwTrue, kwFalse:
		return p.with(n, p.atom())
	case symNumber, opMinus, opPlus:
		p.numberPattern()
		return p.with(n)
	}
	value := p.dotted()
	if value.kind == kName {
		p.fail()
	}
	return p.with(n, value)
}
