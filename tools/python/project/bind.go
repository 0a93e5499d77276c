package project

import (
	"slices"
	"strings"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// bound returns the possible values of a bound name. A name whose bindings say nothing about its value evaluates
// to itself.
func (r *resolver) bound(u *Unit, key binding) []value {
	at := boundIn{u, key}
	if values, known := r.values[at]; known {
		return values
	}
	self := value{kind: kindVariable, unit: u, scope: key.scope, name: key.name}
	r.values[at] = []value{self} // stops the recursion for names that depend on themselves
	var values []value
	for _, i := range u.bound[key] {
		use := u.names.Uses[i]
		if use.Context == grammar.Parameter {
			self.kind = kindParameter
		}
		values = union(values, r.boundBy(u, use)...)
	}
	if values = known(values); len(values) == 0 {
		values = []value{self}
	}
	r.values[at] = values
	return values
}

// boundBy returns the value that a single binding gives its name.
func (r *resolver) boundBy(u *Unit, use grammar.Use) []value {
	if r.depth >= mostDepth {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	switch use.Context {
	case grammar.Import:
		if i, ok := u.importAt(use.Span.Start); ok {
			return r.importedValue(i)
		}
	case grammar.Definition:
		if s := u.statementAt(use.Span.Start); s != nil && s.Symbol != nil {
			return []value{definition(u, s.Symbol)}
		}
	case grammar.Parameter:
		return r.parameter(u, use)
	case grammar.Store:
		return r.assigned(u, use.Span)
	}
	return nil
}

func definition(u *Unit, s *python.Symbol) value {
	if isClass(s) {
		return classValue(u, s)
	}
	return value{kind: kindFunction, unit: u, symbol: s}
}

// parameter returns the value of a parameter. self and cls are recognised by position, others by annotation.
func (r *resolver) parameter(u *Unit, use grammar.Use) []value {
	s := symbolOf(use.Binding)
	if !isFunction(s) {
		return nil
	}
	arguments, _ := u.header(s)
	for i, part := range arguments {
		if part[0].Start != use.Span.Start {
			continue // also *args and **kwargs, which are not instances of their annotation
		}
		if i == 0 && isClass(s.Parent) {
			switch methodKind(u, s) {
			case "classmethod":
				return []value{classValue(u, s.Parent)}
			case "method":
				return []value{instanceOf(classValue(u, s.Parent))}
			}
		}
		if u.is(part, 1, ":") {
			return r.annotated(u, u.splitAt(part[2:], "=")[0])
		}
	}
	return nil
}

// methodKind says what the first parameter of a method is: the instance ("method"), the class ("classmethod") or
// neither ("staticmethod").
func methodKind(u *Unit, s *python.Symbol) string {
	for _, decorator := range u.Python().Decorators(s) {
		switch decorator {
		case "classmethod", "abc.abstractclassmethod", "abstractclassmethod":
			return "classmethod"
		case "staticmethod", "abc.abstractstaticmethod", "abstractstaticmethod":
			return "staticmethod"
		}
	}
	if slices.Contains([]string{"__new__", "__init_subclass__", "__class_getitem__"}, s.Name) {
		return "classmethod"
	}
	return "method"
}

// isProperty reports whether reading the attribute calls the function.
func isProperty(u *Unit, s *python.Symbol) bool {
	return slices.ContainsFunc(u.Python().Decorators(s), func(d string) bool {
		return d == "property" || strings.HasSuffix(d, "cached_property") || d == "abc.abstractproperty"
	})
}

// assigned returns the value of an assignment target or a with item. The target is a name, or a chain such as
// self.x whose last name is at span target. The value of an unpacked, caught or iterated target is unknown.
func (r *resolver) assigned(u *Unit, target python.Span) []value {
	s := u.statementAt(target.Start)
	if s == nil {
		return nil
	}
	tokens := u.tokens(headOf(s))
	at := slices.IndexFunc(tokens, func(t python.Token) bool { return t.Start == target.Start })
	switch {
	case at < 0:
		return nil
	case u.is(tokens, at+1, ":="):
		return r.evalTokens(u, u.untilClosed(tokens[at+2:]))
	case u.is(tokens, 0, "with") || u.is(tokens, 0, "async"):
		return r.entered(u, tokens, at)
	case len(s.Body) > 0:
		return nil // except, for and match
	}
	return r.assignedIn(u, tokens, at)
}

// headOf returns a simple statement, or the header of a compound one.
func headOf(s *python.Statement) python.Span {
	if len(s.Body) > 0 || s.Header.End > s.Header.Start {
		return s.Header
	}
	return s.Span
}

// untilClosed returns the tokens before the first comma at the top level or the first unmatched closing bracket.
func (u *Unit) untilClosed(tokens []python.Token) []python.Token {
	depth := 0
	for i, t := range tokens {
		if depth += u.step(t); depth < 0 || depth == 0 && u.is(tokens, i, ",") {
			return tokens[:i]
		}
	}
	return tokens
}

// assignedIn evaluates "x = value", "x: A" and "x: A = value" for the target whose last token has index at.
func (r *resolver) assignedIn(u *Unit, tokens []python.Token, at int) []value {
	parts := u.splitAt(tokens, "=")
	first := u.splitAt(parts[0], ":")
	if len(first) == 2 && len(first[0])-1 == at {
		values := r.annotated(u, first[1])
		if len(parts) == 2 {
			values = union(values, r.evalTokens(u, parts[1])...)
		}
		return values
	}
	end := -1 // index of the last token of each target
	for _, part := range parts[:len(parts)-1] {
		if end += len(part); end == at && len(u.splitAt(part, ",")) == 1 {
			return r.evalTokens(u, parts[len(parts)-1])
		}
		end++
	}
	return nil
}

// entered evaluates "with value as x".
func (r *resolver) entered(u *Unit, tokens []python.Token, at int) []value {
	if !u.is(tokens, at-1, "as") {
		return nil
	}
	from, depth := at-1, 0
	for from > 0 {
		step := u.step(tokens[from-1])
		if depth -= step; depth < 0 || depth == 0 && (u.is(tokens, from-1, ",") || u.is(tokens, from-1, "with")) {
			break
		}
		from--
	}
	var out []value
	for _, v := range r.evalTokens(u, tokens[from:at-1]) {
		entered := []value{v}
		for _, method := range r.members([]value{v}, "__enter__") {
			if method.kind != kindFunction {
				continue
			}
			if returned := r.returned(method); returned != nil {
				entered = returned
			}
		}
		out = union(out, entered...)
	}
	return out
}
