package grammar

// arguments reads the arguments of a call up to its closing parenthesis.
func (d *diagnosis) arguments() *node {
	return d.remembered(ruleArguments, func() *node {
		at := d.pos
		if n := d.args(); n != nil {
			d.tok(opComma)
			if d.at(opRightParen) {
				return n
			}
		}
		d.pos = at
		d.try(d.invalidArguments)
		return nil
	})
}

// args reads arguments. The children are the positional ones; the flag tells of "**".
func (d *diagnosis) args() *node {
	at := d.pos
	list := d.several(opComma, d.positional)
	double := false
	end := d.pos
	if len(list) == 0 || d.tok(opComma) {
		named := d.keywords()
		if named == nil {
			d.pos = end
		}
		for _, n := range named {
			switch n.kind {
			case kStar:
				list = append(list, n)
			case kDoubleStar:
				double = true
			}
		}
		if named == nil && len(list) == 0 {
			return nil
		}
	}
	n := d.span(kCall, at, list...)
	n.flag = double
	return n
}

// positional reads an argument without a name.
func (d *diagnosis) positional() *node {
	at := d.pos
	if n := d.starred(); n != nil {
		return n
	}
	d.pos = at
	if n := d.assignmentOrUnnamed(); n != nil && !d.at(opAssign) {
		return n
	}
	return nil
}

func (d *diagnosis) starred() *node {
	at := d.pos
	if d.minor >= 12 {
		d.try(d.invalidStarred)
	}
	if d.tok(opStar) {
		if operand := d.expression(); operand != nil {
			return d.span(kStar, at, operand)
		}
		if d.minor == 13 || d.minor > 13 && d.invalid {
			d.raise("Invalid star expression")
		}
	}
	return nil
}

// keywords reads named and unpacked arguments: those with one star before those with two.
func (d *diagnosis) keywords() []*node {
	at := d.pos
	list := d.several(opComma, d.keywordOrStarred)
	end := d.pos
	if len(list) > 0 {
		if d.tok(opComma) {
			if more := d.several(opComma, d.keywordOrDoubleStarred); len(more) > 0 {
				return append(list, more...)
			}
		}
		d.pos = end
		return list
	}
	d.pos = at
	return d.several(opComma, d.keywordOrDoubleStarred)
}

func (d *diagnosis) keywordOrStarred() *node {
	d.try(d.invalidKeyword)
	return d.first(d.keyword, d.starred)
}

func (d *diagnosis) keywordOrDoubleStarred() *node {
	d.try(d.invalidKeyword)
	return d.first(d.keyword, func() *node {
		at := d.pos
		if d.tok(opDoubleStar) && d.expression() != nil {
			return d.span(kDoubleStar, at)
		}
		return nil
	})
}

func (d *diagnosis) keyword() *node {
	at := d.pos
	if d.tok(symName) && d.tok(opAssign) && d.expression() != nil {
		return d.span(kKeyword, at)
	}
	return nil
}

// generatorEnd is the last thing in the for clauses of a generator expression.
func generatorEnd(clauses []*node) *node { return clauses[len(clauses)-1].kids[0] }

func (d *diagnosis) invalidArguments() {
	at := d.pos
	d.unpackingBehind()
	d.pos = at
	if a := d.expression(); a != nil {
		if b := d.clauses(); len(b) > 0 && d.tok(opComma) {
			end := d.pos
			if d.args() == nil {
				d.pos = end
				_ = d.expression() != nil && len(d.clauses()) > 0
			}
			d.raiseRange(a, generatorEnd(b), mustParenthesise)
		}
	}
	d.pos = at
	if a := d.name(); a != nil {
		if b := d.leaf(opAssign); b != nil && d.expression() != nil && len(d.clauses()) > 0 {
			d.raiseRange(a, b, maybeEqualOrWalrus)
		}
	}
	if d.minor >= 12 {
		d.pos = at
		d.missingValue()
	}
	d.pos = at
	d.invalidArgs()
}

// unpackingBehind finds "*" behind named arguments.
func (d *diagnosis) unpackingBehind() {
	const follows = "iterable argument unpacking follows keyword argument unpacking"
	at := d.pos
	list := d.several(opComma, d.positional)
	if len(list) == 0 {
		d.pos = at
	} else if !d.tok(opComma) {
		return
	}
	if len(d.keywords()) == 0 {
		return
	}
	a := d.leaf(opComma)
	if a == nil {
		return
	}
	if d.minor < 13 {
		if b := d.leaf(opStar); b != nil {
			d.raiseAt(b, follows)
		}
		return
	}
	if len(d.several(opComma, func() *node {
		if n := d.starred(); n != nil && !d.at(opAssign) {
			return n
		}
		return nil
	})) > 0 {
		d.raiseFrom(a, follows)
	}
}

// missingValue finds a named argument without its value.
func (d *diagnosis) missingValue() {
	d.optional(func() bool { return d.args() != nil && d.tok(opComma) })
	if a := d.name(); a != nil {
		if b := d.leaf(opAssign); b != nil && d.at(opComma, opRightParen) {
			d.raiseRange(a, b, "expected argument value expression")
		}
	}
}

// invalidArgs finds mistakes behind arguments that are right by themselves.
func (d *diagnosis) invalidArgs() {
	a := d.args()
	if a == nil {
		return
	}
	end := d.pos
	if b := d.clauses(); len(b) > 0 {
		if len(a.kids) > 1 {
			d.raiseRange(a.kids[len(a.kids)-1], generatorEnd(b), mustParenthesise)
		}
		return
	}
	d.pos = end
	if d.tok(opComma) {
		if e := d.expression(); e != nil {
			if b := d.clauses(); len(b) > 0 {
				d.raiseRange(e, generatorEnd(b), mustParenthesise)
			}
		}
	}
	d.pos = end
	if d.tok(opComma) && d.args() != nil {
		text := "positional argument follows keyword argument"
		if a.flag {
			text += " unpacking"
		}
		d.raise(text)
	}
}

func (d *diagnosis) invalidKeyword() {
	at := d.pos
	if d.at(kwTrue, kwFalse, kwNone) {
		d.pos++
		a := d.span(kConstant, at)
		if b := d.leaf(opAssign); b != nil {
			d.raiseRange(a, b, "cannot assign to "+d.text(at))
		}
	}
	d.pos = at
	if a := d.name(); a != nil {
		if b := d.leaf(opAssign); b != nil {
			if d.expression() != nil && len(d.clauses()) > 0 {
				d.raiseRange(a, b, maybeEqualOrWalrus)
			}
			d.pos = at
			d.unpackedAssignment()
			return
		}
	}
	d.pos = at
	if a := d.expression(); a != nil {
		if b := d.leaf(opAssign); b != nil {
			d.raiseRange(a, b, `expression cannot contain assignment, perhaps you meant "=="?`)
		}
	}
	d.pos = at
	d.unpackedAssignment()
}

func (d *diagnosis) unpackedAssignment() {
	if d.minor < 12 {
		return
	}
	if a := d.leaf(opDoubleStar); a != nil && d.expression() != nil && d.tok(opAssign) {
		if b := d.expression(); b != nil {
			d.raiseRange(a, b, "cannot assign to keyword argument unpacking")
		}
	}
}

func (d *diagnosis) invalidStarred() {
	if a := d.leaf(opStar); a != nil && d.expression() != nil && d.tok(opAssign) {
		if b := d.expression(); b != nil {
			d.raiseRange(a, b, "cannot assign to iterable argument unpacking")
		}
	}
}
