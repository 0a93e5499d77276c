package grammar

// primary reads an atom with trailers.
func (d *diagnosis) primary() *node {
	return d.remembered(rulePrimary, func() *node {
		at := d.pos
		n := d.atom()
		if n == nil {
			return nil
		}
		for {
			end := d.pos
			next := d.trailer(at)
			if next == nil {
				d.pos = end
				return n
			}
			n = next
		}
	})
}

// trailer reads what may follow a primary that began at a token. A generator expression counts as
// one, and so do the mistakes that look like one.
func (d *diagnosis) trailer(at int) *node {
	here := d.pos
	if d.sym() != opDot {
		if d.generator() != nil {
			return d.span(kCall, at)
		}
		d.pos = here
	}
	switch d.sym() {
	case opDot:
		return d.attributeTrailer(at)
	case opLeftParen:
		return d.callTrailer(at)
	case opLeftBracket:
		return d.indexTrailer(at)
	}
	return nil
}

func (d *diagnosis) attributeTrailer(at int) *node {
	if d.tok(opDot) && d.tok(symName) {
		return d.span(kAttribute, at)
	}
	return nil
}

func (d *diagnosis) callTrailer(at int) *node {
	if d.tok(opLeftParen) && d.optional(func() bool { return d.arguments() != nil }) && d.tok(opRightParen) {
		return d.span(kCall, at)
	}
	return nil
}

func (d *diagnosis) indexTrailer(at int) *node {
	if d.tok(opLeftBracket) && d.slices() && d.tok(opRightBracket) {
		return d.span(kSubscript, at)
	}
	return nil
}

func (d *diagnosis) slices() bool {
	at := d.pos
	if d.slice() != nil && !d.at(opComma) {
		return true
	}
	d.pos = at
	list := d.several(opComma, func() *node {
		here := d.pos
		if n := d.slice(); n != nil {
			return n
		}
		d.pos = here
		return d.starred()
	})
	if len(list) == 0 {
		return false
	}
	d.tok(opComma)
	return true
}

func (d *diagnosis) slice() *node {
	at := d.pos
	if d.expression() == nil {
		d.pos = at
	}
	if d.tok(opColon) {
		d.part()
		end := d.pos
		if d.tok(opColon) {
			d.part()
		} else {
			d.pos = end
		}
		return d.span(kSlice, at)
	}
	d.pos = at
	return d.namedExpression()
}

// part reads an expression that may be missing.
func (d *diagnosis) part() {
	at := d.pos
	if d.expression() == nil {
		d.pos = at
	}
}
