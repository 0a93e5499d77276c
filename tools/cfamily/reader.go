package cfamily

import (
	"slices"
	"strings"

	"manualslop/tools/syntax"
)

// reader reads declarations. Its functions take and return indexes of tokens.
type reader struct {
	text    string
	cpp     bool
	macros  Macros
	tokens  []token
	pair    []int32 // for an opening bracket, the index of its closing one, or len(tokens) if there is none
	dropped []span
	found   []Symbol
}

// around describes what encloses a declaration.
type around struct {
	path  string // path of the enclosing symbols; empty at top level
	class string // name of the class whose members are read
	depth int    // enclosing symbols
	level int    // enclosing scopes, including those that are not symbols
}

// maxDepth limits nested scopes, so that an untrusted text cannot exhaust the stack.
const maxDepth = 200

func (r *reader) str(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.text[r.tokens[i].start:r.tokens[i].end]
}

func (r *reader) is(i int, s string) bool { return r.str(i) == s }

// byteAt returns the first byte of a sign, or 0 for any other token.
func (r *reader) byteAt(i int) byte {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != sign {
		return 0
	}
	return r.text[r.tokens[i].start]
}

func (r *reader) word(i int) bool { return i >= 0 && i < len(r.tokens) && r.tokens[i].kind == word }

// single reports whether a sign is one byte long.
func (r *reader) single(i int) bool { return r.tokens[i].end-r.tokens[i].start == 1 }

// match pairs brackets. A closing bracket without an open one of its kind is ignored; one that matches an outer
// bracket also closes those inside. If braces stay open, they are paired again by indentation, so that a
// forgotten one affects only its own function.
func (r *reader) match() {
	if r.pairUp(false) {
		return
	}
	r.pairUp(true)
}

// pairUp pairs brackets and reports whether every brace was closed.
func (r *reader) pairUp(byIndent bool) bool {
	r.pair = make([]int32, len(r.tokens))
	var open, widths []int
	if byIndent {
		widths = r.indents()
	}
	for i := range r.tokens {
		r.pair[i] = int32(len(r.tokens))
		switch r.byteAt(i) {
		case '(', '[', '{':
			open = append(open, i)
		case ')':
			open = r.closing(open, i, '(')
		case ']':
			open = r.closing(open, i, '[')
		case '}':
			if byIndent && r.tokens[i].first {
				open = r.closingIndented(open, i, widths)
			} else {
				open = r.closing(open, i, '{')
			}
		}
	}
	for _, i := range open {
		if r.byteAt(i) == '{' {
			return false
		}
	}
	return true
}

// closing pairs the bracket at i with the innermost open one of its kind.
func (r *reader) closing(open []int, i int, want byte) []int {
	for k := len(open) - 1; k >= 0; k-- {
		kind := r.byteAt(open[k])
		if kind == want {
			return r.closeAll(open, k, i)
		}
		if kind == '{' { // a parenthesis does not close brackets outside its block
			break
		}
	}
	return open
}

// closingIndented pairs a brace that begins its line with the innermost open one whose line has the same
// indentation, or else with the innermost one.
func (r *reader) closingIndented(open []int, i int, widths []int) []int {
	const most = 200
	width := widths[i]
	for k := len(open) - 1; k >= max(0, len(open)-most); k-- {
		if r.byteAt(open[k]) == '{' && widths[open[k]] == width {
			return r.closeAll(open, k, i)
		}
	}
	return r.closing(open, i, '{')
}

// closeAll closes the open bracket number k and those inside it.
func (r *reader) closeAll(open []int, k, i int) []int {
	for _, lost := range open[k:] {
		r.pair[lost] = int32(i)
	}
	return open[:k]
}

// indents returns the indentation width of each token's line.
func (r *reader) indents() []int {
	out := make([]int, len(r.tokens))
	at, width, fresh := 0, 0, true
	for i, t := range r.tokens {
		for ; at < int(t.start); at++ {
			switch c := r.text[at]; {
			case c == '\n' || c == '\r':
				width, fresh = 0, true
			case fresh && (c == ' ' || c == '\t'):
				width++
			default:
				fresh = false
			}
		}
		out[i] = width
		fresh = false
	}
	return out
}

// behind returns the index after the bracket that closes i.
func (r *reader) behind(i int) int { return min(int(r.pair[i])+1, len(r.tokens)) }

// dropAnnotations removes the macros that are known to annotate or to stand for themselves.
func (r *reader) dropAnnotations() {
	kept := make([]token, 0, len(r.tokens))
	for i := 0; i < len(r.tokens); i++ {
		t := r.tokens[i]
		class := macroClass(0)
		if t.kind == word {
			class = r.macros.class[r.text[t.start:t.end]]
		}
		if class != annotates && class != stands || r.keep(i) {
			kept = append(kept, t)
			continue
		}
		last := i
		if r.macros.calls[r.str(i)] {
			last = r.callEnd(i)
		}
		if class == annotates && !(t.first && r.newLine(last+1) && marker(r.str(i))) {
			r.dropped = append(r.dropped, span{int(t.start), int(r.tokens[last].end)})
		} else if r.byteAt(last+1) == ';' {
			last++
		}
		i = last
	}
	r.tokens = kept
}

