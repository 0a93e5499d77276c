package edit

import (
	"slices"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// mostUses limits the reported lines with uses per file.
const mostUses = 200

// uses returns the lines that use the name of a definition that is, or was, in the scope of its parent. For a
// class member these are attributes of that name on any object. For everything else they are names that Python
// looks up in that scope or cannot resolve. Strings, comments and other definitions of the name do not count;
// imports of it count only if imports is set.
func (s Source) uses(symbol *python.Symbol, imports bool) []int {
	member := symbol.Parent != nil && symbol.Parent.Kind == python.KindClass
	lines := []int{}
	for _, use := range grammar.AnalyzeFile(s.File).Uses {
		if use.Name != symbol.Name || !counts(use.Context, member, imports) || !member &&
			!looksIn(use.Binding, symbol.Parent) {
			continue
		}
		line := s.LineOf(use.Span.Start)
		if len(lines) < mostUses && (len(lines) == 0 || lines[len(lines)-1] != line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func counts(context grammar.Context, member, imports bool) bool {
	switch context {
	case grammar.Attribute:
		return member
	case grammar.Load, grammar.Annotation, grammar.Augmented, grammar.Delete, grammar.Global, grammar.Nonlocal:
		return !member
	case grammar.Import, grammar.ImportOriginal:
		return !member && imports
	}
	return false
}

// looksIn reports whether a name is looked up in the scope of owner, or in no known scope.
func looksIn(binding *grammar.Scope, owner *python.Symbol) bool {
	switch {
	case binding == nil:
		return true
	case owner == nil:
		return binding.Kind == grammar.ModuleScope
	}
	return binding.Symbol != nil && binding.Symbol.Path == owner.Path
}

// usesIn returns the lines of a text that use a name.
func usesIn(text string, symbol *python.Symbol, imports bool) []int {
	return Source{}.with(text).uses(symbol, imports)
}

// moduleNames returns the names in a span that Python looks up in the module.
func (s Source) moduleNames(span python.Span) map[string]bool {
	out := map[string]bool{}
	for _, use := range grammar.AnalyzeFile(s.File).Uses {
		if use.Span.Start >= span.Start && use.Span.End <= span.End && use.Binding != nil &&
			use.Binding.Kind == grammar.ModuleScope {
			out[use.Key] = true
		}
	}
	return out
}

// binding is one name that an import binds.
type binding struct {
	python.Import
	name python.ImportedName
	path string // dotted path of the name, including its class or function
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
			out = append(out, binding{imported, name, prefix + python.Normalize(name.Bound())})
		}
	}
	return out
}

// binds reports whether an import binds a path.
func (s Source) binds(path string) bool {
	return slices.ContainsFunc(s.imported(), func(b binding) bool { return b.path == path })
}

// ownerOf returns the class or function that contains a statement, or nil at the top level.
func ownerOf(statement *python.Statement) *python.Symbol {
	for up := statement.Parent; up != nil; up = up.Parent {
		if up.Symbol != nil {
			return up.Symbol
		}
	}
	return nil
}
