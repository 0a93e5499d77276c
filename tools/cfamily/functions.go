package cfamily

import (
	"slices"
	"strings"
)

// atBrace handles a "{" that does not belong to a class: a function body, or a value in braces.
func (r *reader) atBrace(j, end int, h *head, in around) (next int, done bool) {
	behind := min(r.behind(j), end)
	f, ok := r.function(h, in)
	if !ok {
		if r.byteAt(behind) == ';' || r.byteAt(behind) == ',' {
			r.variable(h, in, j, behind)
			return behind, false
		}
		return behind, true
	}
	s := f.symbol
	s.BodyStart, s.SignatureEnd = int(r.tokens[j].start), r.endBefore(j)
	for r.is(behind, "catch") && r.byteAt(behind+1) == '(' { // a function that is a try block
		block := r.behind(behind + 1)
		if r.byteAt(block) != '{' {
			break
		}
		behind = min(r.behind(block), end)
	}
	s.BodyEnd = int(r.tokens[behind-1].end)
	if c := r.initializers(f.group, j); c >= 0 {
		s.SignatureEnd = r.endBefore(c)
	}
	r.add(s, in, h.first, h.start, behind-1, f.at)
	return behind, true
}

// initializers returns the index of the ":" before a constructor's initializers, or -1 if there are none.
func (r *reader) initializers(group, body int) int {
	for k := r.behind(group); k < body; k++ {
		switch r.byteAt(k) {
		case '(', '[', '{':
			k = r.behind(k) - 1
		case ':':
			if r.single(k) {
				return k
			}
		}
	}
	return -1
}

// assigned handles a "=" in a declaration: before a value, or in = default, = delete and = 0.
func (r *reader) assigned(j, end int, h *head, in around) int {
	next := r.toSemicolon(j, end)
	h.equals = j
	if f, ok := r.function(h, in); ok && (r.word(j+1) && (r.is(j+1, "default") || r.is(j+1, "delete")) || r.is(j+1, "0")) {
		s := f.symbol
		s.Declaration = r.is(j+1, "0")
		s.SignatureEnd = r.endBefore(j)
		r.add(s, in, h.first, h.start, next-1, f.at)
		return next
	}
	r.variable(h, in, j, next)
	return next
}

// variable adds a variable with a value outside classes.
func (r *reader) variable(h *head, in around, j, next int) {
	name := j - 1
	for name > h.start && r.byteAt(name) == ']' {
		open := name
		for open > h.start && !(r.byteAt(open) == '[' && int(r.pair[open]) == name) {
			open--
		}
		name = open - 1
	}
	if in.class != "" || h.typedef || len(h.groups) > 0 || !r.word(name) || name <= h.start || h.operator >= 0 {
		return
	}
	if r.byteAt(next) == ';' {
		next++
	}
	s := symbol("variable", r.str(name))
	for k := name - 1; r.is(k, "::") && r.word(k-1); k -= 2 {
		s.Title = r.str(k-1) + "::" + s.Title
	}
	s.SignatureEnd = r.endBefore(j)
	for k := j; k < min(j+2, next); k++ {
		if r.byteAt(k) == '{' {
			s.BodyStart, s.BodyEnd = int(r.tokens[k].start), int(r.tokens[r.behind(k)-1].end)
			break
		}
	}
	r.add(s, in, h.first, h.start, next-1, name)
}

// declared handles the ";" of a declaration without a body.
func (r *reader) declared(j int, h *head, in around) {
	if h.typedef {
		r.typedefOf(j, h, in)
		return
	}
	if h.equals >= 0 {
		return
	}
	f, ok := r.function(h, in)
	if !ok || f.macro || !r.parameters(f, in) {
		return
	}
	s := f.symbol
	s.Declaration, s.SignatureEnd = true, r.endBefore(j)
	r.add(s, in, h.first, h.start, j, f.at)
}