// marker reports whether a macro's name suggests that it brackets declarations.
func marker(name string) bool { return containsAny(name, "BEGIN", "END", "NAMESPACE") }

// keep reports whether a known macro's name means something else here: a member or a language specifier.
func (r *reader) keep(i int) bool {
	switch r.str(i - 1) {
	case ".", "->", "::":
		return true
	}
	return specifiers[r.str(i)]
}

// callEnd returns the last token of a macro's use: its closing parenthesis if it has arguments.
func (r *reader) callEnd(i int) int {
	if r.byteAt(i+1) != '(' {
		return i
	}
	depth := 0
	for k := i + 1; k < len(r.tokens); k++ {
		switch r.byteAt(k) {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return k
			}
		case '{', '}', ';':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// add records the symbol from tokens[first] to tokens[last]; head is the index after template<…>, and name is the
// index of its name.
func (r *reader) add(s Symbol, in around, first, head, last, name int) {
	s.Start, s.End = int(r.tokens[first].start), int(r.tokens[min(last, len(r.tokens)-1)].end)
	s.Head = int(r.tokens[min(head, len(r.tokens)-1)].start)
	s.Start = r.overAnnotations(first, s.Start)
	s.Head = max(r.overAnnotations(head, s.Head), s.Start)
	if s.SignatureEnd == 0 {
		s.SignatureEnd = s.End
	}
	s.SignatureEnd = min(max(s.SignatureEnd, s.Start), s.End)
	s.at = int(r.tokens[name].start)
	s.Line = s.at
	s.Depth = in.depth
	s.Name = s.Title
	if in.path != "" {
		s.Name = in.path + "::" + s.Title
	}
	r.found = append(r.found, s)
}

// overAnnotations moves the start of a declaration before annotations that were dropped between it and the
// previous token, if at most a line end separates them.
func (r *reader) overAnnotations(first, start int) int {
	before := 0
	if first > 0 {
		before = int(r.tokens[first-1].end)
	}
	i, _ := slices.BinarySearchFunc(r.dropped, start, func(d span, at int) int { return d.start - at })
	for i--; i >= 0 && r.dropped[i].start >= before && r.adjoins(r.dropped[i].end, start); i-- {
		start = r.dropped[i].start
	}
	return start
}

// adjoins reports whether only blanks and at most one line end are between two offsets.
func (r *reader) adjoins(end, start int) bool {
	if end > start {
		return false
	}
	gap := strings.ReplaceAll(r.text[end:start], "\r\n", "\n")
	return strings.Trim(gap, " \t\r\n\f") == "" && strings.Count(gap, "\n")+strings.Count(gap, "\r") <= 1
}

// endBefore returns the end of the token before i.
func (r *reader) endBefore(i int) int { return int(r.tokens[max(i-1, 0)].end) }

// upper reports whether a word looks like a macro: at least three capitals, digits and underscores.
func upper(s string) bool {
	return len(s) >= 3 && strings.ToUpper(s) == s && strings.ContainsAny(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// skipAngles returns the index after the ">" that closes the "<" at i, or false if none does. If counting every
// "<" fails, those surrounded by blanks count as comparisons.
func (r *reader) skipAngles(i int) (int, bool) {
	if next, ok := r.countAngles(i, false); ok {
		return next, true
	}
	return r.countAngles(i, true)
}

func (r *reader) countAngles(i int, compares bool) (int, bool) {
	const most = 1_500 // tokens
	depth := 0
	for k := i; k < min(len(r.tokens), i+most); k++ {
		switch r.byteAt(k) {
		case '<':
			if r.single(k) && !(compares && k > i && r.spaced(k)) {
				depth++
			}
		case '>':
			if compares && r.spaced(k) && r.byteAt(k+1) != '>' && depth == 1 &&
				r.tokens[min(k+1, len(r.tokens)-1)].kind == number {
				continue
			}
			if depth--; depth == 0 {
				return k + 1, true
			}
		case '(', '[', '{':
			k = r.behind(k) - 1
		case ';', '}', ')', ']':
			return i, false
		}
	}
	return i, false
}

// spaced reports whether a token has blanks on both sides.
func (r *reader) spaced(k int) bool {
	t := r.tokens[k]
	return t.start > 0 && int(t.end) < len(r.text) && r.text[t.start-1] <= ' ' && r.text[t.end] <= ' '
}

// backAngles returns the index of the "<" that the ">" at i closes, or -1 if there is none.
func (r *reader) backAngles(i int) int {
	const most = 1_000
	depth, parens := 0, 0
	for k := i; k >= max(0, i-most); k-- {
		switch r.byteAt(k) {
		case ')', ']', '}':
			parens++
		case '(', '[', '{':
			if parens--; parens < 0 {
				return -1
			}
		case '>':
			if parens == 0 {
				depth++
			}
		case '<':
			if parens > 0 || !r.single(k) {
				continue
			}
			if depth--; depth == 0 {
				return k
			}
		case ';':
			return -1
		}
	}
	return -1
}

// symbol returns a new symbol of a kind.
func symbol(kind, title string) Symbol {
	return Symbol{Symbol: syntax.Symbol{Kind: kind, Title: title}}
}
