package grammar

func (d *diagnosis) starTargets() *node {
	at := d.pos
	first := d.starTarget()
	if first == nil {
		return nil
	}
	if !d.at(opComma) {
		return first
	}
	d.pos = at
	d.several(opComma, d.starTarget)
	d.tok(opComma)
	return d.span(kTuple, at)
}

func (d *diagnosis) starTarget() *node {
	return d.remembered(ruleStarTarget, func() *node {
		at := d.pos
		if d.tok(opStar) {
			if !d.at(opStar) && d.starTarget() != nil {
				return d.span(kStar, at)
			}
			d.pos = at
		}
		return d.target()
	})
}

// target reads an attribute, an index or an atom to store to.
func (d *diagnosis) target() *node {
	return d.remembered(ruleTarget, func() *node { return d.first(d.attributeOrIndex, d.targetAtom) })
}

// attributeOrIndex reads a target that ends with an attribute or an index.
func (d *diagnosis) attributeOrIndex() *node {
	at := d.pos
	if d.targetPrimary() == nil {
		return nil
	}
	end := d.pos
	if d.tok(opDot) && d.tok(symName) && !d.at(opLeftParen, opLeftBracket, opDot) {
		return d.span(kAttribute, at)
	}
	d.pos = end
	if d.tok(opLeftBracket) && d.slices() && d.tok(opRightBracket) && !d.at(opLeftParen, opLeftBracket, opDot) {
		return d.span(kSubscript, at)
	}
	return nil
}

// targetPrimary reads a primary behind which another trailer follows.
func (d *diagnosis) targetPrimary() *node {
	return d.remembered(ruleTargetPrimary, func() *node {
		at := d.pos
		n := d.atom()
		if n == nil || !d.at(opLeftParen, opLeftBracket, opDot) {
			return nil
		}
		for {
			end := d.pos
			next := d.targetTrailer(at)
			if next == nil {
				d.pos = end
				return n
			}
			n = next
		}
	})
}

// targetTrailer is trailer for what another trailer follows.
func (d *diagnosis) targetTrailer(at int) *node {
	for _, read := range []func(int) *node{d.attributeTrailer, d.indexTrailer, func(int) *node { return d.generator() }, d.callTrailer} {
		end := d.pos
		if n := read(at); n != nil && d.at(opLeftParen, opLeftBracket, opDot) {
			return d.span(kCall, at)
		}
		d.pos = end
	}
	return nil
}

func (d *diagnosis) targetAtom() *node {
	at := d.pos
	if n := d.name(); n != nil {
		return n
	}
	d.pos = at
	if d.tok(opLeftParen) && d.target() != nil && d.tok(opRightParen) {
		return d.span(kName, at)
	}
	d.pos = at
	if d.tok(opLeftParen) {
		d.optional(d.tupleTargets)
		if d.tok(opRightParen) {
			return d.span(kTuple, at)
		}
	}
	d.pos = at
	if d.tok(opLeftBracket) {
		if len(d.several(opComma, d.starTarget)) > 0 {
			d.tok(opComma)
		}
		if d.tok(opRightBracket) {
			return d.span(kList, at)
		}
	}
	return nil
}

// tupleTargets reads several targets, or one with a comma behind it.
func (d *diagnosis) tupleTargets() bool {
	list := d.several(opComma, d.starTarget)
	return len(list) > 0 && d.tok(opComma) || len(list) > 1
}

func (d *diagnosis) singleTarget() *node {
	return d.first(d.attributeOrIndex, d.name, func() *node {
		at := d.pos
		if d.tok(opLeftParen) && d.singleTarget() != nil && d.tok(opRightParen) {
			return d.span(kName, at)
		}
		return nil
	})
}

func (d *diagnosis) delTargets() []*node {
	list := d.several(opComma, d.delTarget)
	if len(list) > 0 {
		d.tok(opComma)
	}
	return list
}

func (d *diagnosis) delTarget() *node {
	return d.remembered(ruleDelTarget, func() *node {
		return d.first(d.attributeOrIndex, d.name, func() *node {
			at := d.pos
			if d.tok(opLeftParen) && d.delTarget() != nil && d.tok(opRightParen) {
				return d.span(kName, at)
			}
			return nil
		}, func() *node {
			at := d.pos
			if d.tok(opLeftParen) {
				d.delTargets()
				if d.tok(opRightParen) {
					return d.span(kTuple, at)
				}
			}
			d.pos = at
			if d.tok(opLeftBracket) {
				d.delTargets()
				if d.tok(opRightBracket) {
					return d.span(kList, at)
				}
			}
			return nil
		})
	})
}

// use says what a target is for.
type use uint8

const (
	forAssignment use = iota
	forLoop
	forDelete
)

// wrongTarget finds the piece of an expression that cannot be a target; nil for none.
func wrongTarget(n *node, u use) *node {
	switch n.kind {
	case kTuple, kList:
		for _, kid := range n.kids {
			if wrong := wrongTarget(kid, u); wrong != nil {
				return wrong
			}
		}
		return nil
	case kStar:
		if u == forDelete {
			return n
		}
		return wrongTarget(n.kids[0], u)
	case kCompare:
		if u == forLoop {
			if n.flag {
				return wrongTarget(n.kids[0], u)
			}
			return nil
		}
	case kName, kSubscript, kAttribute:
		return nil
	}
	return n
}

// raiseTarget raises an error if an expression cannot be a target.
func (d *diagnosis) raiseTarget(n *node, u use) {
	wrong := wrongTarget(n, u)
	if wrong == nil {
		return
	}
	verb := "cannot assign to "
	if u == forDelete {
		verb = "cannot delete "
	}
	d.raiseAt(wrong, verb+d.describe(wrong))
}

// describe names what an expression is, as CPython does.
func (d *diagnosis) describe(n *node) string {
	switch n.kind {
	case kAttribute:
		return "attribute"
	case kSubscript:
		return "subscript"
	case kStar:
		return "starred"
	case kName:
		return "name"
	case kList:
		return "list"
	case kTuple:
		return "tuple"
	case kLambda:
		return "lambda"
	case kCall:
		return "function call"
	case kGenerator:
		return "generator expression"
	case kYield:
		return "yield expression"
	case kAwait:
		return "await expression"
	case kListComp:
		return "list comprehension"
	case kSetComp:
		return "set comprehension"
	case kDictComp:
		return "dict comprehension"
	case kDict:
		return "dict literal"
	case kSet:
		return "set display"
	case kCompare:
		return "comparison"
	case kIfElse:
		return "conditional expression"
	case kWalrus:
		return "named expression"
	case kNumber:
		return "literal"
	case kString:
		return d.describeString(n)
	case kConstant:
		if text := d.text(int(n.token)); text != "..." {
			return text
		}
		return "ellipsis"
	}
	return "expression"
}

func (d *diagnosis) describeString(n *node) string {
	for i := int(n.token); d.toks[i].start < n.end; i++ {
		if d.toks[i].sym == symFStart {
			if d.text(i)[0]|0x20 == 't' {
				return "t-string expression"
			}
			return "f-string expression"
		}
	}
	return "literal"
}