// typedefOf adds the name of a typedef without a body: the name before the parameters of a function, the name
// after a star in parentheses, or else the last word.
func (r *reader) typedefOf(j int, h *head, in around) {
	name := -1
	for k := h.start; k < j; k++ {
		switch b := r.byteAt(k); {
		case b == '(' && (r.byteAt(k+1) == '*' || r.byteAt(k+1) == '&' || r.word(k+1) && r.byteAt(k+2) == '*' &&
			r.byteAt(k+3) != ')'):
			for k++; k < j && r.byteAt(k) != ')'; k++ {
				if r.word(k) {
					name = k
				}
			}
			k = j
		case b == '(' || b == '[':
			k = r.behind(k) - 1
		case b == '<':
			if next, ok := r.skipAngles(k); ok {
				k = next - 1
			}
		case b == ',':
			k = j
		case r.word(k) && !specifiers[r.str(k)] && (name < 0 || !strings.HasPrefix(r.str(k), "__attr")):
			name = k
		}
	}
	if name > h.start {
		r.add(symbol("typedef", r.str(name)), in, h.first, h.start, j, name)
	}
}

// callable is a function found in a header.
type callable struct {
	symbol Symbol
	at     int  // index of its name
	group  int  // index of the "(" of its parameters
	macro  bool // a macro call that acts as a header
	typed  bool // it has a return type
}

// notNames are words before a parenthesis that are not function names.
var notNames = words(`if while for switch return sizeof alignof _Alignof catch decltype typeof __typeof__ noexcept throw alignas _Alignas __attribute__ __attribute
	__declspec explicit requires __asm__ __asm asm static_assert _Static_assert defined co_await co_return co_yield new delete else do case goto
	void int char bool float double long short unsigned signed auto const constexpr volatile static inline extern typename template virtual friend
	struct class union enum typedef namespace using public private protected operator __extension__`)

// function finds the function that a header declares.
func (r *reader) function(h *head, in around) (callable, bool) {
	if h.operator >= 0 {
		return r.operatorOf(h, in)
	}
	for n, group := range h.groups {
		f, ok := r.named(h, group, in)
		if !ok || !r.trailed(f, group, h) {
			continue
		}
		if !f.typed && f.macro && r.laterFunction(h, n, in) {
			continue
		}
		return f, true
	}
	return callable{}, false
}

// laterFunction reports whether a group after the nth belongs to a named function, so that the nth belongs to a
// macro before it.
func (r *reader) laterFunction(h *head, n int, in around) bool {
	for _, group := range h.groups[n+1:] {
		if r.is(group-1, ")") || !r.word(group-1) || upper(r.str(group-1)) || attribute(r.str(group-1)) {
			continue
		}
		if c := r.initializers(h.groups[n], group); c >= 0 {
			return false
		}
		if f, ok := r.named(h, group, in); ok && r.trailed(f, group, h) {
			return true
		}
	}
	return false
}

// named finds the name before a group of parameters.
func (r *reader) named(h *head, group int, in around) (callable, bool) {
	k := group - 1
	if k < h.start {
		return callable{}, false
	}
	if r.byteAt(k) == '>' {
		if k = r.backAngles(k) - 1; k < h.start {
			return callable{}, false
		}
	}
	if inner, ok := r.inParentheses(group); ok && (!r.word(k) || !upper(r.str(k)) || r.byteAt(group+1) == '*') {
		f := callable{at: inner, group: group, typed: true, symbol: symbol("function", r.str(inner))}
		return f, r.byteAt(r.behind(group)) == '(' || r.byteAt(inner+1) == '('
	}
	if !r.word(k) || notNames[r.str(k)] {
		return callable{}, false
	}
	return r.qualified(h, k, group, in), true
}

// inParentheses finds the name in (*f(int))(int) and (f)(int).
func (r *reader) inParentheses(group int) (int, bool) {
	k := group + 1
	for r.byteAt(k) == '*' || r.byteAt(k) == '&' || k > group+1 && (r.is(k, "const") || r.byteAt(k) == '(') {
		k++
	}
	last := int(r.pair[group])
	if !r.word(k) || last >= len(r.tokens) || notNames[r.str(k)] {
		return 0, false
	}
	alone := k == group+1 && k == last-1 && r.byteAt(last+1) == '('
	return k, alone || k > group+1 && r.byteAt(k+1) == '('
}

