package members

import (
	"manualslop/tools/python"
)

// maxNesting bounds the brackets around a target that are looked into.
const maxNesting = 8

// instance lists the attributes that a method sets on its first parameter, in order. Functions and
// classes inside of it are not looked into.
func instance(f *python.File, method *python.Symbol) []Attribute {
	self := firstParameter(f, method)
	if self == "" {
		return nil
	}
	var out []Attribute
	var visit func(body []*python.Statement)
	visit = func(body []*python.Statement) {
		for _, s := range body {
			switch {
			case s.Symbol != nil:
			case len(s.Body) > 0:
				visit(s.Body)
			default:
				out = append(out, assigned(f, s, self)...)
			}
		}
	}
	visit(method.Statement.Body)
	return out
}

// firstParameter is the name of the first parameter of a method, empty where it has none.
func firstParameter(f *python.File, method *python.Symbol) string {
	opened := false
	depth := 0
	for _, t := range significant(f, method.Statement.Header) {
		switch written := text(f, t); {
		case opened && t.Kind == python.Name:
			return python.Normalize(written)
		case opened:
			return ""
		case written == "(" && depth == 0:
			opened = true
		default:
			depth += nesting(written)
		}
	}
	return ""
}

// assigned lists the attributes of self that a simple statement sets.
func assigned(f *python.File, s *python.Statement, self string) []Attribute {
	tokens := significant(f, s.Span)
	if len(tokens) < 3 || !mentions(f, tokens, self) {
		return nil
	}
	if name, ok := attribute(f, tokens[:3], self); ok && len(tokens) > 4 && text(f, tokens[3]) == ":" {
		annotation := before(f, tokens[4:], "=")
		a := Attribute{Name: name, Statement: s, Annotation: oneLine(f, annotation)}
		if value := 4 + len(annotation) + 1; value < len(tokens) {
			a.Value = oneLine(f, tokens[value:])
		}
		return []Attribute{a}
	}
	targets, value := sides(f, tokens)
	var out []Attribute
	for _, target := range targets {
		if name, ok := attribute(f, target, self); ok {
			out = append(out, Attribute{Name: name, Statement: s, Value: oneLine(f, value)})
			continue
		}
		for _, name := range unpacked(f, target, self, 0) {
			out = append(out, Attribute{Name: name, Statement: s})
		}
	}
	return out
}

// sides splits an assignment into its targets and its value. The signs of defaults in a lambda do
// not count.
func sides(f *python.File, tokens []python.Token) (targets [][]python.Token, value []python.Token) {
	for {
		target := before(f, tokens, "=")
		if len(target) == len(tokens) || len(target) > 0 && text(f, target[0]) == "lambda" {
			return targets, tokens
		}
		targets = append(targets, target)
		tokens = tokens[len(target)+1:]
	}
}

// mentions tells quickly whether a statement can set an attribute of self.
func mentions(f *python.File, tokens []python.Token, self string) bool {
	for i, t := range tokens[:len(tokens)-1] {
		if t.Kind == python.Name && text(f, tokens[i+1]) == "." && python.Normalize(text(f, t)) == self {
			return true
		}
	}
	return false
}

// attribute is the name in "self.name".
func attribute(f *python.File, target []python.Token, self string) (string, bool) {
	if len(target) != 3 || target[0].Kind != python.Name || text(f, target[1]) != "." ||
		python.Normalize(text(f, target[0])) != self {
		return "", false
	}
	return python.Normalize(text(f, target[2])), true
}

// unpacked lists the attributes in a target of several: "self.a, (self.b, *self.c)".
func unpacked(f *python.File, target []python.Token, self string, depth int) []string {
	if depth > maxNesting {
		return nil
	}
	var names []string
	for _, element := range split(f, target, ",") {
		if len(element) > 0 && text(f, element[0]) == "*" {
			element = element[1:]
		}
		if name, ok := attribute(f, element, self); ok {
			names = append(names, name)
			continue
		}
		if n := len(element); n > 2 && (text(f, element[0]) == "(" || text(f, element[0]) == "[") &&
			closesAt(f, element) == n-1 {
			names = append(names, unpacked(f, element[1:n-1], self, depth+1)...)
		}
	}
	return names
}

// closesAt is the place of the bracket that closes the first one.
func closesAt(f *python.File, tokens []python.Token) int {
	depth := 0
	for i, t := range tokens {
		if depth += nesting(text(f, t)); depth == 0 {
			return i
		}
	}
	return -1
}
