package grammar

// simple reads a simple statement.
func (d *diagnosis) simple() *node {
	return d.remembered(ruleSimple, func() *node {
		at := d.pos
		if d.assignment() {
			return d.yes
		}
		d.pos = at
		if d.minor >= 12 && d.sym() == symName && d.text(at) == "type" {
			if d.typeAlias() {
				return d.yes
			}
			d.pos = at
		}
		if d.starExpressions() != nil {
			return d.yes
		}
		d.pos = at
		return d.ok(d.simpleWord())
	})
}

// simpleWord reads a statement that begins with a keyword.
func (d *diagnosis) simpleWord() bool {
	at := d.pos
	switch d.sym() {
	case kwReturn:
		d.pos++
		return d.optional(func() bool { return d.starExpressions() != nil })
	case kwImport, kwFrom:
		d.try(d.invalidImport)
		return d.importNames() || d.back(at) && d.importFrom()
	case kwRaise:
		return d.raiseStatement()
	case kwPass, kwBreak, kwContinue:
		d.pos++
		return true
	case kwDel:
		if d.tok(kwDel) && len(d.delTargets()) > 0 && d.at(opSemicolon, symNewline) {
			return true
		}
		d.pos = at
		d.try(func() {
			d.pos++
			if a := d.starExpressions(); a != nil {
				d.raiseTarget(a, forDelete)
			}
		})
	case kwYield:
		return d.yield() != nil
	case kwAssert:
		if d.minor >= 14 {
			d.try(d.invalidAssert)
		}
		d.pos++
		return d.expression() != nil && d.optional(func() bool { return d.tok(opComma) && d.expression() != nil })
	case kwGlobal, kwNonlocal:
		d.pos++
		return len(d.several(opComma, d.name)) > 0
	}
	return false
}

func (d *diagnosis) raiseStatement() bool {
	at := d.pos
	if d.minor >= 14 {
		d.try(func() {
			a := d.leaf(kwRaise)
			if b := d.leaf(kwFrom); b != nil {
				d.raiseRange(a, b, "did you forget an expression between 'raise' and 'from'?")
			}
			if d.expression() == nil {
				return
			}
			if b := d.leaf(kwFrom); b != nil && d.expression() == nil {
				d.raiseAt(b, "did you forget an expression after 'from'?")
			}
		})
	}
	d.pos = at + 1
	return d.optional(func() bool {
		return d.expression() != nil && d.optional(func() bool { return d.tok(kwFrom) && d.expression() != nil })
	})
}

func (d *diagnosis) invalidAssert() {
	d.pos++
	a := d.expression()
	if a == nil {
		return
	}
	for range 2 {
		end := d.pos
		if d.tok(opAssign) {
			if b := d.expression(); b != nil {
				d.raiseRange(a, b, "cannot assign to "+d.describe(a)+maybeEqual)
			}
		}
		d.pos = end
		if d.tok(opWalrus) {
			if b := d.expression(); b != nil {
				d.raiseRange(a, b, "cannot use named expression without parentheses here")
			}
		}
		d.pos = end
		if !d.tok(opComma) {
			return
		}
		if a = d.expression(); a == nil {
			return
		}
	}
}

func (d *diagnosis) assignment() bool {
	at := d.pos
	if d.tok(symName) && d.annotation() {
		return true
	}
	d.pos = at
	if (d.tok(opLeftParen) && d.singleTarget() != nil && d.tok(opRightParen) ||
		d.back(at) && d.attributeOrIndex() != nil) && d.annotation() {
		return true
	}
	d.pos = at
	if len(d.assigned()) > 0 && d.yieldOrStars() != nil && !d.at(opAssign) {
		return true
	}
	d.pos = at
	if d.singleTarget() != nil && d.sym().augmented() {
		d.pos++
		return d.yieldOrStars() != nil
	}
	d.pos = at
	d.try(d.invalidAnnotated, d.invalidTargets)
	return false
}

// assigned reads targets with "=" behind each.
func (d *diagnosis) assigned() []*node {
	return d.repeat(func() *node {
		if n := d.starTargets(); n != nil && d.tok(opAssign) {
			return n
		}
		return nil
	})
}

