package project

import (
	"slices"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// checkKeywords refuses a new name for a parameter that calls already give to the "**" parameter of
// the function.
func (n *renamer) checkKeywords() error {
	if !slices.ContainsFunc(n.order, n.besideKeywords) {
		return nil
	}
	units, err := n.mentioning(n.ctx, n.new)
	if err != nil {
		return err
	}
	units, left, err := prepare(n.ctx, units)
	if left > 0 {
		return refuse("%s stands in too many files of the project to tell whether calls give it already; choose another name",
			n.new)
	}
	if err != nil {
		return err
	}
	for _, u := range units {
		if err := n.ctx.Err(); err != nil {
			return err
		}
		for _, use := range u.Names().Uses {
			if use.Context != grammar.KeywordArgument || use.Name != n.new {
				continue
			}
			use.Name = n.old
			if ref := n.referKeyword(u, &use); slices.ContainsFunc(ref.targets, func(at boundIn) bool {
				return n.wanted[at] &&
					n.besideKeywords(at)
			}) {
				return refuse("%s is taken: %s line %d gives it as a further keyword argument", n.new, u.Path,
					u.Python().LineOf(use.Span.Start))
			}
		}
	}
	return nil
}

// besideKeywords tells whether a binding is a parameter of a function that takes any keywords.
func (n *renamer) besideKeywords(at boundIn) bool {
	function := symbolOf(at.scope)
	if !isFunction(function) || !n.isParameter(at) {
		return false
	}
	arguments, _ := at.unit.header(function)
	return slices.ContainsFunc(arguments, func(part []python.Token) bool { return at.unit.is(part, 0, "**") })
}
