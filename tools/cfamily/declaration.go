package cfamily

import "strings"

// scope reads the declarations from i up to end.
func (r *reader) scope(i, end int, in around) {
	if in.level++; in.level > maxDepth {
		return
	}
	for i < end {
		next := r.declaration(i, end, in)
		if next <= i { // cannot happen; prevents an endless loop if it does
			next = i + 1
		}
		i = next
	}
}

// head is the header of a declaration as read so far.
type head struct {
	first    int   // its first token
	start    int   // index after template<…>
	groups   []int // indexes of "(" at its own level
	operator int   // index of the word operator, or -1
	typedef  bool
	equals   int // index of "=", or -1
}

// declaration reads one declaration and returns the index after it.
func (r *reader) declaration(i, end int, in around) int {
	switch r.byteAt(i) {
	case ';', '}', ')', ']', ',':
		return i + 1
	case '{': // a block without a meaningful header
		return r.behind(i)
	}
	if next, ok := r.aside(i, end, in); ok {
		return next
	}
	h := head{first: i, start: i, operator: -1, equals: -1}
	for j := i; j < end; {
		if r.tokens[j].kind == word {
			next, done := r.atWord(j, end, &h, in)
			if done {
				return next
			}
			j = next
			continue
		}
		next, done := r.atSign(j, end, &h, in)
		if done {
			return next
		}
		j = next
	}
	return end
}

// aside skips text between declarations: access labels and macros that are statements.
func (r *reader) aside(i, end int, in around) (int, bool) {
	if !r.word(i) {
		return i, false
	}
	name := r.str(i)
	if r.cpp && in.class != "" {
		for k := i; k < min(i+3, end) && r.word(k); k++ {
			if r.is(k+1, ":") && (k > i || label(name)) {
				return k + 2, label(name)
			}
		}
	}
	if last, ok := r.classMacro(i, in); ok {
		return last + 1, true
	}
	if !upper(name) || r.macros.class[name] == takesPlace && !r.byItself(i) {
		return i, false
	}
	last := r.callEnd(i)
	switch {
	case last+1 >= end:
		return last + 1, true
	case last == i && r.newLine(last+1) && containsAny(name, "BEGIN", "END", "NAMESPACE", "DECLS", "OBJECT"):
		return last + 1, true
	case last > i && r.newLine(last+1) && r.begins(last+1) && !containsAny(name, "ATTR", "EXPORT", "API", "DEPRECAT",
		"NODISCARD", "INLINE", "TEMPLATE", "REQUIRES", "DECL"):
		return last + 1, true
	}
	return i, false
}

// classMacro reports whether a macro call begins at i that is alone on its lines, in front of an access label or of
// a constructor or destructor of the class. It returns its last token.
func (r *reader) classMacro(i int, in around) (last int, ok bool) {
	name := r.str(i)
	if last = r.callEnd(i); !r.cpp || in.class == "" || last == i || !r.newLine(last+1) || name == in.class ||
		notNames[name] || specifiers[name] {
		return last, false
	}
	switch next := last + 1; {
	case r.word(next) && label(r.str(next)) && r.is(next+1, ":"):
		return last, true
	case r.is(next, in.class) && r.byteAt(next+1) == '(', r.is(next, "~") && r.is(next+1, in.class):
		return last, !containsAny(name, "ATTR", "EXPORT", "API", "DEPRECAT", "NODISCARD", "INLINE", "TEMPLATE", "REQUIRES")
	}
	return last, false
}

// byItself reports whether a macro with arguments is alone on its line.
func (r *reader) byItself(i int) bool {
	last := r.callEnd(i)
	return last > i && r.tokens[i].first && r.newLine(last+1)
}

func label(name string) bool {
	switch name {
	case "public", "private", "protected", "signals", "Q_SIGNALS", "__published":
		return true
	}
	return upper(name)
}

func (r *reader) newLine(i int) bool { return i >= len(r.tokens) || r.tokens[i].first }

// begins reports whether a declaration or a closing brace can begin at i.
func (r *reader) begins(i int) bool {
	if i >= len(r.tokens) {
		return true
	}
	switch r.byteAt(i) {
	case '}', '~', '[':
		return true
	case ':':
		return r.is(i, "::")
	}
	switch r.str(i) {
	case "const", "noexcept", "override", "final", "volatile", "throw", "requires":
		return false
	}
	return r.word(i)
}

func containsAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// atWord handles a word in a declaration's header. done means that the declaration is complete and next is the
// index after it.
func (r *reader) atWord(j, end int, h *head, in around) (next int, done bool) {
	switch r.str(j) {
	case "struct", "union":
		return r.classWord(j, end, h, in)
	case "enum":
		return r.classWord(j, end, h, in)
	case "typedef":
		h.typedef = true
	case "extern":
		if j+1 < len(r.tokens) && r.tokens[j+1].kind == literal {
			if r.byteAt(j+2) == '{' {
				r.scope(j+3, min(int(r.pair[j+2]), end), in)
				return min(r.behind(j+2), end), true
			}
			return j + 2, false
		}
	case "__attribute__", "__attribute", "__declspec", "_Alignas", "alignas", "__asm__", "asm", "typeof", "__typeof__",
		"decltype", "__extension__":
		if r.byteAt(j+1) == '(' {
			return r.behind(j + 1), false
		}
	case "_Static_assert", "static_assert":
		return r.toSemicolon(j, end), true
	default:
		if r.cpp {
			return r.atWordCPP(j, end, h, in)
		}
	}
	return j + 1, false
}

