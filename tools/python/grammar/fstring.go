package grammar

// strings reads string literals that stand side by side. The children are the expressions in
// replacement fields.
func (p *parser) strings(n *node) *node {
	n.kind = kString
	base := len(p.scratch)
	var seen literals
	for {
		switch p.sym() {
		case symString:
			text := p.toks[p.pos].text(p.src)
			if wrong := wrongLiteral(text); wrong != "" {
				p.failWith(wrong)
			}
			seen.add(text)
			p.pos++
		case symFStart:
			seen.add(p.toks[p.pos].text(p.src))
			p.pos++
			p.fstring(symFEnd)
		default:
			if text := seen.mixed(); text != "" {
				p.failWith(text)
			}
			return p.close(n, base)
		}
	}
}

// fstring reads the parts of an f-string, or of a format specification, up to end.
func (p *parser) fstring(end symbol) {
	p.enter()
	defer p.leave()
	for {
		switch p.sym() {
		case symFMiddle:
			p.pos++
		case opLeftBrace:
			p.replacement()
		default:
			p.expect(end)
			return
		}
	}
}

// replacement reads a replacement field.
func (p *parser) replacement() {
	p.pos++
	p.push(p.yieldOrExpressions())
	p.take(opAssign)
	if p.take(opExclamation) {
		p.conversion()
	}
	if p.take(opColon) {
		p.fstring(opRightBrace)
		return
	}
	p.expect(opRightBrace)
}

// conversion reads the letter behind "!".
func (p *parser) conversion() {
	if t := p.toks[p.pos]; !p.word("r") && !p.word("s") && !p.word("a") || t.start != p.toks[p.pos-1].end {
		p.fail()
	}
	p.pos++
}
