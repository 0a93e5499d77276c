package grammar

func (d *diagnosis) tryStatement() bool {
	at := d.pos
	d.try(d.invalidTry)
	d.tok(kwTry)
	d.insist(opColon)
	if !d.block() {
		return false
	}
	handlers := d.pos
	if d.finally() {
		return true
	}
	for _, star := range []bool{false, true} {
		d.pos = handlers
		if len(d.repeat(func() *node { return d.except(star) })) > 0 {
			return d.optional(d.elseBlock) && d.optional(d.finally)
		}
	}
	d.pos = at
	return false
}

func (d *diagnosis) invalidTry() {
	at := d.pos
	d.pos++
	d.needBlock("'try' statement", at)
	d.pos = at + 1
	if !d.tok(opColon) {
		return
	}
	begin := d.pos
	if d.block() && !d.at(kwExcept, kwFinally) {
		d.raise("expected 'except' or 'finally' block")
	}
	const both = "cannot have both 'except' and 'except*' on the same 'try'"
	d.pos = begin
	d.repeat(func() *node { return d.ok(d.block()) })
	handlers := d.pos
	if len(d.repeat(func() *node { return d.except(false) })) > 0 {
		if a := d.leaf(kwExcept); a != nil {
			if b := d.leaf(opStar); b != nil && d.expression() != nil && d.optional(d.asName) && d.tok(opColon) {
				d.raiseRange(a, b, both)
			}
		}
	}
	d.pos = handlers
	if len(d.repeat(func() *node { return d.except(true) })) > 0 {
		if a := d.leaf(kwExcept); a != nil && d.optional(func() bool { return d.expression() != nil && d.optional(d.asName) }) && d.tok(opColon) {
			d.raiseAt(a, both)
		}
	}
}

func (d *diagnosis) asName() bool { return d.tok(kwAs) && d.tok(symName) }

// handlerHeader reads the types of a handler and the name they get, up to the colon.
func (d *diagnosis) handlerHeader(star bool) bool {
	begin := d.pos
	if d.expression() != nil {
		d.optional(d.asName)
		if d.at(opColon) {
			return true
		}
		d.pos = begin
		if d.minor >= 14 && d.expressions() != nil && d.at(opColon) {
			return true
		}
	}
	d.pos = begin
	return !star && d.at(opColon)
}

func (d *diagnosis) except(star bool) *node {
	at := d.pos
	d.try(func() { d.invalidExceptIndent(star) })
	if d.tok(kwExcept) && (!star || d.tok(opStar)) && d.handlerHeader(star) && d.body() {
		return d.yes
	}
	d.pos = at
	d.try(func() { d.invalidExcept(star) })
	return nil
}

func (d *diagnosis) invalidExceptIndent(star bool) {
	at := d.pos
	what := "'except' statement"
	if star {
		what = "'except*' statement"
	}
	if !d.tok(kwExcept) || star && !d.tok(opStar) {
		return
	}
	begin := d.pos
	if d.expression() != nil && d.optional(d.asName) {
		d.needBlock(what, at)
	}
	if !star {
		d.pos = begin
		d.needBlock(what, at)
	}
}

func (d *diagnosis) invalidExcept(star bool) {
	at := d.pos
	if !d.tok(kwExcept) {
		return
	}
	if d.minor >= 14 {
		if star && !d.tok(opStar) {
			return
		}
	} else {
		star = d.tok(opStar)
	}
	begin := d.pos
	if a := d.expression(); a != nil && d.tok(opComma) && d.expressions() != nil {
		if d.minor >= 14 {
			if d.asName() && d.tok(opColon) {
				d.raiseFrom(a, "multiple exception types must be parenthesized when using 'as'")
			}
		} else if d.optional(d.asName) && d.tok(opColon) {
			d.raiseFrom(a, "multiple exception types must be parenthesized")
		}
	}
	d.pos = begin
	if d.expression() != nil && d.optional(d.asName) && d.tok(symNewline) {
		d.raise("expected ':'")
	}
	d.pos = at + 1
	if d.tok(symNewline) {
		d.raise("expected ':'")
	}
	d.pos = at + 1
	if d.tok(opStar) && (d.tok(symNewline) || d.tok(opColon)) {
		d.raise("expected one or more exception types")
	}
	if d.minor >= 14 {
		d.pos = begin
		d.invalidExceptTarget(star)
	}
}

func (d *diagnosis) invalidExceptTarget(star bool) {
	if d.expression() == nil || !d.tok(kwAs) {
		return
	}
	if a := d.expression(); a != nil && d.body() {
		what := "except"
		if star {
			what = "except*"
		}
		d.raiseAt(a, "cannot use "+what+" statement with "+d.describe(a))
	}
}

func (d *diagnosis) finally() bool {
	at := d.pos
	d.try(func() {
		if d.tok(kwFinally) {
			d.needBlock("'finally' statement", at)
		}
	})
	if !d.tok(kwFinally) {
		return false
	}
	d.insist(opColon)
	return d.block()
}
