package grammar

import "manualslop/tools/python"

func (d *diagnosis) match() bool {
	at := d.pos
	if d.soft("match") && d.subject() && d.tok(opColon) && d.tok(symNewline) && d.tok(symIndent) &&
		len(d.repeat(func() *node { return d.ok(d.caseBlock()) })) > 0 && d.tok(symDedent) {
		return true
	}
	d.pos = at
	d.try(func() {
		if d.soft("match") && d.subject() {
			d.needColon("'match' statement", at)
		}
		d.pos = at
		if d.minor >= 14 && d.soft("case") && d.patterns() && d.optional(d.guard) {
			if b := d.leaf(opColon); b != nil && d.block() {
				d.pos = at + 1
				d.raiseRange(d.span(kName, at), b, "case statement must be inside match statement")
			}
		}
	})
	return false
}

func (d *diagnosis) subject() bool {
	at := d.pos
	if d.starNamed() != nil && d.tok(opComma) {
		d.starNameds()
		return true
	}
	d.pos = at
	return d.namedExpression() != nil
}

func (d *diagnosis) caseBlock() bool {
	at := d.pos
	d.try(func() {
		if d.soft("case") && d.patterns() && d.optional(d.guard) {
			d.needColon("'case' statement", at)
		}
	})
	return d.soft("case") && d.patterns() && d.optional(d.guard) && d.body()
}

func (d *diagnosis) guard() bool { return d.tok(kwIf) && d.namedExpression() != nil }

func (d *diagnosis) patterns() bool {
	at := d.pos
	if d.openSequence() {
		return true
	}
	d.pos = at
	return d.pattern() != nil
}

func (d *diagnosis) openSequence() bool {
	if d.maybeStar() == nil || !d.tok(opComma) {
		return false
	}
	return d.optional(d.sequenceItems)
}

func (d *diagnosis) sequenceItems() bool {
	if len(d.several(opComma, d.maybeStar)) == 0 {
		return false
	}
	d.tok(opComma)
	return true
}

func (d *diagnosis) maybeStar() *node {
	at := d.pos
	if n := d.starPattern(); n != nil {
		return n
	}
	d.pos = at
	return d.pattern()
}

func (d *diagnosis) starPattern() *node {
	return d.remembered(ruleStarPattern, func() *node {
		at := d.pos
		if !d.tok(opStar) {
			return nil
		}
		if d.captureTarget() || d.back(at+1) && d.soft("_") {
			return d.span(kCapture, at)
		}
		return nil
	})
}

func (d *diagnosis) captureTarget() bool {
	return d.sym() == symName && d.text(d.pos) != "_" && d.tok(symName) && !d.at(opDot, opLeftParen, opAssign)
}

func (d *diagnosis) pattern() *node {
	at := d.pos
	if d.orPattern() && d.tok(kwAs) && d.captureTarget() {
		return d.span(kPatterns, at)
	}
	d.pos = at
	d.try(func() {
		if !d.orPattern() || !d.tok(kwAs) {
			return
		}
		here := d.pos
		if d.soft("_") {
			d.raiseAt(d.span(kName, here), "cannot use '_' as a target")
		}
		d.pos = here
		if d.minor < 14 {
			if d.sym() != symName {
				if a := d.expression(); a != nil {
					d.raiseAt(a, "invalid pattern target")
				}
			}
			return
		}
		if a := d.expression(); a != nil {
			d.raiseAt(a, "cannot use "+d.describe(a)+" as pattern target")
		}
	})
	if d.orPattern() {
		return d.span(kPatterns, at)
	}
	return nil
}

func (d *diagnosis) orPattern() bool { return len(d.several(opBar, d.closedPattern)) > 0 }

func (d *diagnosis) closedPattern() *node {
	return d.remembered(ruleClosedPattern, func() *node {
		at := d.pos
		return d.ok(d.literalPattern() || d.back(at) && d.captureTarget() || d.back(at) && d.soft("_") ||
			d.back(at) && d.valuePattern() || d.back(at) && d.tok(opLeftParen) && d.pattern() != nil && d.tok(opRightParen) ||
			d.back(at) && d.sequencePattern() || d.back(at) && d.mappingPattern() || d.back(at) && d.classPattern())
	})
}

