// Package outline describes what a Python module offers to its users: the members of its classes, its public
// names, and a skeleton of imports, constants, signatures and docstrings. It looks at one file only.
package outline

import (
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Class describes a class, using only the source of the class itself.
type Class struct {
	Symbol     *python.Symbol
	Bases      []string          // expressions as written, without keywords
	Keywords   []string          // keyword arguments, such as "metaclass=ABCMeta"
	Attributes []python.Variable // class attributes
	Instance   []Attribute       // attributes that __init__ sets on self, each name once
	Methods    []*python.Symbol  // methods directly in the class, in order
	Nested     []*python.Symbol  // classes directly in the class
}

// Attribute is one instance attribute that __init__ sets.
type Attribute struct {
	Name       string
	Statement  *python.Statement
	Annotation string // as written; empty if there is none
	Value      string // as written; empty if it has none or shares one with other targets
}

// ClassOf returns the class that symbol defines.
func ClassOf(f *python.File, symbol *python.Symbol) Class {
	c := Class{Symbol: symbol}
	c.readHeader(f)
	for _, s := range f.Symbols {
		switch {
		case s.Parent != symbol:
		case s.Statement.Kind == python.Class:
			c.Nested = append(c.Nested, s)
		default:
			c.Methods = append(c.Methods, s)
		}
	}
	for _, v := range f.Variables() {
		if v.Owner == symbol {
			c.Attributes = append(c.Attributes, v)
		}
	}
	seen := map[string]bool{}
	for _, m := range c.Methods {
		if m.Name != "__init__" {
			continue
		}
		for _, a := range instance(f, m) {
			if !seen[a.Name] {
				seen[a.Name] = true
				c.Instance = append(c.Instance, a)
			}
		}
	}
	return c
}

// readHeader splits the arguments in the parentheses after the class name.
func (c *Class) readHeader(f *python.File) {
	tokens := significant(f, c.Symbol.Statement.Header)
	open := -1
	depth := 0
	for i, t := range tokens { // the first "(" outside type parameters
		text := f.Text[t.Start:t.End]
		if text == "(" && depth == 0 {
			open = i
			break
		}
		depth += nesting(text)
	}
	if open < 0 {
		return
	}
	closing := open + 1
	for depth = 1; closing < len(tokens); closing++ {
		if depth += nesting(text(f, tokens[closing])); depth == 0 {
			break
		}
	}
	for _, argument := range split(f, tokens[open+1:closing], ",") {
		if len(argument) == 0 {
			continue
		}
		written := oneLine(f, argument)
		if len(argument) > 2 && text(f, argument[1]) == "=" || text(f, argument[0]) == "**" {
			c.Keywords = append(c.Keywords, written)
		} else {
			c.Bases = append(c.Bases, written)
		}
	}
}

// significant returns the tokens of a span without comments and line ends.
func significant(f *python.File, span python.Span) []python.Token {
	var out []python.Token
	for t := range f.Tokens(span) {
		if t.Kind != python.Comment && t.Kind != python.NL && t.Kind != python.Newline && t.End > t.Start {
			out = append(out, t)
		}
	}
	return out
}

func text(f *python.File, t python.Token) string { return f.Text[t.Start:t.End] }

func nesting(text string) int {
	switch text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// split splits tokens at an operator outside brackets.
func split(f *python.File, tokens []python.Token, at string) [][]python.Token {
	var parts [][]python.Token
	for {
		part := before(f, tokens, at)
		parts = append(parts, part)
		if len(part) == len(tokens) {
			return parts
		}
		tokens = tokens[len(part)+1:]
	}
}

// before returns the tokens before the first operator at outside brackets, or all tokens if there is none.
func before(f *python.File, tokens []python.Token, at string) []python.Token {
	depth := 0
	for i, t := range tokens {
		written := text(f, t)
		if depth += nesting(written); depth == 0 && t.Kind == python.Op && written == at {
			return tokens[:i]
		}
	}
	return tokens
}

// oneLine returns the source of tokens on one line, without comments and line
// joins.
func oneLine(f *python.File, tokens []python.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteString(gap(f, tokens[i-1], t))
		}
		b.WriteString(text(f, t))
	}
	return document.WithEnds(b.String(), "\n")
}

// gap returns the separator of two tokens on one line. Between tokens that are on one line in the source, it is
// the source text, which may be part of an f-string.
func gap(f *python.File, before, after python.Token) string {
	between := f.Text[before.End:after.Start]
	switch {
	case !strings.ContainsAny(between, "\r\n\\#"):
		return between
	case nesting(text(f, before)) > 0 || nesting(text(f, after)) < 0:
		return ""
	}
	return " "
}

// Signature returns the header of a class or function on one line, without comments or the final colon.
func Signature(f *python.File, s *python.Symbol) string {
	tokens := significant(f, s.Statement.Header)
	if n := len(tokens); n > 0 && text(f, tokens[n-1]) == ":" {
		tokens = tokens[:n-1]
	}
	var kept []python.Token
	depth := 0
	for i, t := range tokens {
		depth += nesting(text(f, t))
		last := depth == 1 && text(f, t) == "," && i+1 < len(tokens) && text(f, tokens[i+1]) == ")"
		if !last || !strings.ContainsAny(f.Text[t.End:tokens[i+1].Start], "\r\n") {
			kept = append(kept, t)
		}
	}
	return oneLine(f, kept)
}

// maxNesting limits the bracket levels of a target that are examined.
const maxNesting = 8

// instance lists the attributes that a method sets on its first parameter, in order. It does not look into nested
// functions and classes.
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

// firstParameter returns the name of the first parameter of a method, or "" if it has none.
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

// sides splits an assignment into its targets and its value. It ignores the "=" of lambda defaults.
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

// mentions is a quick check whether a statement can set an attribute of self.
func mentions(f *python.File, tokens []python.Token, self string) bool {
	for i, t := range tokens[:len(tokens)-1] {
		if t.Kind == python.Name && text(f, tokens[i+1]) == "." && python.Normalize(text(f, t)) == self {
			return true
		}
	}
	return false
}

// attribute returns the name in "self.name", and false for any other target.
func attribute(f *python.File, target []python.Token, self string) (string, bool) {
	if len(target) != 3 || target[0].Kind != python.Name || text(f, target[1]) != "." ||
		python.Normalize(text(f, target[0])) != self {
		return "", false
	}
	return python.Normalize(text(f, target[2])), true
}

// unpacked lists the attributes in a target with several elements, such as "self.a, (self.b, *self.c)".
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

// closesAt returns the index of the bracket that closes the first one.
func closesAt(f *python.File, tokens []python.Token) int {
	depth := 0
	for i, t := range tokens {
		if depth += nesting(text(f, t)); depth == 0 {
			return i
		}
	}
	return -1
}