// annotation reads ": type = value" behind a target.
func (d *diagnosis) annotation() bool {
	return d.tok(opColon) && d.expression() != nil && d.optional(func() bool { return d.tok(opAssign) && d.yieldOrStars() != nil })
}

func (d *diagnosis) invalidAnnotated() {
	at := d.pos
	if a := d.annotatedDisplay(); a != nil && d.tok(opColon) && d.expression() != nil {
		d.raiseAt(a, "only single target (not "+d.describe(a)+") can be annotated")
	}
	d.pos = at
	if a := d.starNamed(); a != nil && d.tok(opComma) {
		d.repeat(func() *node {
			if list := d.starNameds(); len(list) > 0 {
				return list[0]
			}
			return nil
		})
		if d.tok(opColon) && d.expression() != nil {
			d.raiseAt(a, "only single target (not tuple) can be annotated")
		}
	}
	d.pos = at
	if a := d.expression(); a != nil && d.tok(opColon) && d.expression() != nil {
		d.raiseAt(a, "illegal target for annotation")
	}
}

// annotatedDisplay reads a list or a tuple, in any number of parentheses.
func (d *diagnosis) annotatedDisplay() *node {
	return d.first(d.listDisplay, d.tuple, func() *node {
		if !d.tok(opLeftParen) {
			return nil
		}
		if n := d.annotatedDisplay(); n != nil && d.tok(opRightParen) {
			return n
		}
		return nil
	})
}

func (d *diagnosis) invalidTargets() {
	at := d.pos
	d.assigned()
	begin := d.pos
	if a := d.starExpressions(); a != nil && d.tok(opAssign) {
		d.raiseTarget(a, forAssignment)
		return
	}
	d.pos = begin
	if a := d.yield(); a != nil && d.tok(opAssign) {
		d.raiseAt(a, "assignment to yield expression not possible")
	}
	d.pos = at
	if a := d.starExpressions(); a != nil && d.sym().augmented() {
		d.pos++
		if d.yieldOrStars() != nil {
			d.raiseAt(a, "'"+d.describe(a)+"' is an illegal expression for augmented assignment")
		}
	}
}

func (d *diagnosis) typeAlias() bool {
	return d.soft("type") && d.tok(symName) && d.optional(d.typeParameters) && d.tok(opAssign) && d.expression() != nil
}

func (d *diagnosis) typeParameters() bool {
	if d.minor >= 13 {
		d.try(func() {
			if d.tok(opLeftBracket) {
				if a := d.leaf(opRightBracket); a != nil {
					d.raiseFrom(a, "Type parameter list cannot be empty")
				}
			}
		})
	}
	if !d.tok(opLeftBracket) || len(d.several(opComma, d.typeParameter)) == 0 {
		return false
	}
	d.tok(opComma)
	return d.tok(opRightBracket)
}

func (d *diagnosis) typeParameter() *node {
	return d.remembered(ruleTypeParameter, func() *node {
		at := d.pos
		if d.tok(symName) {
			d.optional(func() bool { return d.tok(opColon) && d.expression() != nil })
			d.optional(func() bool { return d.minor >= 13 && d.tok(opAssign) && d.expression() != nil })
			return d.yes
		}
		d.try(d.invalidTypeParameter)
		d.pos = at
		if d.tok(opStar) && d.tok(symName) {
			d.optional(func() bool { return d.minor >= 13 && d.tok(opAssign) && d.starExpression() != nil })
			return d.yes
		}
		d.pos = at
		if d.tok(opDoubleStar) && d.tok(symName) {
			d.optional(func() bool { return d.minor >= 13 && d.tok(opAssign) && d.expression() != nil })
			return d.yes
		}
		return nil
	})
}

func (d *diagnosis) invalidTypeParameter() {
	what := "TypeVarTuple"
	if d.sym() == opDoubleStar {
		what = "ParamSpec"
	}
	if !d.tok(opStar) && !d.tok(opDoubleStar) || !d.tok(symName) {
		return
	}
	colon := d.leaf(opColon)
	if colon == nil {
		return
	}
	if e := d.expression(); e != nil {
		word := "bound"
		if e.kind == kTuple {
			word = "constraints"
		}
		d.raiseFrom(colon, "cannot use "+word+" with "+what)
	}
}