func (d *diagnosis) literalPattern() bool {
	at := d.pos
	if d.signed() && !d.at(opPlus, opMinus) {
		return true
	}
	d.pos = at
	if d.signed() && !d.imaginary(d.pos-1) && (d.tok(opPlus) || d.tok(opMinus)) && d.tok(symNumber) && d.imaginary(d.pos-1) {
		return true
	}
	d.pos = at
	return d.strings() != nil || d.back(at) && (d.tok(kwNone) || d.tok(kwTrue) || d.tok(kwFalse))
}

func (d *diagnosis) signed() bool {
	if !d.tok(opMinus) && d.minor >= 14 {
		d.tok(opPlus)
	}
	return d.tok(symNumber)
}

func (d *diagnosis) imaginary(at int) bool {
	text := d.text(at)
	return text[len(text)-1]|0x20 == 'j'
}

// attribute reads a dotted name of two parts or more.
func (d *diagnosis) attribute() bool { return len(d.several(opDot, d.name)) > 1 }

func (d *diagnosis) valuePattern() bool { return d.attribute() && !d.at(opDot, opLeftParen, opAssign) }

func (d *diagnosis) sequencePattern() bool {
	if d.tok(opLeftBracket) {
		return d.optional(d.sequenceItems) && d.tok(opRightBracket)
	}
	return d.tok(opLeftParen) && d.optional(d.openSequence) && d.tok(opRightParen)
}

func (d *diagnosis) mappingPattern() bool {
	if !d.tok(opLeftBrace) {
		return false
	}
	begin := d.pos
	if len(d.several(opComma, d.keyPattern)) > 0 && !d.tok(opComma) {
		return d.tok(opRightBrace)
	}
	if d.tok(opDoubleStar) && d.captureTarget() {
		d.tok(opComma)
	}
	if d.tok(opRightBrace) {
		return true
	}
	if d.minor >= 14 {
		d.pos = begin
		d.try(d.invalidMapping)
	}
	return false
}

func (d *diagnosis) invalidMapping() {
	if len(d.several(opComma, d.keyPattern)) > 0 && !d.tok(opComma) {
		return
	}
	at := d.pos
	if !d.tok(opDoubleStar) || !d.captureTarget() {
		return
	}
	rest := d.span(kName, at+1)
	if d.tok(opComma) && len(d.several(opComma, d.keyPattern)) > 0 && d.optional(func() bool { return d.tok(opComma) }) && d.tok(opRightBrace) {
		d.raiseAt(rest, "double star pattern must be the last (right-most) subpattern in the mapping pattern")
	}
}

func (d *diagnosis) keyPattern() *node {
	at := d.pos
	if !d.literalPattern() {
		d.pos = at
		if !d.attribute() {
			return nil
		}
	}
	return d.ok(d.tok(opColon) && d.pattern() != nil)
}

func (d *diagnosis) classPattern() bool {
	at := d.pos
	if len(d.several(opDot, d.name)) > 0 && d.tok(opLeftParen) {
		if d.tok(opRightParen) {
			return true
		}
		plain := d.several(opComma, d.pattern)
		if len(plain) == 0 || d.tok(opComma) {
			d.several(opComma, d.keywordPattern)
			d.tok(opComma)
		}
		if d.tok(opRightParen) {
			return true
		}
	}
	d.pos = at
	d.try(func() {
		if len(d.several(opDot, d.name)) == 0 || !d.tok(opLeftParen) {
			return
		}
		d.optional(func() bool { return len(d.several(opComma, d.pattern)) > 0 && d.tok(opComma) })
		if len(d.several(opComma, d.keywordPattern)) > 0 && d.tok(opComma) {
			begin := d.pos
			if list := d.several(opComma, d.pattern); len(list) > 0 {
				panic(complaint{
					kind: python.SyntaxError, text: "positional patterns follow keyword patterns",
					start: int(d.toks[begin].start), end: int(d.toks[d.pos-1].end),
				})
			}
		}
	})
	return false
}

func (d *diagnosis) keywordPattern() *node {
	return d.ok(d.tok(symName) && d.tok(opAssign) && d.pattern() != nil)
}
