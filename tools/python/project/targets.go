package project

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// named finds the bindings that a dotted name refers to. Its first names may be those of a module; the rest is
// looked up as Python does: in the module, in a class and its ancestors, or in a function.
func (s *search) named(t target) []boundIn {
	units := s.units
	if t.file != "" {
		units = nil
		if u := s.byPath[t.file]; u != nil {
			units = []*Unit{u}
		}
	}
	var out []boundIn
	for _, u := range s.allWith(units, t) {
		module := "." + s.modules.name(u)
		for i := range t.names {
			if i > 0 && !strings.HasSuffix(module, "."+joined(t.names[:i])) {
				continue
			}
			for _, at := range s.inside(u, t.names[i:], t.ordinal) {
				for _, o := range s.origins(at) {
					if !slices.Contains(out, o) {
						out = append(out, o)
					}
				}
			}
		}
	}
	return out
}

// allWith adds the files that mention both the first and the last name to the files to search, because a name
// used in the query's files may be defined elsewhere.
func (s *search) allWith(units []*Unit, t target) []*Unit {
	if t.file != "" || len(t.names) < 2 {
		return units
	}
	out := slices.Clone(units)
	for _, u := range s.Project.units {
		if !slices.Contains(units, u) && u.mentions([]string{t.last()}) {
			out = append(out, u)
		}
	}
	return out
}

// inside finds where a path of names is bound in a file.
func (r *resolver) inside(u *Unit, names []string, ordinal string) []boundIn {
	u.Names()
	last := names[len(names)-1]
	if len(names) == 1 {
		if key := (binding{u.module(), last}); len(u.bound[key]) > 0 && ordinal == "" {
			return []boundIn{{u, key}}
		}
	}
	var out []boundIn
	add := func(at boundIn) {
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	for _, symbol := range u.Python().Find(joined(names) + ordinal) {
		add(u.bindingOf(symbol))
	}
	if len(out) > 0 || len(names) == 1 {
		return out
	}
	for _, around := range u.Python().Find(joined(names[:len(names)-1])) {
		if at, ok := r.insideOf(u, around, last); ok {
			add(at)
		}
	}
	for _, scope := range u.names.Scopes {
		if key := (binding{scope, scope.KeyOf(last)}); scope.Kind == grammar.TypeParametersScope && len(u.bound[key]) > 0 &&
			scopePath(scope) == joined(names[:len(names)-1]) {
			add(boundIn{u, key})
		}
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(ordinal, "#")); err == nil && ordinal != "" {
		out = out[min(max(n-1, 0), len(out)):min(max(n, 0), len(out))]
	}
	return out
}

// insideOf finds where a name is bound in a class or its ancestors, or in a function.
func (r *resolver) insideOf(u *Unit, around *python.Symbol, name string) (boundIn, bool) {
	scope := u.scopeOf[around]
	switch {
	case scope == nil:
		return boundIn{}, false
	case isClass(around):
		at, _, ok := r.classBinding(classValue(u, around), mangled(around.Name, name))
		return at, ok
	}
	key := binding{scope, scope.KeyOf(name)}
	return boundIn{u, key}, len(u.bound[key]) > 0
}

// mangled returns the name that Python looks up for a name in the body of a class.
func mangled(class, name string) string {
	if class = strings.TrimLeft(class, "_"); class == "" || !isPrivate(name) {
		return name
	}
	return "_" + class + name
}

// bindingOf returns the binding of a class's or function's name.
func (u *Unit) bindingOf(s *python.Symbol) boundIn {
	if use := u.use(s.NameSpan.Start); use != nil && use.Binding != nil {
		return boundIn{u, binding{use.Binding, use.Key}}
	}
	return boundIn{u, binding{u.module(), s.Name}}
}

// definitions describes the targets, ordered by file and line.
func (s *search) definitions() []Definition {
	out := []Definition{}
	for at := range s.wanted {
		out = append(out, s.describe(at)...)
	}
	slices.SortFunc(out, func(a, b Definition) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, strings.Compare(a.Name, b.Name))
	})
	return slices.Compact(out)
}

// scopePath returns the dotted path of the class, function or type alias that a scope belongs to, or "".
func scopePath(scope *grammar.Scope) string {
	if scope == nil || scope.Kind != grammar.TypeParametersScope {
		return symbolPath(symbolOf(scope))
	}
	for around := scope.Parent; around != nil; around = around.Parent {
		if s := symbolOf(around); s != nil {
			return s.Path + "." + scope.Name
		}
	}
	return scope.Name
}

// describe returns the first place that binds something. For classes and functions it returns all of them.
func (r *resolver) describe(at boundIn) []Definition {
	u := at.unit
	if at.scope == nil {
		return []Definition{{Path: u.Path, Name: r.modules.name(u), Kind: "module", Line: 1, Start: 1,
			End: max(len(u.Python().Lines), 1)}}
	}
	var out []Definition
	offset := -1
	for _, i := range u.bound[at.binding] {
		use := u.names.Uses[i]
		if s := u.statementAt(use.Span.Start); use.Context == grammar.Definition && s != nil && s.Symbol != nil {
			out = append(out, u.definition(s.Symbol))
		} else if offset < 0 {
			offset = use.Span.Start
		}
	}
	if len(out) > 0 {
		return out
	}
	if class := symbolOf(at.scope); offset < 0 && isClass(class) {
		if spans := r.fieldsOf(owner{u, class})[at.name]; len(spans) > 0 {
			offset = spans[0].Start
		}
	}
	if offset < 0 {
		return nil
	}
	name := at.name
	if use := u.use(offset); use != nil {
		name = use.Name
	}
	if around := scopePath(at.scope); around != "" {
		name = around + "." + name
	}
	line := u.Python().LineOf(offset)
	return []Definition{{Path: u.Path, Name: name, Kind: u.kindOfBinding(offset), Line: line, Start: line, End: line}}
}

// kindOfBinding returns the kind of a name that is neither a class nor a function.
func (u *Unit) kindOfBinding(offset int) string {
	use := u.use(offset)
	switch {
	case use == nil:
		return "variable"
	case use.Context == grammar.Import:
		return "import"
	case use.Context == grammar.Parameter:
		return "parameter"
	case use.Context == grammar.Attribute:
		return "attribute"
	case use.Context == grammar.TypeParameter:
		return "type parameter"
	}
	return "variable"
}
