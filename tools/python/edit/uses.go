package edit

import (
	"slices"

	"manualslop/tools/python"
)

// mostUses bounds the lines of uses that are reported of one file.
const mostUses = 200

// Uses gives the lines where a name is used: of a member of a class the name behind a dot, of
// everything else the name alone. Strings, comments, names of keyword arguments and definitions of
// the name do not count. It judges by tokens, so another thing of that name counts too.
func (s Source) Uses(symbol *python.Symbol) []int {
	member := symbol.Parent != nil && symbol.Parent.Kind == python.KindClass
	var before, here python.Token // here is the last name that matched
	lines := []int{}
	depth := 0
	note := func(next string) {
		if here.Kind == 0 || next == "=" && depth > 0 && before.Of(s.Text) != "." {
			return
		}
		if line := s.LineOf(here.Start); !slices.Contains(lines[max(0, len(lines)-1):], line) && len(lines) < mostUses {
			lines = append(lines, line)
		}
	}
	var last python.Token
	for token := range s.Tokens(python.Span{End: len(s.Text)}) {
		if token.Kind == python.Comment || token.Kind == python.NL {
			continue
		}
		text := token.Of(s.Text)
		note(text)
		here = python.Token{}
		switch previous := last.Of(s.Text); {
		case token.Kind == python.Op && (text == "(" || text == "[" || text == "{"):
			depth++
		case token.Kind == python.Op && (text == ")" || text == "]" || text == "}"):
			depth--
		case token.Kind == python.Name && python.Normalize(text) == symbol.Name && (previous == ".") == member &&
			previous != "def" && previous != "class":
			before, here = last, token
		}
		last = token
	}
	note("")
	return lines
}

// binding is one name that an import binds.
type binding struct {
	python.Import
	name python.ImportedName
	path string // dotted path of the name: with the class or function it is in
}

// imported lists the names that the imports of a file bind.
func (s Source) imported() []binding {
	var out []binding
	for _, imported := range s.Imports() {
		prefix := ""
		if owner := ownerOf(imported.Statement); owner != nil {
			prefix = owner.Path + "."
		}
		for _, name := range imported.Names {
			out = append(out, binding{imported, name, prefix + name.Bound()})
		}
	}
	return out
}

// binds tells whether an import binds a path.
func (s Source) binds(path string) bool {
	return slices.ContainsFunc(s.imported(), func(b binding) bool { return b.path == path })
}

// ownerOf is the class or function that a statement is in, nil at the top.
func ownerOf(statement *python.Statement) *python.Symbol {
	for up := statement.Parent; up != nil; up = up.Parent {
		if up.Symbol != nil {
			return up.Symbol
		}
	}
	return nil
}
