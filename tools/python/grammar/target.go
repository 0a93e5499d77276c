package grammar

// single reports whether n may be the target of an augmented or annotated
// assignment.
func single(n *node) bool {
	switch n.kind {
	case kName:
		return true
	case kChain:
		return n.last().kind != kCall
	}
	return false
}

// assignable reports whether n may be the target of an assignment, a loop or an "as".
func assignable(n *node) bool {
	return single(n) || n.kind == kStar && starless(n.kids[0]) || sequence(n, assignable)
}

func starless(n *node) bool { return n.kind != kStar && assignable(n) }

// deletable reports whether n may be deleted.
func deletable(n *node) bool { return single(n) || sequence(n, deletable) }

func sequence(n *node, valid func(*node) bool) bool {
	if n.kind != kTuple && n.kind != kList {
		return false
	}
	for _, kid := range n.kids {
		if !valid(kid) {
			return false
		}
	}
	return true
}

// targets reads the targets of a loop, up to but not including "in".
func (p *parser) targets() *node {
	n := p.new(kTuple, p.pos)
	first := p.target()
	if p.sym() != opComma {
		return first
	}
	base := len(p.scratch)
	p.push(first)
	for p.take(opComma) && p.sym() != kwIn {
		p.push(p.target())
	}
	return p.close(n, base)
}

// target reads one target, which may be starred.
func (p *parser) target() *node {
	n := p.new(kStar, p.pos)
	if p.take(opStar) {
		n = p.with(n, p.bitwise())
	} else {
		n = p.bitwise()
	}
	if !assignable(n) {
		p.fail()
	}
	return n
}
