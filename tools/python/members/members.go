// Package members tells what a Python class consists of: its bases, its methods, the attributes of
// the class and those that __init__ sets on the instance. It looks at one file only.
package members

import (
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Class is what the source of a class says.
type Class struct {
	Symbol     *python.Symbol
	Bases      []string          // expressions as written, without keywords
	Keywords   []string          // such as "metaclass=ABCMeta"
	Attributes []python.Variable // of the class
	Instance   []Attribute       // set on self in __init__, each name once
	Methods    []*python.Symbol  // directly in the class, in order
	Nested     []*python.Symbol  // classes directly in the class
}

// Attribute is one attribute that __init__ sets.
type Attribute struct {
	Name       string
	Statement  *python.Statement
	Annotation string // as written, empty without
	Value      string // as written, empty without one of its own
}

// Of reads the class of a symbol.
func Of(f *python.File, symbol *python.Symbol) Class {
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

// readHeader splits what stands in the parentheses behind the name.
func (c *Class) readHeader(f *python.File) {
	tokens := significant(f, c.Symbol.Statement.Header)
	open := -1
	depth := 0
	for i, t := range tokens { // the first "(" outside of type parameters
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

// significant are the tokens of a piece without comments and line ends.
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

// split cuts tokens at an operator outside of brackets.
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

// before are the tokens in front of the first such operator outside of brackets, else all.
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

// oneLine is the source of tokens on one line, without comments and line joins.
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

// gap is what stands between two tokens on one line. Inside of strings that are formatted it is text.
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

// Signature is the head of a class or function on one line, without comments and the last colon.
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
