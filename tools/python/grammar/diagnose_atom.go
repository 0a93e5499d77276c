package grammar

// atom reads a name, a literal or something in brackets.
func (d *diagnosis) atom() *node {
	at := d.pos
	switch d.sym() {
	case symName:
		return d.name()
	case symNumber:
		d.pos++
		return d.span(kNumber, at)
	case kwTrue, kwFalse, kwNone, opEllipsis:
		d.pos++
		return d.span(kConstant, at)
	case symString, symFStart:
		return d.strings()
	case opLeftParen:
		return d.first(d.tuple, d.group, d.generator)
	case opLeftBracket:
		return d.first(d.listDisplay, d.listComprehension)
	case opLeftBrace:
		return d.first(d.dict, d.set, d.dictComprehension, d.setComprehension)
	}
	return nil
}

// first gives the first alternative that stands here.
func (d *diagnosis) first(alternatives ...func() *node) *node {
	at := d.pos
	for _, alternative := range alternatives {
		if n := alternative(); n != nil {
			return n
		}
		d.pos = at
	}
	return nil
}

func (d *diagnosis) tuple() *node {
	at := d.pos
	if !d.tok(opLeftParen) {
		return nil
	}
	var items []*node
	d.optional(func() bool {
		first := d.starNamed()
		if first == nil || !d.tok(opComma) {
			return false
		}
		items = append([]*node{first}, d.starNameds()...)
		return true
	})
	if !d.tok(opRightParen) {
		return nil
	}
	return d.span(kTuple, at, items...)
}

func (d *diagnosis) group() *node {
	at := d.pos
	if d.tok(opLeftParen) {
		n := d.first(d.yield, d.namedExpression)
		if n != nil && d.tok(opRightParen) {
			return n
		}
	}
	d.pos = at
	d.try(d.invalidGroup)
	return nil
}

// comprehended reads a comprehension in brackets.
func (d *diagnosis) comprehended(k kind, open, end symbol, element func() *node) *node {
	at := d.pos
	if d.tok(open) && element() != nil && len(d.clauses()) > 0 && d.tok(end) {
		return d.span(k, at)
	}
	d.pos = at
	if k == kDictComp {
		d.try(d.invalidDictComprehension)
	} else {
		d.try(d.invalidComprehension)
	}
	return nil
}

func (d *diagnosis) generator() *node {
	return d.comprehended(kGenerator, opLeftParen, opRightParen, d.assignmentOrUnnamed)
}

func (d *diagnosis) listComprehension() *node {
	return d.comprehended(kListComp, opLeftBracket, opRightBracket, d.namedExpression)
}

func (d *diagnosis) setComprehension() *node {
	return d.comprehended(kSetComp, opLeftBrace, opRightBrace, d.namedExpression)
}

func (d *diagnosis) dictComprehension() *node {
	return d.comprehended(kDictComp, opLeftBrace, opRightBrace, d.pair)
}

func (d *diagnosis) listDisplay() *node {
	at := d.pos
	if !d.tok(opLeftBracket) {
		return nil
	}
	items := d.starNameds()
	if !d.tok(opRightBracket) {
		return nil
	}
	return d.span(kList, at, items...)
}

func (d *diagnosis) set() *node {
	at := d.pos
	if d.tok(opLeftBrace) && len(d.starNameds()) > 0 && d.tok(opRightBrace) {
		return d.span(kSet, at)
	}
	return nil
}

func (d *diagnosis) dict() *node {
	at := d.pos
	if !d.tok(opLeftBrace) {
		return nil
	}
	if len(d.several(opComma, d.item)) > 0 {
		d.tok(opComma)
	}
	if d.tok(opRightBrace) {
		return d.span(kDict, at)
	}
	d.pos = at + 1
	d.invalidItems() // CPython tries this one the first time, too
	return nil
}

// item reads an entry of a dict display.
func (d *diagnosis) item() *node {
	at := d.pos
	if d.tok(opDoubleStar) && d.bitwise() != nil {
		return d.span(kDoubleStar, at)
	}
	d.pos = at
	return d.pair()
}

func (d *diagnosis) pair() *node {
	at := d.pos
	if d.expression() != nil && d.tok(opColon) && d.expression() != nil {
		return d.span(kPair, at)
	}
	return nil
}

// clauses reads the for clauses of a comprehension.
func (d *diagnosis) clauses() []*node { return d.repeat(d.forClause) }

// forClause reads one of them; its child is the last thing in it.
func (d *diagnosis) forClause() *node {
	at := d.pos
	d.tok(kwAsync)
	if d.tok(kwFor) && d.starTargets() != nil && d.tok(kwIn) {
		last := d.disjunction()
		if last == nil {
			return nil
		}
		for {
			end := d.pos
			if !d.tok(kwIf) {
				break
			}
			condition := d.disjunction()
			if condition == nil {
				d.pos = end
				break
			}
			last = condition
		}
		return d.span(kFor, at, last)
	}
	d.pos = at
	if d.minor >= 13 {
		d.try(d.invalidForClause)
	}
	d.try(d.invalidForTarget)
	return nil
}
