package grammar

func (d *diagnosis) importNames() bool {
	return d.tok(kwImport) && len(d.several(opComma, func() *node {
		at := d.pos
		if d.minor >= 14 {
			d.try(func() {
				if d.dottedName() {
					d.invalidAlias()
				}
			})
		}
		d.pos = at
		return d.ok(d.dottedName() && d.optional(func() bool { return d.tok(kwAs) && d.tok(symName) }))
	})) > 0
}

func (d *diagnosis) dottedName() bool { return len(d.several(opDot, d.name)) > 0 }

func (d *diagnosis) importFrom() bool {
	if !d.tok(kwFrom) {
		return false
	}
	dots := false
	for d.tok(opDot) || d.tok(opEllipsis) {
		dots = true
	}
	at := d.pos
	if d.dottedName() && d.tok(kwImport) && d.importTargets() {
		return true
	}
	d.pos = at
	return dots && d.tok(kwImport) && d.importTargets()
}

func (d *diagnosis) importTargets() bool {
	at := d.pos
	if d.tok(opLeftParen) && d.importedNames() && (d.tok(opComma) || true) && d.tok(opRightParen) {
		return true
	}
	d.pos = at
	if d.importedNames() && !d.at(opComma) {
		return true
	}
	d.pos = at
	if d.tok(opStar) {
		return true
	}
	d.try(func() {
		if d.importedNames() && d.tok(opComma) && d.tok(symNewline) {
			d.raise("trailing comma not allowed without surrounding parentheses")
		}
		d.pos = at
		if a := d.leaf(symNewline); d.minor >= 13 && a != nil {
			d.raiseFrom(a, "Expected one or more names after 'import'")
		}
	})
	return false
}

func (d *diagnosis) importedNames() bool {
	return len(d.several(opComma, func() *node {
		at := d.pos
		if d.minor >= 14 {
			d.try(func() {
				if d.tok(symName) {
					d.invalidAlias()
				}
			})
		}
		d.pos = at
		return d.ok(d.tok(symName) && d.optional(func() bool { return d.tok(kwAs) && d.tok(symName) }))
	})) > 0
}

// invalidAlias finds something else than a name behind "as".
func (d *diagnosis) invalidAlias() {
	if !d.tok(kwAs) {
		return
	}
	at := d.pos
	if d.tok(symName) && d.at(opComma, opRightParen, opSemicolon, symNewline) {
		return
	}
	d.pos = at
	if a := d.expression(); a != nil {
		d.raiseAt(a, "cannot use "+d.describe(a)+" as import target")
	}
}

func (d *diagnosis) invalidImport() {
	if d.minor < 12 {
		return
	}
	at := d.pos
	a := d.leaf(kwImport)
	if a == nil {
		return
	}
	if len(d.several(opComma, func() *node { return d.ok(d.dottedName()) })) > 0 && d.tok(kwFrom) && d.dottedName() {
		d.raiseFrom(a, "Did you mean to use 'from ... import ...' instead?")
	}
	d.pos = at + 1
	if b := d.leaf(symNewline); d.minor >= 13 && b != nil {
		d.raiseFrom(b, "Expected one or more names after 'import'")
	}
}
