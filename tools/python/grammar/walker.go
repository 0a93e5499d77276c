package grammar

import (
	"cmp"
	"slices"
	"strings"

	"manualslop/tools/python"
)

// walker visits a syntax tree and collects uses, scopes and calls.
type walker struct {
	names   *Names
	src     string
	toks    []token
	symbols map[int]*python.Symbol // by the offset of def, class or async
	scope   *Scope
	access  Context // context of plain names at this point: Load or Annotation

	// Every name of the text has an index, in source order; walking fills in those that are uses.
	places  []int32 // index of a token that is a name
	uses    []Use
	binders []*Scope // the scope where resolving the use begins
}

func newWalker(file *python.File, toks []token) *walker {
	w := &walker{
		names: &Names{File: file}, src: file.Text, toks: toks, access: Load,
		symbols: make(map[int]*python.Symbol, len(file.Symbols)), places: make([]int32, len(toks)),
	}
	count := int32(0)
	for i, t := range toks {
		w.places[i] = count
		if t.sym == symName {
			count++
		}
	}
	w.uses, w.binders = make([]Use, count), make([]*Scope, count)
	for _, s := range file.Symbols {
		w.symbols[s.Statement.Start] = s
	}
	return w
}

// module walks the whole tree.
func (w *walker) module(root *node) {
	w.scope = &Scope{Kind: ModuleScope, Span: python.Span{Start: 0, End: len(w.src)}}
	w.names.Scopes = append(w.names.Scopes, w.scope)
	w.all(root.kids)
}

// inside calls walk with a new scope below the current one.
func (w *walker) inside(kind ScopeKind, name string, n *node, walk func()) {
	outer := w.scope
	w.scope = &Scope{
		Kind: kind, Name: name, Span: python.Span{Start: int(n.start), End: int(n.end)}, Parent: outer, Symbol: outer.Symbol,
		class: outer.class, generic: outer.generic, parameters: outer.parameters,
	}
	w.names.Scopes = append(w.names.Scopes, w.scope)
	walk()
	w.scope = outer
}

// text returns the normalised name of a token.
func (w *walker) text(token int32) string {
	t := w.toks[token]
	raw := w.src[t.start:t.end]
	for i := 0; i < len(raw); i++ {
		if raw[i] >= 0x80 {
			return python.Normalize(raw)
		}
	}
	return raw
}

// mangled returns the name that Python looks up for a name in a class.
func mangled(class, name string) string {
	if class == "" || !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return name
	}
	class = strings.TrimLeft(class, "_")
	if class == "" {
		return name
	}
	return "_" + class + name
}

// use records an identifier.
func (w *walker) use(token int32, context Context) *Use {
	t := w.toks[token]
	name := w.text(token)
	access := context
	switch {
	case context == Annotation:
		access = Load
	case context.Binds() && context != Delete && context != Augmented:
		access = Store
	case context > Import:
		access = Load
	}
	place := w.places[token]
	w.binders[place] = w.scope
	u := &w.uses[place]
	*u = Use{
		Name: name, Key: w.scope.key(name), Span: python.Span{Start: int(t.start), End: int(t.end)},
		Context: context, Access: access, Scope: w.scope,
	}
	return u
}

// bind records an identifier that binds its name in the current scope.
func (w *walker) bind(token int32, context Context) { w.bindIn(w.scope, token, context) }

// bindIn records an identifier that binds its name in a scope that may be an outer one.
func (w *walker) bindIn(scope *Scope, token int32, context Context) {
	u := w.use(token, context)
	w.binders[w.places[token]] = scope
	mark(&scope.binds, u.Key)
}

func mark(set *map[string]bool, name string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[name] = true
}

// finish resolves the uses and sorts everything into source order.
func (w *walker) finish() *Names {
	slices.SortStableFunc(w.names.Calls, func(a, b Call) int {
		return cmp.Or(a.Span.Start-b.Span.Start,
			b.Span.End-a.Span.End)
	})
	slices.SortStableFunc(w.names.Scopes[1:], func(a, b *Scope) int {
		return cmp.Or(a.Span.Start-b.Span.Start,
			b.Span.End-a.Span.End)
	})
	module := w.names.Scopes[0]
	for place, u := range w.uses {
		if u.Context.Binds() && w.binders[place].globals[u.Key] {
			mark(&module.binds, u.Key)
		}
	}
	found := w.uses[:0]
	for place, u := range w.uses {
		if u.Context == 0 {
			continue // not a use, for example a soft keyword
		}
		if looksUp(u.Context) {
			u.Binding = resolve(w.binders[place], u.Key)
		}
		if u.Binding != nil && u.Context.Binds() {
			if u.Binding.Bound == nil {
				u.Binding.Bound = map[string][]int{}
			}
			u.Binding.Bound[u.Key] = append(u.Binding.Bound[u.Key], len(found))
		}
		found = append(found, u)
	}
	w.names.Uses = found
	w.names.rebindClassReads(w.src)
	return w.names
}

// looksUp reports whether a use in this context is looked up in scopes.
func looksUp(c Context) bool {
	switch c {
	case Attribute, KeywordArgument, ImportPath, ImportOriginal:
		return false
	}
	return true
}

// resolve returns the scope that a name refers to, as Python's symbol tables do, or nil if there is none.
func resolve(from *Scope, key string) *Scope {
	visible := true // a class scope is visible only from its own body and through type parameters
	inner := false  // a nonlocal statement keeps the name from resolving to a global
	for s := from; s != nil; s = s.Parent {
		switch {
		case s.Kind == ClassScope && !visible:
		case s.Kind == ModuleScope && inner:
			return nil
		case s.globals[key]:
			if s = s.module(); s.binds[key] {
				return s
			}
			return nil
		case s.nonlocals[key]:
			inner = true
		case s.binds[key] && !(s.Kind == ClassScope && inner):
			return s
		}
		visible = visible && s.Kind == TypeParametersScope
	}
	return nil
}

// module returns the outermost scope.
func (s *Scope) module() *Scope {
	for s.Parent != nil {
		s = s.Parent
	}
	return s
}
