package grammar

// parameterStyle tells the parameters of functions and of lambdas apart.
type parameterStyle struct {
	end       symbol
	annotated bool
}

var (
	functionParameters = parameterStyle{opRightParen, true}
	lambdaParameters   = parameterStyle{opColon, false}
)

// parameters reads a parameter list up to its end.
func (d *diagnosis) parameters(s parameterStyle) bool {
	d.try(func() { d.invalidParameters(s) })
	at := d.pos
	switch {
	case d.slash(s, false):
		d.repeat(func() *node { return d.parameter(s, false) })
		d.repeat(func() *node { return d.parameter(s, true) })
		return d.optional(func() bool { return d.starEtc(s) })
	case d.back(at) && d.slash(s, true):
		d.repeat(func() *node { return d.parameter(s, true) })
		return d.optional(func() bool { return d.starEtc(s) })
	}
	d.pos = at
	plain := d.repeat(func() *node { return d.parameter(s, false) })
	valued := d.repeat(func() *node { return d.parameter(s, true) })
	if len(plain)+len(valued) > 0 {
		return d.optional(func() bool { return d.starEtc(s) })
	}
	return d.starEtc(s)
}

// back goes back to a position.
func (d *diagnosis) back(at int) bool {
	d.pos = at
	return true
}

// slash reads positional-only parameters with their "/", the last ones with defaults or none.
func (d *diagnosis) slash(s parameterStyle, valued bool) bool {
	plain := d.repeat(func() *node { return d.parameter(s, false) })
	if valued {
		if len(d.repeat(func() *node { return d.parameter(s, true) })) == 0 {
			return false
		}
	} else if len(plain) == 0 {
		return false
	}
	return d.tok(opSlash) && (d.tok(opComma) || d.at(s.end))
}

// anySlash reads positional-only parameters of either form.
func (d *diagnosis) anySlash(s parameterStyle) bool {
	at := d.pos
	return d.slash(s, false) || d.back(at) && d.slash(s, true)
}

// bare reads a parameter without its default and comma.
func (d *diagnosis) bare(s parameterStyle) *node {
	at := d.pos
	if !d.tok(symName) {
		return nil
	}
	if s.annotated {
		d.optional(func() bool { return d.tok(opColon) && d.expression() != nil })
	}
	return d.span(kParameter, at)
}

// parameter reads a parameter with what must end it, with a default or without.
func (d *diagnosis) parameter(s parameterStyle, valued bool) *node {
	n := d.bare(s)
	if n == nil || valued && !d.value() || !d.tok(opComma) && !d.at(s.end) {
		return nil
	}
	return n
}

// maybeValued reads a parameter with or without a default.
func (d *diagnosis) maybeValued(s parameterStyle) *node {
	n := d.bare(s)
	if n == nil {
		return nil
	}
	d.optional(d.value)
	if !d.tok(opComma) && !d.at(s.end) {
		return nil
	}
	return n
}

// value reads a default.
func (d *diagnosis) value() bool {
	at := d.pos
	if d.tok(opAssign) && d.expression() != nil {
		return true
	}
	d.pos = at
	d.try(func() {
		if a := d.leaf(opAssign); a != nil && d.at(opRightParen, opComma) {
			d.raiseAt(a, "expected default value expression")
		}
	})
	return false
}

// starEtc reads what may begin with a star.
func (d *diagnosis) starEtc(s parameterStyle) bool {
	d.try(func() { d.invalidStarEtc(s) })
	at := d.pos
	if d.tok(opStar) {
		end := d.pos
		if d.parameter(s, false) != nil || d.back(end) && s.annotated && d.starAnnotated(s) {
			d.repeat(func() *node { return d.maybeValued(s) })
			return d.optional(func() bool { return d.doubleStar(s) })
		}
		d.pos = end
		if d.tok(opComma) && len(d.repeat(func() *node { return d.maybeValued(s) })) > 0 {
			return d.optional(func() bool { return d.doubleStar(s) })
		}
	}
	d.pos = at
	return d.doubleStar(s)
}

// starAnnotated reads a parameter whose annotation unpacks something.
func (d *diagnosis) starAnnotated(s parameterStyle) bool {
	return d.tok(symName) && d.tok(opColon) && d.starExpression() != nil && (d.tok(opComma) || d.at(s.end))
}

func (d *diagnosis) doubleStar(s parameterStyle) bool {
	d.try(func() { d.invalidDoubleStar(s) })
	return d.tok(opDoubleStar) && d.parameter(s, false) != nil
}

// word is how messages call parameters, which they did not always.
func (d *diagnosis) parameterWord() string {
	if d.minor >= 14 {
		return "parameter"
	}
	return "argument"
}

