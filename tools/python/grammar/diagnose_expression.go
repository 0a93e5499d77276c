package grammar

// expression reads an expression without star and without assignment.
func (d *diagnosis) expression() *node {
	return d.remembered(ruleExpression, func() *node {
		d.try(d.invalidExpression, d.invalidLegacy)
		return d.plainExpression()
	})
}

func (d *diagnosis) plainExpression() *node {
	at := d.pos
	if value := d.disjunction(); value != nil {
		end := d.pos
		if d.tok(kwIf) && d.disjunction() != nil && d.tok(kwElse) && d.expression() != nil {
			return d.span(kIfElse, at)
		}
		d.pos = end
		return value
	}
	d.pos = at
	return d.lambda()
}

// innocent reads an expression without looking for mistakes in it.
func (d *diagnosis) innocent() *node {
	before := d.invalid
	d.invalid = false
	n := d.plainExpression()
	d.invalid = before
	return n
}

func (d *diagnosis) lambda() *node {
	at := d.pos
	if !d.tok(kwLambda) {
		return nil
	}
	d.optional(func() bool { return d.parameters(lambdaParameters) })
	if d.tok(opColon) && d.expression() != nil {
		return d.span(kLambda, at)
	}
	return nil
}

// tupleOf reads items with commas; several, or one with a comma behind it, are a tuple.
func (d *diagnosis) tupleOf(read func() *node) *node {
	at := d.pos
	first := read()
	if first == nil {
		return nil
	}
	end := d.pos
	if !d.tok(opComma) {
		return first
	}
	d.pos = end
	items := []*node{first}
	for {
		end = d.pos
		if !d.tok(opComma) {
			break
		}
		n := read()
		if n == nil {
			d.pos = end
			break
		}
		items = append(items, n)
	}
	d.pos = end
	d.tok(opComma)
	return d.span(kTuple, at, items...)
}

func (d *diagnosis) starExpressions() *node { return d.tupleOf(d.starExpression) }
func (d *diagnosis) expressions() *node     { return d.tupleOf(d.expression) }

func (d *diagnosis) starExpression() *node {
	return d.remembered(ruleStarExpression, func() *node { return d.starOr(d.expression) })
}

func (d *diagnosis) starNamed() *node { return d.starOr(d.namedExpression) }

// starOr reads a star with an operand, or something else.
func (d *diagnosis) starOr(read func() *node) *node {
	at := d.pos
	if d.tok(opStar) {
		if operand := d.bitwise(); operand != nil {
			return d.span(kStar, at, operand)
		}
	}
	d.pos = at
	return read()
}

// starNameds reads elements with commas, the last one of which may have a comma behind it.
func (d *diagnosis) starNameds() []*node {
	list := d.several(opComma, d.starNamed)
	if len(list) > 0 {
		d.tok(opComma)
	}
	return list
}

func (d *diagnosis) assignmentExpression() *node {
	at := d.pos
	if d.tok(symName) && d.tok(opWalrus) && d.expression() != nil {
		return d.span(kWalrus, at)
	}
	return nil
}

func (d *diagnosis) namedExpression() *node {
	at := d.pos
	if n := d.assignmentExpression(); n != nil {
		return n
	}
	d.pos = at
	d.try(d.invalidNamed)
	return d.unnamed()
}

// unnamed reads an expression that no ":=" follows.
func (d *diagnosis) unnamed() *node {
	if n := d.expression(); n != nil && !d.at(opWalrus) {
		return n
	}
	return nil
}

// elementOf reads what a generator expression or an argument begins with.
func (d *diagnosis) assignmentOrUnnamed() *node {
	at := d.pos
	if n := d.assignmentExpression(); n != nil {
		return n
	}
	d.pos = at
	return d.unnamed()
}

func (d *diagnosis) yield() *node {
	at := d.pos
	if !d.tok(kwYield) {
		return nil
	}
	end := d.pos
	if d.tok(kwFrom) && d.expression() != nil {
		return d.span(kYield, at)
	}
	d.pos = end
	if d.starExpressions() == nil {
		d.pos = end
	}
	return d.span(kYield, at)
}

// yieldOrStars reads what may stand behind "=".
func (d *diagnosis) yieldOrStars() *node {
	at := d.pos
	if n := d.yield(); n != nil {
		return n
	}
	d.pos = at
	return d.starExpressions()
}

func (d *diagnosis) disjunction() *node {
	return d.remembered(ruleDisjunction, func() *node { return d.chained(kwOr, d.conjunction) })
}

func (d *diagnosis) conjunction() *node {
	return d.remembered(ruleConjunction, func() *node { return d.chained(kwAnd, d.inversion) })
}

func (d *diagnosis) chained(operator symbol, read func() *node) *node {
	at := d.pos
	list := d.several(operator, read)
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return d.span(kBool, at)
}

func (d *diagnosis) inversion() *node {
	return d.remembered(ruleInversion, func() *node {
		at := d.pos
		if d.tok(kwNot) {
			if d.inversion() != nil {
				return d.span(kNot, at)
			}
			return nil
		}
		return d.comparison()
	})
}

// comparison reads operands with comparisons between them; the flag tells that the first is "in".
func (d *diagnosis) comparison() *node {
	at := d.pos
	first := d.bitwise()
	if first == nil {
		return nil
	}
	operator, many := d.sym(), false
	for {
		end := d.pos
		if !d.compared() {
			d.pos = end
			break
		}
		many = true
	}
	if !many {
		return first
	}
	n := d.span(kCompare, at, first)
	n.flag = operator == kwIn
	return n
}

// compared reads a comparison operator and its right operand.
func (d *diagnosis) compared() bool {
	switch s := d.sym(); {
	case s.comparison(), s == kwIn:
		d.pos++
	case s == kwNot:
		d.pos++
		if !d.tok(kwIn) {
			return false
		}
	case s == kwIs:
		d.pos++
		end := d.pos
		if d.tok(kwNot) {
			if d.bitwise() != nil {
				return true
			}
			d.pos = end
		}
	default:
		return false
	}
	return d.bitwise() != nil
}

// bitwise reads operands with binary operators between them.
func (d *diagnosis) bitwise() *node {
	return d.remembered(ruleBitwise, func() *node {
		at := d.pos
		n := d.factor()
		if n == nil {
			return nil
		}
		for {
			end := d.pos
			if !d.sym().binary() {
				return n
			}
			d.pos++
			if d.factor() == nil {
				d.pos = end
				d.try(d.invalidNot)
				return n
			}
			n = d.span(kBinary, at)
		}
	})
}

func (d *diagnosis) factor() *node {
	return d.remembered(ruleFactor, func() *node {
		at := d.pos
		if d.at(opPlus, opMinus, opTilde) {
			d.pos++
			if d.factor() != nil {
				return d.span(kUnary, at)
			}
			d.pos = at
			d.try(d.invalidUnaryNot)
			return nil
		}
		return d.awaited()
	})
}

func (d *diagnosis) awaited() *node {
	return d.remembered(ruleAwait, func() *node {
		at := d.pos
		if d.tok(kwAwait) {
			if d.primary() != nil {
				return d.span(kAwait, at)
			}
			return nil
		}
		return d.primary()
	})
}
