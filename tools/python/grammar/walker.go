package grammar

import (
	"cmp"
	"slices"
	"strings"

	"manualslop/tools/python"
)

// walker goes over a syntax tree and collects uses, scopes and calls.
type walker struct {
	names   *Names
	src     string
	toks    []token
	symbols map[int]*python.Symbol // by the offset of def, class or async
	scope   *Scope
	access  Context // what plain names mean at the moment: Load or Annotation
	pending []pendingUse
	intern  map[string]string
}

// pendingUse is a use before it is bound, with the scope that a binding context binds in.
type pendingUse struct {
	Use
	binder *Scope // the scope where the name is looked up or bound first
}

func newWalker(file *python.File, toks []token) *walker {
	w := &walker{
		names: &Names{File: file}, src: file.Text, toks: toks, access: Load,
		symbols: make(map[int]*python.Symbol, len(file.Symbols)), intern: map[string]string{},
	}
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

// inside walks with a new scope below the current one.
func (w *walker) inside(kind ScopeKind, name string, n *node, walk func()) {
	outer := w.scope
	w.scope = &Scope{
		Kind: kind, Name: name, Span: python.Span{Start: int(n.start), End: int(n.end)}, Parent: outer, Symbol: outer.Symbol, class: outer.class,
	}
	w.names.Scopes = append(w.names.Scopes, w.scope)
	walk()
	w.scope = outer
}

// text is the normalised text of a token.
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

// mangled is the name that Python looks up for a name inside a class.
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

// use notes an identifier.
func (w *walker) use(token int32, context Context) *pendingUse {
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
	w.pending = append(w.pending, pendingUse{Use{
		Name: name, Key: mangled(w.scope.class, name), Span: python.Span{Start: int(t.start), End: int(t.end)},
		Context: context, Access: access, Scope: w.scope,
	}, w.scope})
	return &w.pending[len(w.pending)-1]
}

// bind notes an identifier that binds its name in the current scope.
func (w *walker) bind(token int32, context Context) { w.bindIn(w.scope, token, context) }

// bindIn notes an identifier that binds its name in a scope that may be an outer one.
func (w *walker) bindIn(scope *Scope, token int32, context Context) {
	u := w.use(token, context)
	u.binder = scope
	mark(&scope.binds, u.Key)
}

func mark(set *map[string]bool, name string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[name] = true
}

// finish binds the uses and puts everything in source order.
func (w *walker) finish() *Names {
	slices.SortStableFunc(w.pending, func(a, b pendingUse) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	slices.SortStableFunc(w.names.Calls, func(a, b Call) int { return cmp.Or(a.Span.Start-b.Span.Start, b.Span.End-a.Span.End) })
	slices.SortStableFunc(w.names.Scopes[1:], func(a, b *Scope) int { return cmp.Or(a.Span.Start-b.Span.Start, b.Span.End-a.Span.End) })
	module := w.names.Scopes[0]
	for _, u := range w.pending {
		if u.Context.Binds() && u.binder.globals[u.Key] {
			mark(&module.binds, u.Key)
		}
	}
	w.names.Uses = make([]Use, len(w.pending))
	for i, u := range w.pending {
		if looksUp(u.Context) {
			u.Binding = resolve(u.binder, u.Key)
		}
		w.names.Uses[i] = u.Use
		if u.Binding != nil && u.Context.Binds() {
			if u.Binding.Bound == nil {
				u.Binding.Bound = map[string][]int{}
			}
			u.Binding.Bound[u.Key] = append(u.Binding.Bound[u.Key], i)
		}
	}
	w.names.rebindClassReads(w.src)
	return w.names
}

// looksUp tells whether a use in a context is looked up in scopes.
func looksUp(c Context) bool {
	switch c {
	case Attribute, KeywordArgument, ImportPath, ImportOriginal:
		return false
	}
	return true
}

// resolve finds the scope that a name means, as Python's symbol tables do; nil for none.
func resolve(from *Scope, key string) *Scope {
	visible := true // a class is seen from its own body and through type parameters
	inner := false  // a nonlocal statement keeps the name from being a global
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

// module is the outermost scope.
func (s *Scope) module() *Scope {
	for s.Parent != nil {
		s = s.Parent
	}
	return s
}
