package grammar

import (
	"sort"
	"strings"

	"manualslop/tools/python"
)

// rebindClassReads corrects reads in a class body that happen before the class binds the name. They refer to the
// module's name, as in "x = x", "date: date" and "def f(self, g=f)".
func (n *Names) rebindClassReads(src string) {
	module := n.Scopes[0]
	for i := range n.Uses {
		u := &n.Uses[i]
		reads := u.Context == Load || u.Context == Annotation
		if !reads || u.Binding == nil || u.Binding.Kind != ClassScope || u.Binding != u.Scope || !n.readsFirst(u, src) {
			continue
		}
		if u.Binding = nil; module.binds[u.Key] {
			u.Binding = module
		}
	}
}

// readsFirst reports whether a read in a class body comes before everything
// that binds the name there.
func (n *Names) readsFirst(u *Use, src string) bool {
	at := statementAt(n.File, u.Span.Start)
	for s := at; s != nil && s.Kind != python.Class; s = s.Parent {
		if s.Kind == python.For || s.Kind == python.While {
			return false
		}
	}
	for _, i := range u.Binding.Bound[u.Key] {
		bound := n.Uses[i]
		s := statementAt(n.File, bound.Span.Start)
		switch {
		case at == nil || s == nil:
			return false
		case bound.Context == Declaration: // declares a type and binds nothing
		case s == at && !bindsLast(s, u, bound, src):
			return false
		case s != at && s.Start < at.Start:
			return false
		}
	}
	return true
}

// bindsLast reports whether a statement binds a name after it has read that name: a definition after its
// decorators and defaults, an assignment after its value but before its annotation.
func bindsLast(s *python.Statement, read *Use, bound Use, src string) bool {
	switch s.Kind {
	case python.Def, python.Class:
		return bound.Context == Definition
	case python.Simple:
		walrus := strings.HasPrefix(strings.TrimLeft(src[bound.Span.End:], " \t\f"), ":=")
		return read.Context == Load && bound.Context == Store && !walrus
	}
	return false
}

// statementAt returns the innermost statement that contains an offset, including its decorators, or nil if none does.
func statementAt(file *python.File, offset int) *python.Statement {
	var found *python.Statement
	for statements := file.Body; len(statements) > 0; statements = found.Body {
		i := sort.Search(len(statements), func(i int) bool { return statements[i].OuterStart() > offset }) - 1
		if i < 0 || statements[i].End <= offset {
			return found
		}
		found = statements[i]
	}
	return found
}
