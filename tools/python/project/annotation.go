package project

import (
	"strings"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// annotated returns the values that an annotation allows.
func (r *resolver) annotated(u *Unit, tokens []python.Token) []value {
	if r.depth >= mostDepth || len(tokens) == 0 {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if parts := u.splitAt(tokens, "|"); len(parts) > 1 {
		var out []value
		for _, part := range parts {
			out = union(out, r.annotated(u, part)...)
		}
		return out
	}
	if tokens[0].Kind == python.String {
		return r.quoted(u, tokens[0])
	}
	open := 0
	for open < len(tokens) && !u.is(tokens, open, "[") {
		open++
	}
	if open > 0 && open < len(tokens) {
		inside := tokens[open+1 : max(open+1, min(u.closing(tokens, open), len(tokens)))]
		switch wrapper := u.word(tokens[open-1]); wrapper {
		case "Optional", "Union", "ClassVar", "Final", "InitVar", "Required", "NotRequired", "Annotated":
			return r.wrapped(u, inside, wrapper == "Annotated")
		case "type", "Type":
			return classesOf(r.wrapped(u, inside, false))
		}
	}
	return instances(r.evalTokens(u, tokens[:open]))
}

// wrapped evaluates the type arguments of Union and similar types.
func (r *resolver) wrapped(u *Unit, tokens []python.Token, onlyFirst bool) []value {
	var out []value
	for i, part := range u.splitAt(tokens, ",") {
		if i == 0 || !onlyFirst {
			out = union(out, r.annotated(u, part)...)
		}
	}
	return out
}

// quoted evaluates an annotation in quotes.
func (r *resolver) quoted(u *Unit, t python.Token) []value {
	text, ok := python.PlainString(u.word(t))
	if !ok {
		return nil
	}
	scope := u.scopeAt(t.Start)
	var out []value
	for part := range strings.SplitSeq(text, "|") {
		part = strings.TrimSpace(part)
		if name, rest, generic := strings.Cut(part, "["); generic {
			part = name
			if strings.HasSuffix(name, "Optional") {
				part = strings.TrimSuffix(rest, "]")
			}
		}
		if isChain(part) {
			out = union(out, instances(r.dotted(u, scope, part))...)
		}
	}
	return out
}

// scopeAt returns the scope of the innermost class or function that contains offset.
func (u *Unit) scopeAt(offset int) *grammar.Scope {
	u.Names()
	if s := u.Enclosing(offset); s != nil && u.scopeOf[s] != nil {
		return u.scopeOf[s]
	}
	return u.module()
}

// isChain reports whether a text is a dotted chain of names.
func isChain(text string) bool {
	for name := range strings.SplitSeq(text, ".") {
		if !isIdentifier(name) {
			return false
		}
	}
	return true
}

// instances converts the classes that an annotation names to instances.
func instances(values []value) []value {
	var out []value
	for _, v := range values {
		switch v.kind {
		case kindClass:
			out = union(out, instanceOf(v))
		case kindLibrary, kindBuiltin:
			out = union(out, library(v.name))
		}
	}
	return out
}

// classesOf is the inverse of instances.
func classesOf(values []value) []value {
	var out []value
	for _, v := range values {
		if v.kind == kindInstance {
			v.kind = kindClass
		}
		out = union(out, v)
	}
	return out
}
