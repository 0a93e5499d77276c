package cfamily

import (
	"slices"
	"strings"
)

// classWord handles class, struct, union or enum. If a body follows, the type is a definition.
func (r *reader) classWord(j, end int, h *head, in around) (next int, done bool) {
	c, ok := r.classHead(j, end)
	if !ok {
		return j + 1, false
	}
	behind := r.behind(c.body)
	last, closed := r.behindType(behind, end, h)
	s := symbol(r.str(j), strings.Join(c.name, "::"))
	s.Arguments, s.Bases = c.arguments, c.bases
	at := c.at
	if s.Title == "" && h.typedef {
		if name := r.typedefName(behind, last); name >= 0 {
			s.Title, at = r.str(name), name
		}
	}
	inner := in
	if s.Title != "" {
		s.BodyStart, s.BodyEnd = int(r.tokens[c.body].start), int(r.tokens[behind-1].end)
		s.SignatureEnd = r.endBefore(c.body)
		r.add(s, in, h.first, h.start, last-1, at)
		inner = around{path: r.found[len(r.found)-1].Name, depth: in.depth + 1, level: in.level}
	}
	if s.Kind != "enum" {
		inner.class = c.last()
		if inner.class == "" {
			inner.class = "(anonymous)"
		}
		r.scope(c.body+1, min(int(r.pair[c.body]), end), inner)
	}
	if h.typedef && len(c.name) > 0 {
		r.typedefs(h, in, behind, last)
	}
	if closed {
		return last, true
	}
	return r.afterType(last, end, h, in)
}

// afterType continues after a type whose value is declared in the same statement.
func (r *reader) afterType(j, end int, h *head, in around) (int, bool) {
	for k := j; k < end; k++ {
		switch r.byteAt(k) {
		case '(': // a function that returns the type
			h.groups = append(h.groups, k)
			k = r.behind(k) - 1
		case '[':
			k = r.behind(k) - 1
		case '=':
			return r.assigned(k, end, h, in), true
		case '{':
			return r.atBrace(k, end, h, in)
		case ';':
			return k + 1, true
		case '}':
			return k, true
		}
	}
	return end, true
}

// behindType returns the index after a type's declaration: after the ";" if only names and attributes come before
// it, otherwise right after the brace.
func (r *reader) behindType(j, end int, h *head) (next int, closed bool) {
	for k := j; k < end; k++ {
		switch b := r.byteAt(k); {
		case b == ';':
			return k + 1, true
		case b == '(' && (h.typedef || attribute(r.str(k-1)) || r.is(k-1, "(")) || b == '[':
			k = r.behind(k) - 1
		case b == '(' || b == '=' || b == '{' || b == '}':
			return j, false
		case r.tokens[k].first && k == j && !h.typedef && r.word(k) && !attribute(r.str(k)): // the ";" is missing
			return j, true
		}
	}
	return j, true
}

func attribute(s string) bool {
	return strings.HasPrefix(s, "__") || upper(s) || s == "alignas" || s == "_Alignas"
}

// classHead is the part of a declaration between class and its body.
type classHead struct {
	name      []string // parts of the qualified name; empty for an anonymous type
	arguments string
	bases     string
	at        int // index of the name, or of the keyword
	body      int // index of "{"
}

func (c classHead) last() string {
	if len(c.name) == 0 {
		return ""
	}
	return c.name[len(c.name)-1]
}

// classHead reads up to the body, and returns false if there is none.
func (r *reader) classHead(j, end int) (classHead, bool) {
	const most = 100 // limit in tokens, enough for macros and a qualified name
	c := classHead{at: j}
	whole := end
	end = min(end, j+most)
	k := j + 1
	if r.is(j, "enum") && (r.is(k, "class") || r.is(k, "struct")) {
		k++
	}
	for k < end {
		switch b := r.byteAt(k); {
		case b == '{':
			c.body = k
			return c, true
		case b == '[':
			k = r.behind(k)
		case r.word(k) && r.byteAt(k+1) == '(':
			if !attribute(r.str(k)) {
				return c, false
			}
			k = r.behind(k + 1)
		case r.word(k):
			if r.is(k, "final") && len(c.name) > 0 && !r.is(k-1, "::") {
				k++
				continue
			}
			if k = r.className(k, &c); k < 0 {
				return c, false
			}
		case r.is(k, "::"):
			k++
		case b == ':' && r.single(k):
			if c.body = r.bases(k+1, whole); c.body > k+1 {
				c.bases = strings.Join(strings.Fields(r.text[r.tokens[k+1].start:r.tokens[c.body-1].end]), " ")
			}
			return c, c.body >= 0
		default:
			return c, false
		}
	}
	return c, false
}

