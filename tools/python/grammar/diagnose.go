package grammar

import (
	"manualslop/tools/document"
	"manualslop/tools/python"
)

// A statement that does not parse is read once more by a second parser, which finds the words for
// what is wrong. It tries alternatives in CPython's order, twice: first as the language is defined,
// to learn how far one can get, then with the alternatives that CPython has for frequent mistakes.
// The first mistake recognised is the error; where there is none, the text is wrong at the last
// token that the first time looked at.

// What the diagnoses of one text may cost, in looks at tokens. Right statements take some thirty for a
// token; a mistake in the middle of many brackets can take any number.
const (
	leastSteps    = 500_000
	stepsPerToken = 40
)

// rule names what is remembered for a token.
type rule uint8

const (
	ruleExpression rule = iota
	ruleStarExpression
	ruleInvalidNamed
	ruleDisjunction
	ruleConjunction
	ruleInversion
	ruleBitwise
	ruleFactor
	ruleAwait
	rulePrimary
	ruleStrings
	ruleArguments
	ruleStarTarget
	ruleTarget
	ruleTargetPrimary
	ruleDelTarget
	ruleSimple
	ruleBlock
	ruleClosedPattern
	ruleStarPattern
	ruleTypeParameter
)

type memoKey struct {
	rule rule
	at   int32
}

type memoValue struct {
	n   *node
	end int32
}

// diagnosis is the second parser. Its methods give nil or false where their piece of the language
// does not stand; the position is then undefined, unless the method is remembered.
type diagnosis struct {
	arena
	src     string
	lines   []document.Line
	toks    []token
	levels  []uint16 // open brackets behind each token
	minor   int      // 11 for Python 3.11
	pos     int
	fill    int  // tokens that were looked at
	invalid bool // with the alternatives for mistakes
	memo    map[memoKey]memoValue
	steps   *int  // left
	yes     *node // what statements give that are there
}

// complaint is an error as it is raised. Offsets are bytes.
type complaint struct {
	kind       string
	text       string
	line       int  // an offset + 1 in the line that is named, where that is not the line of start
	start, end int  // start is -1 for the end of the text as such
	blank      bool // start is the end of an indentation, of which the last column counts
	doubtful   bool // the words may not be those of CPython
	plain      bool // nothing but "invalid syntax" or an unexpected indentation is known
	reached    int  // where the last token begins that was looked at
}

// exhausted says that the diagnosis took too many steps.
type exhausted struct{}

// diagnose finds what is wrong with the statement that begins at token first, or with what follows
// it. It answers false where nothing is found, or not within the steps that are left.
func (c *checker) diagnose(first int) (found complaint, ok bool) {
	d := &diagnosis{
		src: c.file.Text, lines: c.file.Lines, toks: c.toks, levels: c.levels, minor: int(c.version), pos: first, fill: first + 1, steps: &c.steps,
	}
	d.yes = d.node()
	last := -1
	defer func() {
		switch r := recover().(type) {
		case nil:
		case complaint:
			found, ok = r, true
		case exhausted:
			if ok = last >= 0; ok {
				found = d.generic(last)
				found.doubtful = true
			}
		default:
			panic(r)
		}
		found.reached = d.reached()
	}()
	if d.passes(first) {
		return complaint{}, false
	}
	last = d.fill - 1
	d.invalid = true
	d.passes(first)
	return d.generic(last), true
}

// reached is where the last token that was looked at begins; a line end counts to the next line,
// because it may stand for a bracket that is not closed.
func (d *diagnosis) reached() int {
	switch t := d.toks[d.fill-1]; t.sym {
	case symIndent, symDedent:
		return int(t.start) - 1
	default:
		return int(t.start)
	}
}

// passes reads statements from a token on and tells whether they end with their block.
func (d *diagnosis) passes(first int) bool {
	d.memo, d.pos = map[memoKey]memoValue{}, first
	for d.statement() {
	}
	return d.toks[d.pos].sym == symEnd || d.toks[d.pos].sym == symDedent
}

// generic is the complaint about a token that cannot be.
func (d *diagnosis) generic(last int) complaint {
	t := d.toks[last]
	c := complaint{kind: python.SyntaxError, text: "invalid syntax", start: int(t.start), end: int(t.end)}
	switch t.sym {
	case symIndent:
		c = d.complain(python.IndentationError, "unexpected indent", d.fill-1)
	case symDedent:
		c = d.complain(python.IndentationError, "unexpected unindent", d.fill-1)
	case symEnd:
		c.start = -1
	}
	c.plain = true
	return c
}

// complain makes a complaint at a token.
func (d *diagnosis) complain(kind, text string, at int) complaint {
	t := d.toks[at]
	return complaint{kind: kind, text: text, start: int(t.start), end: int(t.end), blank: t.sym == symIndent || t.sym == symDedent || t.sym == symEnd}
}

// raise raises an error at the last token that was looked at.
func (d *diagnosis) raise(text string) { panic(d.complain(python.SyntaxError, text, d.fill-1)) }

// raiseIndent raises an error of indentation there.
func (d *diagnosis) raiseIndent(text string) {
	panic(d.complain(python.IndentationError, text, d.fill-1))
}

