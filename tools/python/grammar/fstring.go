package grammar

import "strings"

// strings reads adjacent string literals. The children are the expressions in replacement fields.
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
			text := p.toks[p.pos].text(p.src)
			seen.add(text)
			if strings.ContainsAny(text, "tT") {
				p.since(14)
			}
			p.pos++
			outer := p.quotes
			p.quotes = strings.TrimLeft(text, "fFrR")
			p.fstring(symFEnd)
			p.quotes = outer
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
	begin := p.pos
	p.push(p.yieldOrExpressions())
	if p.version < 12 {
		p.oldField(begin)
	}
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

// oldField fails if the expression of a replacement field needs Python 3.12 or later.
func (p *parser) oldField(begin int) {
	text := p.src[p.toks[begin].start:p.toks[p.pos-1].end]
	switch {
	case strings.Contains(text, "\\"):
		p.failWith("f-string expression part cannot include a backslash")
	case strings.Contains(text, p.quotes):
		p.failWith("f-string: expecting '}'")
	case p.scratch[len(p.scratch)-1].kind == kStar:
		p.failWith("f-string: cannot use starred expression here")
	}
}

// conversion reads the letter after "!".
func (p *parser) conversion() {
	if t := p.toks[p.pos]; !p.word("r") && !p.word("s") && !p.word("a") || t.start != p.toks[p.pos-1].end {
		p.fail()
	}
	p.pos++
}
