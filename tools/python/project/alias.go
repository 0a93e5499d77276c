package project

import (
	"slices"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// aliases gives other names under which a file knows what is written with one of the names and fits:
// by "import … as" and by assignment. Names of wide may be used in any file, those of narrow are local.
func (r *resolver) aliases(u *Unit, names []string, fits func(value) bool) (wide, narrow []string) {
	for _, i := range u.imports() {
		original := i.name
		if !i.from {
			original = lastPart(i.module)
		}
		if i.as.End > 0 && slices.Contains(names, original) && slices.ContainsFunc(r.importedValue(i), fits) {
			wide = append(wide, i.binds())
		}
	}
	uses := u.Names().Uses
	for i := range uses {
		use := &uses[i]
		if use.Context != grammar.Load && use.Context != grammar.Attribute || !slices.Contains(names, use.Name) {
			continue
		}
		target, right := u.assignment(use.Span.Start)
		if target == nil || !slices.ContainsFunc(r.evalTokens(u, right), fits) {
			continue
		}
		if (boundIn{u, binding{target.Binding, target.Key}}).local() {
			narrow = append(narrow, target.Name)
		} else {
			wide = append(wide, target.Name)
		}
	}
	return wide, narrow
}

// assignment gives the target and the right side of "name = expression" of which the last token
// stands at offset, nil where the statement is no such thing.
func (u *Unit) assignment(offset int) (*grammar.Use, []python.Token) {
	tokens, at := u.around(offset)
	if at < 2 || at != len(tokens)-1 || !u.is(tokens, 1, "=") {
		return nil, nil
	}
	target := u.use(tokens[0].Start)
	if target == nil || target.Binding == nil {
		return nil, nil
	}
	return target, tokens[2:]
}
