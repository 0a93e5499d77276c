package grammar

// parameters reads the parameters of a function up to end, or those of a lambda, which have no
// annotations.
func (p *parser) parameters(end symbol, annotated bool) *node {
	n := p.new(kParameters, p.pos)
	n.end = n.start
	base := len(p.scratch)
	var s parameterState
	for p.sym() != end {
		if !p.parameterOrMark(&s, end, annotated) {
			break
		}
		if !p.take(opComma) {
			break
		}
		if s.bare && p.sym() == end {
			p.fail()
		}
	}
	if p.sym() != end || s.bare {
		p.fail()
	}
	return p.close(n, base)
}

// parameterState records which parts of a parameter list were read.
type parameterState struct {
	any, slash, star, last bool
	bare                   bool // the star has no name and no parameter has followed yet
	value                  bool // a positional parameter has a default
}

// parameterOrMark reads a parameter, or "/" or "*". It returns false if none of them is next.
func (p *parser) parameterOrMark(s *parameterState, end symbol, annotated bool) bool {
	switch {
	case s.last:
		p.fail()
	case p.sym() == opSlash:
		if !s.any || s.slash || s.star {
			p.fail()
		}
		p.pos++
		s.slash = true
	case p.sym() == opStar:
		if s.star {
			p.fail()
		}
		p.pos++
		s.star = true
		if p.sym() == opComma {
			s.bare = true
			return true
		}
		p.parameter(annotated, true, false)
	case p.sym() == opDoubleStar:
		if s.bare {
			p.fail()
		}
		p.pos++
		p.parameter(annotated, false, false)
		s.last = true
	case p.sym() == symName:
		s.any, s.bare = true, false
		value := p.parameter(annotated, false, true)
		if !s.star && s.value && !value {
			p.fail()
		}
		s.value = s.value || value && !s.star
	default:
		return false
	}
	return true
}

// parameter pushes one parameter and reports whether it has a default.
func (p *parser) parameter(annotated, star, mayDefault bool) bool {
	n := p.new(kParameter, p.pos)
	n.flag = star
	p.expect(symName)
	var annotation, value *node
	if annotated && p.take(opColon) {
		if star && p.version >= 11 {
			annotation = p.starExpression()
		} else {
			annotation = p.expression()
		}
	}
	if p.sym() == opAssign {
		if !mayDefault {
			p.fail()
		}
		p.pos++
		value = p.expression()
	}
	p.push(p.with(n, annotation, value))
	return value != nil
}