// qualified reads the name that ends at k, including its qualifiers.
func (r *reader) qualified(h *head, k, group int, in around) callable {
	f := callable{at: k, group: group}
	parts := []string{r.str(k)}
	if r.is(k-1, "~") {
		k--
		parts[0] = "~" + parts[0]
	}
	k = r.qualifiers(k, h.start, &parts)
	name := parts[len(parts)-1]
	f.typed = r.typedBefore(h.start, k)
	kind := "function"
	switch {
	case strings.HasPrefix(name, "~"):
		kind = "destructor"
	case r.cpp && len(parts) == 1 && name == in.class, r.cpp && len(parts) > 1 && parts[len(parts)-2] == name:
		kind = "constructor"
	case r.cpp && (in.class != "" && !r.friend(h) || len(parts) > 1 && !r.isNamespace(parts, in)):
		kind = "method"
	}
	f.symbol = symbol(kind, strings.Join(parts, "::"))
	if !f.typed && kind == "function" && upper(name) {
		f.macro = true
		f.symbol.Title = strings.Join(strings.Fields(r.text[r.tokens[f.at].start:r.tokens[r.behind(group)-1].end]), " ")
	}
	return f
}

// qualifiers walks back over A::B<C>:: and prepends the names to parts. It returns the first token.
func (r *reader) qualifiers(k, least int, parts *[]string) int {
	for k-1 >= least && r.is(k-1, "::") {
		k--
		at := k - 1
		if r.byteAt(at) == '>' {
			at = r.backAngles(at) - 1
		}
		if at < least || !r.word(at) || notNames[r.str(at)] && !r.is(at, "operator") {
			break
		}
		*parts = slices.Insert(*parts, 0, r.str(at))
		k = at
	}
	return k
}

// typedBefore reports whether there is a return type between first and k.
func (r *reader) typedBefore(first, k int) bool {
	for i := first; i < k; i++ {
		switch {
		case r.byteAt(i) == '(' || r.byteAt(i) == '[':
			i = r.behind(i) - 1
		case r.word(i) && !specifiers[r.str(i)]:
			return true
		case r.byteAt(i) == '*' || r.byteAt(i) == '&':
			return true
		}
	}
	return false
}

func (r *reader) friend(h *head) bool {
	for k := h.first; k < min(h.first+30, len(r.tokens)); k++ {
		if r.is(k, "friend") {
			return true
		}
		if b := r.byteAt(k); b == '(' && k >= h.start {
			return false
		}
	}
	return false
}

// isNamespace reports whether the qualifier of a name is a namespace of this file.
func (r *reader) isNamespace(parts []string, in around) bool {
	of := strings.Join(parts[:len(parts)-1], "::")
	if in.path != "" {
		of = in.path + "::" + of
	}
	return slices.ContainsFunc(r.found, func(s Symbol) bool { return s.Kind == "namespace" && s.Name == of })
}

// operatorOf names an operator or a conversion.
func (r *reader) operatorOf(h *head, in around) (callable, bool) {
	at := slices.IndexFunc(h.groups, func(g int) bool { return g > h.operator })
	if at < 0 {
		return callable{}, false
	}
	group := h.groups[at]
	f := callable{at: h.operator, group: group, typed: true}
	last := group
	for r.byteAt(last-1) == ']' && r.byteAt(last-2) == ']' { // an attribute
		open := last - 1
		for open > h.operator && !(r.byteAt(open) == '[' && r.byteAt(open+1) == '[') {
			open--
		}
		if open == h.operator {
			break
		}
		last = open
	}
	if r.byteAt(last-1) == '>' && !r.word(h.operator+1) && r.backAngles(last-1) > h.operator+1 {
		last = r.backAngles(last - 1) // operator==<int>
	}
	title := operatorTitle(r.text[r.tokens[h.operator].start:r.tokens[last-1].end])
	parts := []string{title}
	r.qualifiers(h.operator, h.start, &parts)
	f.symbol = symbol("operator", strings.Join(parts, "::"))
	return f, true
}

// operatorTitle formats an operator's name in the usual way: "operator==", "operator bool".
func operatorTitle(text string) string {
	rest := strings.Join(strings.Fields(strings.TrimPrefix(text, "operator")), " ")
	if rest != "" && wordStart(rest[0]) {
		return "operator " + rest
	}
	return "operator" + strings.ReplaceAll(rest, " ", "")
}
