package edit

import (
	"strings"

	"manualslop/tools/python"
)

// importsEnd returns the last line of the top part of a module: shebang, cookie and a separate leading comment,
// the docstring, and the import block with what may be between its imports. It returns -1 if the module has none
// of these.
func (s Source) importsEnd() int {
	end := s.preamble()
	body := s.Body
	if len(body) > 0 && s.isDocstring(body[0], nil) {
		end, body = s.last(body[0].End), body[1:]
	}
	for _, chain := range chains(body) {
		switch {
		case s.imports(chain):
			end = max(end, s.last(chain[len(chain)-1].End))
		case !s.mixed(chain):
			return end
		}
	}
	return end
}

// preamble returns the last line of the shebang, the cookie and a comment block at the top of the file that a
// blank line follows. It returns -1 if there is none.
func (s Source) preamble() int {
	end := -1
	for i := range s.Lines {
		switch {
		case s.comment(i):
		case s.blank(i) && i > 0:
			return i - 1
		default:
			return end
		}
		if i < 2 && directive().MatchString(s.content(i)) {
			end = i
		}
	}
	return len(s.Lines) - 1
}

// chains groups the statements of a block: each with its clauses, such as elif or finally.
func chains(body []*python.Statement) [][]*python.Statement {
	var out [][]*python.Statement
	for i, statement := range body {
		if i > 0 && clause(statement) {
			out[len(out)-1] = append(out[len(out)-1], statement)
		} else {
			out = append(out, []*python.Statement{statement})
		}
	}
	return out
}

// clause reports whether a statement is a clause of the statement before it.
func clause(statement *python.Statement) bool {
	switch statement.Kind {
	case python.Elif, python.Else, python.Except, python.Finally:
		return true
	}
	return false
}

// imports reports whether a statement is an import, or a compound statement with imports but no definitions. A
// condition on __name__ does not count.
func (s Source) imports(chain []*python.Statement) bool {
	found := false
	if head := chain[0].Header; chain[0].Kind.Compound() && strings.Contains(head.Of(s.Text), "__name__") {
		return false
	}
	for _, statement := range chain {
		for _, one := range append(inner(statement), statement) {
			if one.Symbol != nil {
				return false
			}
			found = found || one.Kind == python.ImportModules || one.Kind == python.ImportFrom
		}
	}
	return found
}

// mixed reports whether a statement may be between the imports of an import
// block: an assignment of a name such as __all__.
func (s Source) mixed(chain []*python.Statement) bool {
	return len(chain) == 1 && chain[0].Kind == python.Simple && strings.HasPrefix(s.Text[chain[0].Start:chain[0].End],
		"__")
}
