package project

import (
	"slices"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// checkClassBodies refuses where the body of a class reads the old name and may get the class's own
// variable or, as long as that is not bound, the one around: "x = x" and "date: date" do so.
func (n *renamer) checkClassBodies() error {
	for _, u := range n.units {
		if err := n.ctx.Err(); err != nil {
			return err
		}
		uses := u.Names().Uses
		for i := range uses {
			if use := &uses[i]; use.Name == n.old && n.meansTwo(u, use) {
				return refuse("%s line %d may read the %s of class %s or the one outside of it; change that line with edit_file "+
					"first, so that only one can be meant",
					u.Path, u.Python().LineOf(use.Span.Start), n.old, use.Scope.Name)
			}
		}
	}
	return nil
}

// meansTwo tells whether a use reads a variable of the class body it stands in that may not be bound
// yet, where another of that name is around and one of the two is renamed.
func (n *renamer) meansTwo(u *Unit, use *grammar.Use) bool {
	reads := use.Context == grammar.Load || use.Context == grammar.Annotation || use.Context == grammar.Augmented
	if !reads || use.Binding == nil || use.Binding != use.Scope || use.Scope.Kind != grammar.ClassScope {
		return false
	}
	outer := binding{u.module(), use.Key}
	known := len(u.bound[outer]) > 0 || isBuiltin(use.Name) || n.reexports(u)
	renamed := n.wanted[boundIn{u, binding{use.Binding, use.Key}}] || n.wanted[boundIn{u, outer}] || n.reexports(u)
	return known && renamed && !u.boundBefore(use)
}

// boundBefore tells whether a statement that always runs before a use binds its name.
func (u *Unit) boundBefore(use *grammar.Use) bool {
	var around []*python.Statement // the compound statements that the use stands in
	at := u.statementAt(use.Span.Start)
	for s := at; s != nil; s = s.Parent {
		around = append(around, s.Parent)
	}
	return slices.ContainsFunc(u.bound[binding{use.Binding, use.Key}], func(i int) bool {
		bound := u.names.Uses[i]
		s := u.statementAt(bound.Span.Start)
		binds := bound.Context != grammar.Delete && bound.Context != grammar.Augmented && bound.Context != grammar.Declaration
		return binds && s != nil && s != at && bound.Span.Start < use.Span.Start && slices.Contains(around, s.Parent)
	})
}