// className reads one name with its qualifiers. If there are several names, the last one is used, because the
// others are macros. It returns -1 if there cannot be a name.
func (r *reader) className(k int, c *classHead) int {
	c.name, c.arguments, c.at = nil, "", k
	for r.word(k) {
		c.name, c.at = append(c.name, r.str(k)), k
		k++
		if r.byteAt(k) == '<' {
			next, ok := r.skipAngles(k)
			if !r.cpp || !ok {
				return -1
			}
			c.arguments = r.text[r.tokens[k].start:r.tokens[next-1].end]
			k = next
		}
		if !r.is(k, "::") {
			return k
		}
		k++
	}
	return -1
}

// bases skips base classes or the type of an enum. It returns the index of "{", or -1 if there is none.
func (r *reader) bases(k, end int) int {
	const most = 2_000
	for end = min(end, k+most); k < end; {
		switch r.byteAt(k) {
		case '{':
			return k
		case '<':
			next, ok := r.skipAngles(k)
			if !ok {
				return -1
			}
			k = next
			continue
		case '(', '[':
			k = r.behind(k)
			continue
		case ';', ')', '}', '=':
			return -1
		}
		k++
	}
	return -1
}

// typedefName returns the index of the first name that a typedef declares for a type, or -1.
func (r *reader) typedefName(j, last int) int {
	name := -1
	for k := j; k < last; k++ {
		switch b := r.byteAt(k); {
		case r.word(k) && r.byteAt(k+1) == '(' && attribute(r.str(k)):
			k = r.behind(k+1) - 1
		case r.word(k) && !specifiers[r.str(k)] && (name < 0 || !upper(r.str(k))):
			name = k
		case b == ',' && name >= 0:
			return name
		case b == '[':
			k = r.behind(k) - 1
		}
	}
	return name
}

// typedefs adds the names that a typedef declares for a type with its own name.
func (r *reader) typedefs(h *head, in around, j, last int) {
	name := r.typedefName(j, last)
	if name < 0 || slices.ContainsFunc(r.found, func(s Symbol) bool {
		return s.Start == int(r.tokens[h.first].start) &&
			s.Title == r.str(name)
	}) {
		return
	}
	r.add(symbol("typedef", r.str(name)), in, h.first, h.start, last-1, name)
}

// namespace reads a namespace and its content.
func (r *reader) namespace(j, end int, h *head, in around) int {
	var parts []string
	at, k := j, j+1
	for k < end && r.byteAt(k) != '{' {
		switch {
		case r.byteAt(k) == '[', r.byteAt(k) == '(':
			k = r.behind(k)
			continue
		case r.byteAt(k) == ';' || r.byteAt(k) == '=' || r.byteAt(k) == '}':
			return r.toSemicolon(k, end)
		case r.word(k) && !r.is(k, "inline"):
			joined := r.is(k-1, "::") || r.is(k-1, "inline") && r.is(k-2, "::")
			switch {
			case joined:
				parts = append(parts, r.str(k))
			case len(parts) == 0 || !attribute(r.str(k)):
				parts, at = []string{r.str(k)}, k
			}
		}
		k++
	}
	if k >= end {
		return end
	}
	s := symbol("namespace", strings.Join(parts, "::"))
	inner := around{path: in.path, depth: in.depth + 1, level: in.level}
	if s.Title == "" {
		s.Title = "(anonymous)"
	}
	s.BodyStart, s.BodyEnd = int(r.tokens[k].start), int(r.tokens[r.behind(k)-1].end)
	s.SignatureEnd = r.endBefore(k)
	r.add(s, in, h.first, h.start, r.behind(k)-1, at)
	if len(parts) > 0 {
		inner.path = r.found[len(r.found)-1].Name
	}
	r.scope(k+1, min(int(r.pair[k]), end), inner)
	return min(r.behind(k), end)
}

// using reads a using declaration, which defines a type if it has a "=".
func (r *reader) using(j, end int, h *head, in around) int {
	next := r.toSemicolon(j, end)
	if !r.word(j + 1) {
		return next
	}
	k := j + 2
	for r.byteAt(k) == '[' {
		k = r.behind(k)
	}
	for r.word(k) { // unknown attributes
		if k++; r.byteAt(k) == '(' {
			k = r.behind(k)
		}
	}
	if r.is(k, "=") && r.byteAt(next-1) == ';' {
		r.add(symbol("type", r.str(j+1)), in, h.first, h.start, next-1, j+1)
	}
	return next
}