func (d *diagnosis) invalidParameters(s parameterStyle) {
	rules := []func(parameterStyle){d.leadingSlash, d.secondSlash, d.missingDefault, d.parenthesised, d.slashBehindStar, d.missingComma}
	if d.minor < 12 {
		rules = []func(parameterStyle){d.missingDefault, d.parenthesised, d.leadingSlash, d.secondSlash, d.slashBehindStar, d.missingComma}
	}
	at := d.pos
	for _, rule := range rules {
		rule(s)
		d.pos = at
	}
}

func (d *diagnosis) leadingSlash(parameterStyle) {
	if a := d.leaf(opSlash); a != nil && d.tok(opComma) {
		d.raiseAt(a, "at least one "+d.parameterWord()+" must precede /")
	}
}

func (d *diagnosis) secondSlash(s parameterStyle) {
	if !d.anySlash(s) {
		return
	}
	d.repeat(func() *node { return d.maybeValued(s) })
	if a := d.leaf(opSlash); a != nil {
		d.raiseAt(a, "/ may appear only once")
	}
}

func (d *diagnosis) missingDefault(s parameterStyle) {
	text := "non-default argument follows default argument"
	if d.minor >= 12 {
		text = "parameter without a default follows parameter with a default"
		d.optional(func() bool { return d.slash(s, false) })
	}
	d.repeat(func() *node { return d.parameter(s, false) })
	at := d.pos
	if !d.slash(s, true) {
		d.pos = at
		if len(d.repeat(func() *node { return d.parameter(s, true) })) == 0 {
			return
		}
	}
	if a := d.parameter(s, false); a != nil {
		d.raiseAt(a, text)
	}
}

func (d *diagnosis) parenthesised(s parameterStyle) {
	d.repeat(func() *node { return d.parameter(s, false) })
	a := d.leaf(opLeftParen)
	if a == nil {
		return
	}
	text := "Function parameters cannot be parenthesized"
	if s.annotated {
		if len(d.repeat(func() *node { return d.parameter(s, false) })) == 0 {
			return
		}
	} else {
		text = "Lambda expression parameters cannot be parenthesized"
		if len(d.several(opComma, func() *node { return d.bare(s) })) == 0 {
			return
		}
	}
	d.tok(opComma)
	if b := d.leaf(opRightParen); b != nil {
		d.raiseRange(a, b, text)
	}
}

func (d *diagnosis) slashBehindStar(s parameterStyle) {
	d.optional(func() bool { return d.anySlash(s) })
	d.repeat(func() *node { return d.maybeValued(s) })
	if !d.tok(opStar) || !d.tok(opComma) && d.parameter(s, false) == nil {
		return
	}
	d.repeat(func() *node { return d.maybeValued(s) })
	if a := d.leaf(opSlash); a != nil {
		d.raiseAt(a, "/ must be ahead of *")
	}
}

func (d *diagnosis) missingComma(s parameterStyle) {
	if len(d.repeat(func() *node { return d.maybeValued(s) })) == 0 || !d.tok(opSlash) {
		return
	}
	if a := d.leaf(opStar); a != nil {
		d.raiseAt(a, "expected comma between / and *")
	}
}

func (d *diagnosis) invalidStarEtc(s parameterStyle) {
	a := d.leaf(opStar)
	if a == nil {
		return
	}
	at := d.pos
	if d.tok(s.end) || d.tok(opComma) && (d.tok(s.end) || d.tok(opDoubleStar)) {
		text := "named " + d.parameterWord() + "s must follow bare *"
		if s.annotated {
			d.raiseAt(a, text)
		}
		d.raise(text)
	}
	d.pos = at
	if d.bare(s) != nil {
		if b := d.leaf(opAssign); b != nil {
			d.raiseAt(b, "var-positional "+d.parameterWord()+" cannot have default value")
		}
	}
	d.pos = at
	if d.parameter(s, false) == nil {
		d.pos = at
		if !d.tok(opComma) {
			return
		}
	}
	d.repeat(func() *node { return d.maybeValued(s) })
	if b := d.leaf(opStar); b != nil {
		if end := d.pos; d.parameter(s, false) != nil || d.back(end) && d.tok(opComma) {
			if d.minor >= 14 {
				d.raiseAt(b, "* may appear only once")
			}
			d.raiseAt(b, "* argument may appear only once")
		}
	}
}

func (d *diagnosis) invalidDoubleStar(s parameterStyle) {
	if !d.tok(opDoubleStar) || d.bare(s) == nil {
		return
	}
	at := d.pos
	if a := d.leaf(opAssign); a != nil {
		d.raiseAt(a, "var-keyword "+d.parameterWord()+" cannot have default value")
	}
	d.pos = at
	if !d.tok(opComma) {
		return
	}
	text := d.parameterWord() + "s cannot follow var-keyword " + d.parameterWord()
	at = d.pos
	if a := d.bare(s); a != nil {
		d.raiseAt(a, text)
	}
	d.pos = at
	if d.at(opStar, opDoubleStar, opSlash) {
		d.pos++
		d.raiseAt(d.span(kInvalid, at), text)
	}
}
