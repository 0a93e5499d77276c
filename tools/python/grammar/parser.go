package grammar

// maxDepth limits how deeply expressions and blocks may nest. CPython's limit is of the same order.
const maxDepth = 3_000

// parser reads one file. It accepts exactly what CPython accepts and records where it had to stop.
type parser struct {
	arena
	src      string
	toks     []token
	pos      int
	depth    int
	scratch  []*node // children of unfinished nodes
	version  Version // the Python version whose syntax is accepted
	quotes   string  // the quotes of the f-string that is being read
	failures []failure
}

// failure is a statement that does not parse.
type failure struct {
	statement int    // its first token
	at        int    // the token that is not allowed
	text      string // the reason, if the parser knows it
}

// stop is the value with which a failing statement panics; statement recovers it.
type stop struct{ text string }

// parse reads a whole file. The root is a kBlock.
func parse(src string, toks []token, version Version) (*node, []failure) {
	p := &parser{src: src, toks: toks, version: version}
	root := p.new(kBlock, 0)
	base := len(p.scratch)
	for p.sym() != symEnd {
		p.push(p.statement())
	}
	return p.close(root, base), p.failures
}

func (p *parser) sym() symbol { return p.toks[p.pos].sym }

// peek returns the symbol of the token n places ahead.
func (p *parser) peek(n int) symbol {
	if p.pos+n < len(p.toks) {
		return p.toks[p.pos+n].sym
	}
	return symEnd
}

func (p *parser) fail() { panic(stop{}) }

// failWith fails at the next token with the given reason.
func (p *parser) failWith(text string) { panic(stop{text: text}) }

// since fails if syntax that was added in v is newer than the parser's version.
func (p *parser) since(v Version) {
	if p.version < v {
		p.fail()
	}
}

// take reads the next token and returns true if it has the given symbol.
func (p *parser) take(s symbol) bool {
	if p.toks[p.pos].sym != s {
		return false
	}
	p.pos++
	return true
}

// expect reads the next token, which must have the given symbol.
func (p *parser) expect(s symbol) {
	if p.toks[p.pos].sym != s {
		p.fail()
	}
	p.pos++
}

// word reports whether the next token is a name with the given text, such as a soft keyword.
func (p *parser) word(text string) bool {
	t := p.toks[p.pos]
	return t.sym == symName && p.src[t.start:t.end] == text
}

// enter counts one more level of nesting; leave undoes it.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.failWith("too many nested expressions or blocks")
	}
}

func (p *parser) leave() { p.depth-- }

// new begins a node at a token.
func (p *parser) new(k kind, token int) *node {
	n := p.node()
	*n = node{kind: k, token: int32(token), start: p.toks[token].start, end: p.toks[token].end}
	return n
}

// push adds a child to the unfinished node.
func (p *parser) push(n *node) { p.scratch = append(p.scratch, n) }

// close ends a node at the last token read. Its children are the nodes pushed since base.
func (p *parser) close(n *node, base int) *node {
	n.kids = p.list(p.scratch[base:])
	p.scratch = p.scratch[:base]
	if p.pos > 0 {
		n.end = max(n.end, p.toks[p.pos-1].end)
	}
	return n
}

// with finishes a node with the given children at the last token read.
func (p *parser) with(n *node, kids ...*node) *node {
	base := len(p.scratch)
	p.scratch = append(p.scratch, kids...)
	return p.close(n, base)
}

// name reads an identifier.
func (p *parser) name() *node {
	n := p.new(kName, p.pos)
	p.expect(symName)
	return n
}

// statement reads one statement including its line end. A statement that does not parse is recorded, skipped and
// represented by a kBroken node.
func (p *parser) statement() (n *node) {
	depth, base, began := p.depth, len(p.scratch), p.pos
	defer func() {
		if r := recover(); r != nil {
			failed, ours := r.(stop)
			if !ours {
				panic(r)
			}
			p.failures = append(p.failures, failure{statement: began, at: p.pos, text: failed.text})
			p.depth, p.scratch = depth, p.scratch[:base]
			n = p.recover(began)
		}
	}()
	p.enter()
	defer p.leave()
	if p.sym() == symIndent {
		p.fail()
	}
	return p.compoundOrSimple()
}

// recover skips the rest of a statement that began at token began: up to the end of its logical line, including a
// following block and any clauses that would be left without a head.
func (p *parser) recover(began int) *node {
	n := p.new(kBroken, began)
	base := len(p.scratch)
	for from := began; ; from = p.pos {
		if p.sym() != symIndent {
			p.skipLine(from)
		}
		if p.sym() == symIndent {
			p.push(p.indented())
		}
		switch p.sym() {
		case kwElif, kwElse, kwExcept, kwFinally:
			continue
		}
		return p.close(n, base)
	}
}

// skipLine advances past the next line end, by at least one token.
func (p *parser) skipLine(began int) {
	for p.pos > began && p.toks[p.pos-1].sym == symNewline {
		return
	}
	for p.sym() != symEnd {
		s := p.sym()
		if (s == symIndent || s == symDedent) && p.pos > began {
			return
		}
		p.pos++
		if s == symNewline {
			return
		}
	}
}

// indented reads an indented block, whatever precedes it.
func (p *parser) indented() *node {
	p.expect(symIndent)
	n := p.new(kBlock, p.pos)
	base := len(p.scratch)
	for p.sym() != symDedent && p.sym() != symEnd {
		p.push(p.statement())
	}
	p.take(symDedent)
	return p.close(n, base)
}

// block reads a colon and the suite of a compound statement.
func (p *parser) block() *node {
	p.expect(opColon)
	if p.take(symNewline) {
		return p.indented()
	}
	n := p.new(kBlock, p.pos)
	return p.with(n, p.simpleStatements())
}

// simpleStatements reads the simple statements of one line.
func (p *parser) simpleStatements() *node {
	n := p.new(kSimple, p.pos)
	first := p.simple()
	if p.take(symNewline) {
		return first
	}
	base := len(p.scratch)
	p.push(first)
	for p.take(opSemicolon) && p.sym() != symNewline {
		p.push(p.simple())
	}
	p.close(n, base)
	p.expect(symNewline)
	return n
}