func (r *reader) atWordCPP(j, end int, h *head, in around) (next int, done bool) {
	switch r.str(j) {
	case "class":
		return r.classWord(j, end, h, in)
	case "template":
		if r.byteAt(j+1) == '<' {
			if next, ok := r.skipAngles(j + 1); ok {
				h.start = next
				return next, false
			}
		}
	case "requires":
		next := r.skipRequires(j, end)
		if h.start == j {
			h.start = next
		}
		return next, false
	case "namespace":
		return r.namespace(j, end, h, in), true
	case "using":
		return r.using(j, end, h, in), true
	case "concept":
		if r.word(j+1) && r.is(j+2, "=") {
			last := r.toSemicolon(j, end) - 1
			r.add(symbol("concept", r.str(j+1)), in, h.first, h.start, last, j+1)
			return last + 1, true
		}
	case "explicit":
		if r.byteAt(j+1) == '(' {
			return r.behind(j + 1), false
		}
	case "operator":
		h.operator = j
		return r.skipOperator(j, end), false
	case "import", "module":
		if j == h.first || r.is(j-1, "export") {
			return r.toSemicolon(j, end), true
		}
	case "export":
		if j == h.first && r.byteAt(j+1) == '{' {
			r.scope(j+2, min(int(r.pair[j+1]), end), in)
			return min(r.behind(j+1), end), true
		}
	}
	return j + 1, false
}

// atSign handles any other token in a declaration's header.
func (r *reader) atSign(j, end int, h *head, in around) (next int, done bool) {
	switch r.byteAt(j) {
	case '(':
		h.groups = append(h.groups, j)
		return r.behind(j), false
	case '[':
		return r.behind(j), false
	case '<':
		if r.cpp && r.word(j-1) && r.single(j) {
			if next, ok := r.skipAngles(j); ok {
				return next, false
			}
		}
	case '=':
		if r.single(j) {
			return r.assigned(j, end, h, in), true
		}
	case ':':
		if r.single(j) {
			return r.atColon(j, end, h, in)
		}
	case '{':
		return r.atBrace(j, end, h, in)
	case ';':
		if !r.cpp && r.oldStyle(j, end, h) {
			return j + 1, false
		}
		r.declared(j, h, in)
		return j + 1, true
	case '}':
		return j, j > h.first
	}
	return j + 1, false
}

// toSemicolon returns the index after the next ";" at this level.
func (r *reader) toSemicolon(j, end int) int {
	for j < end {
		switch r.byteAt(j) {
		case '(', '[', '{':
			j = r.behind(j)
			continue
		case ';':
			return j + 1
		case '}':
			return j
		}
		j++
	}
	return end
}

// atColon handles the ":" of constructor initializers, a bit-field or a label.
func (r *reader) atColon(j, end int, h *head, in around) (next int, done bool) {
	if len(h.groups) == 0 {
		if j == h.first+1 && in.class == "" { // a label, which is an error here
			return j + 1, true
		}
		return j + 1, false
	}
	body := r.skipInitializers(j+1, end)
	if body < end && r.byteAt(body) == '{' {
		return r.atBrace(body, end, h, in)
	}
	return body, false
}

// skipInitializers skips a(1), b{2}, C<int>(3) and returns the index after them.
func (r *reader) skipInitializers(j, end int) int {
	for j < end {
		for j < end && (r.word(j) || r.is(j, "::")) {
			j++
			if r.byteAt(j) == '<' {
				if next, ok := r.skipAngles(j); ok {
					j = next
				}
			}
		}
		if b := r.byteAt(j); b != '(' && b != '{' || j >= end {
			return j
		}
		j = r.behind(j)
		if r.is(j, "...") {
			j++
		}
		if r.byteAt(j) != ',' {
			return j
		}
		j++
	}
	return end
}

// skipRequires skips a requires clause, whose expression may have braces.
func (r *reader) skipRequires(j, end int) int {
	for j < end {
		j++ // skip requires, && or ||
		expression := false
		for r.is(j, "!") || r.is(j, "requires") {
			expression = expression || r.is(j, "requires")
			j++
		}
		switch {
		case expression:
			if r.byteAt(j) == '(' {
				j = r.behind(j)
			}
			if r.byteAt(j) == '{' {
				j = r.behind(j)
			}
		case r.byteAt(j) == '(':
			j = r.behind(j)
		default:
			j = r.skipName(j)
		}
		if !r.is(j, "&&") && !r.is(j, "||") {
			return min(j, end)
		}
	}
	return end
}

// skipName skips A::B<C>::d.
func (r *reader) skipName(j int) int {
	for r.word(j) || r.is(j, "::") {
		j++
		if r.byteAt(j) == '<' {
			if next, ok := r.skipAngles(j); ok {
				j = next
			}
		}
		if !r.is(j, "::") && !r.is(j-1, "::") {
			return j
		}
	}
	return j
}

// skipOperator returns the index of the "(" of an operator's parameters.
func (r *reader) skipOperator(j, end int) int {
	j++
	if r.byteAt(j) == '(' && r.byteAt(j+1) == ')' {
		j += 2
	} else if r.byteAt(j) == '[' {
		j += 2
	}
	for j < end && r.byteAt(j) != '(' && r.byteAt(j) != ';' && r.byteAt(j) != '{' {
		if r.byteAt(j) == '[' {
			j = r.behind(j)
			continue
		}
		if r.byteAt(j) == '<' && r.word(j-1) && !r.is(j-1, "operator") {
			if next, ok := r.skipAngles(j); ok {
				j = next
				continue
			}
		}
		j++
	}
	return min(j, end)
}