// raiseAt raises an error over a piece of the tree.
func (d *diagnosis) raiseAt(n *node, text string) { d.raiseRange(n, n, text) }

// raiseRange raises an error from the start of one piece to the end of another.
func (d *diagnosis) raiseRange(a, b *node, text string) {
	panic(complaint{kind: python.SyntaxError, text: text, start: int(a.start), end: int(b.end)})
}

// raiseFrom raises an error from the start of a piece to the last token that was looked at.
func (d *diagnosis) raiseFrom(a *node, text string) {
	panic(complaint{kind: python.SyntaxError, text: text, start: int(a.start), end: int(d.toks[d.fill-1].end)})
}

// raiseNext raises an error at the next token.
func (d *diagnosis) raiseNext(text string) {
	d.sym()
	panic(d.complain(python.SyntaxError, text, d.pos))
}

// sym looks at the next token.
func (d *diagnosis) sym() symbol {
	d.fill = max(d.fill, d.pos+1)
	if *d.steps--; *d.steps < 0 {
		panic(exhausted{})
	}
	return d.toks[d.pos].sym
}

// tok reads one token of a kind, if it is the next one.
func (d *diagnosis) tok(s symbol) bool {
	if d.sym() != s {
		return false
	}
	if d.pos < len(d.toks)-1 {
		d.pos++
	}
	return true
}

// at tells whether the next token is one of some kinds.
func (d *diagnosis) at(any ...symbol) bool {
	now := d.sym()
	for _, s := range any {
		if s == now {
			return true
		}
	}
	return false
}

// leaf reads one token of a kind as a node.
func (d *diagnosis) leaf(s symbol) *node {
	at := d.pos
	if !d.tok(s) {
		return nil
	}
	return d.span(kInvalid, at)
}

// name reads an identifier.
func (d *diagnosis) name() *node {
	at := d.pos
	if !d.tok(symName) {
		return nil
	}
	return d.span(kName, at)
}

// soft reads a soft keyword.
func (d *diagnosis) soft(text string) bool {
	return d.sym() == symName && d.text(d.pos) == text && d.tok(symName)
}

func (d *diagnosis) text(at int) string { return d.src[d.toks[at].start:d.toks[at].end] }

// insist reads a token that has to be there, also for the first time. It is always true.
func (d *diagnosis) insist(s symbol) bool {
	if d.sym() != s {
		panic(d.complain(python.SyntaxError, "expected '"+s.spelling()+"'", d.pos))
	}
	d.pos++
	return true
}

// span makes a node from a token on to the last one read.
func (d *diagnosis) span(k kind, at int, kids ...*node) *node {
	n := d.node()
	last := d.pos - 1
	for last > at && (d.toks[last].sym == symNewline || d.toks[last].sym == symIndent || d.toks[last].sym == symDedent) {
		last--
	}
	*n = node{kind: k, token: int32(at), start: d.toks[at].start, end: d.toks[max(last, at)].end, kids: d.list(kids)}
	return n
}

// remembered reads a piece once per token.
func (d *diagnosis) remembered(r rule, read func() *node) *node {
	key := memoKey{r, int32(d.pos)}
	if known, ok := d.memo[key]; ok {
		d.pos = int(known.end)
		return known.n
	}
	at := d.pos
	n := read()
	if n == nil {
		d.pos = at
	}
	d.memo[key] = memoValue{n, int32(d.pos)}
	return n
}

// try runs one alternative for a mistake, which raises if it finds one, and goes back.
func (d *diagnosis) try(alternatives ...func()) {
	if !d.invalid {
		return
	}
	at := d.pos
	for _, alternative := range alternatives {
		alternative()
		d.pos = at
	}
}

// optional reads a piece or goes back; it is always there.
func (d *diagnosis) optional(read func() bool) bool {
	at := d.pos
	if !read() {
		d.pos = at
	}
	return true
}

// several reads pieces with a separator between them; zero or more. A separator behind the last
// piece is left.
func (d *diagnosis) several(separator symbol, read func() *node) []*node {
	var out []*node
	for {
		at := d.pos
		if len(out) > 0 && !d.tok(separator) {
			d.pos = at
			return out
		}
		n := read()
		if n == nil {
			d.pos = at
			return out
		}
		out = append(out, n)
	}
}

// repeat reads pieces one behind the other; zero or more.
func (d *diagnosis) repeat(read func() *node) []*node {
	var out []*node
	for {
		at := d.pos
		n := read()
		if n == nil {
			d.pos = at
			return out
		}
		out = append(out, n)
	}
}

// ok makes a node of a truth.
func (d *diagnosis) ok(is bool) *node {
	if is {
		return d.yes
	}
	return nil
}

// levelsOf counts the open brackets behind each token.
func levelsOf(toks []token) []uint16 {
	levels := make([]uint16, len(toks))
	level := 0
	for i, t := range toks {
		switch t.sym {
		case opLeftParen, opLeftBracket, opLeftBrace:
			level++
		case opRightParen, opRightBracket, opRightBrace:
			level = max(0, level-1)
		case symNewline:
			level = 0
		}
		levels[i] = uint16(min(level, 1<<16-1))
	}
	return levels
}
