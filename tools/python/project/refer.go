package project

import (
	"slices"
	"sort"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// reference describes what one occurrence of a name refers to.
type reference struct {
	targets []boundIn // bindings in the project; one with an empty binding is a module
	outside bool      // it refers to something outside the project: a library or a builtin
}

// unknown reports whether nothing is known about the reference.
func (ref reference) unknown() bool { return len(ref.targets) == 0 && !ref.outside }

func (ref *reference) add(at boundIn) {
	if !slices.Contains(ref.targets, at) {
		ref.targets = append(ref.targets, at)
	}
}

// refer returns the reference of a use.
func (r *resolver) refer(u *Unit, use *grammar.Use) reference {
	switch use.Context {
	case grammar.Attribute:
		return r.referMember(r.evalTokens(u, u.baseOf(use.Span.Start)), use.Key)
	case grammar.KeywordArgument:
		return r.referKeyword(u, use)
	case grammar.ImportOriginal:
		return r.referOriginal(u, use.Span.Start)
	case grammar.ImportPath:
		return r.referPath(u, use)
	}
	var ref reference
	switch {
	case use.Binding != nil:
		ref.add(boundIn{u, binding{use.Binding, use.Key}})
	default:
		if at, ok := r.starredFrom(u, use.Key); ok {
			ref.add(at)
		}
		ref.outside = len(ref.targets) == 0 && isBuiltin(use.Name)
	}
	return ref
}

// referMember returns where the attribute name of the values is bound.
func (r *resolver) referMember(values []value, name string) reference {
	var ref reference
	for _, v := range values {
		switch v.kind {
		case kindLibrary, kindBuiltin:
			ref.outside = true
		case kindModule:
			if at, ok := r.moduleBinding(v, name); ok {
				ref.add(at)
			} else if at := r.modules.child(v.folder, name); v.folder != "" && at.unit != nil {
				ref.add(boundIn{unit: at.unit})
			}
		case kindClass, kindInstance, kindSuper:
			if at, _, ok := r.classBinding(v, name); ok {
				ref.add(at)
			}
		}
	}
	return ref
}

// referOriginal returns what "a" in "from m import a as b" refers to.
func (r *resolver) referOriginal(u *Unit, offset int) reference {
	var ref reference
	for _, i := range u.imports() {
		if i.at.Start == offset {
			ref.targets, ref.outside = r.importOrigin(i)
			return ref
		}
	}
	return ref
}

// importOrigin returns where the name that a from-import takes is bound, or the module that a plain import binds.
func (r *resolver) importOrigin(i imported) (targets []boundIn, outside bool) {
	at := r.modules.source(i)
	if !at.found() {
		return nil, true
	}
	if !i.from {
		if at.unit != nil && i.as.End > 0 {
			return []boundIn{{unit: at.unit}}, false
		}
		return nil, false
	}
	if sub, ok := r.ownSubmodule(i, at); ok {
		return []boundIn{{unit: sub.unit}}, false
	}
	return r.referMember([]value{moduleValue(at)}, i.name).targets, false
}

// referPath returns the module that one part of an import path refers to.
func (r *resolver) referPath(u *Unit, use *grammar.Use) reference {
	var ref reference
	for _, i := range u.imports() {
		if use.Span.Start < i.start || use.Span.Start >= i.at.Start && i.from || use.Span.Start > i.at.End && !i.from {
			continue
		}
		if at := r.modules.source(i); at.unit != nil && lastPart(i.module) == use.Name {
			ref.targets = []boundIn{{unit: at.unit}}
		} else {
			ref.outside = !at.found()
		}
	}
	return ref
}

// referKeyword returns the parameter or field that a keyword argument names.
func (r *resolver) referKeyword(u *Unit, use *grammar.Use) reference {
	tokens, at := u.around(use.Span.Start)
	open := u.opening(tokens, at)
	if open < 1 {
		return reference{}
	}
	callees := r.evalTokens(u, u.baseEnding(tokens, open-1))
	var ref reference
	for _, v := range callees {
		switch v.kind {
		case kindLibrary, kindBuiltin:
			ref.outside = true
		case kindFunction:
			r.addParameter(&ref, v, use.Name)
		case kindInstance:
			for _, method := range r.member(v, "__call__") {
				r.addParameter(&ref, method, use.Name)
			}
		case kindClass:
			r.addConstructor(&ref, u, use, v)
		}
	}
	return ref
}

// addConstructor adds what a keyword names in a call of a class: a parameter of its constructor, or a field of a
// data class. In a pattern the keyword names an attribute.
func (r *resolver) addConstructor(ref *reference, u *Unit, use *grammar.Use, class value) {
	s := u.statementAt(use.Span.Start)
	pattern := s != nil && s.Kind == python.Case
	if !pattern {
		before := len(ref.targets)
		for _, name := range []string{"__init__", "__new__"} {
			for _, method := range r.member(class, name) {
				r.addParameter(ref, method, use.Name)
			}
		}
		if len(ref.targets) > before {
			return
		}
	}
	if pattern || r.hasFields(owner{class.unit, class.symbol}) {
		if at, _, ok := r.classBinding(class, use.Name); ok {
			ref.add(at)
		}
	}
}

// addParameter adds the parameter of a function, if it has one of that name.
func (r *resolver) addParameter(ref *reference, function value, name string) {
	if function.kind != kindFunction {
		return
	}
	scope := function.unit.classScope(function.symbol)
	if scope == nil {
		return
	}
	key := binding{scope, name}
	for _, i := range function.unit.bound[key] {
		if function.unit.names.Uses[i].Context == grammar.Parameter {
			ref.add(boundIn{function.unit, key})
			return
		}
	}
}

// origins follows imports to the original bindings of a name. A name from outside the project is bound by its import.
func (r *resolver) origins(at boundIn) []boundIn {
	return r.originsBehind(at, map[boundIn]bool{})
}

// originsBehind is origins without the bindings in seen.
func (r *resolver) originsBehind(at boundIn, seen map[boundIn]bool) []boundIn {
	if at.scope == nil || len(seen) > mostOrigins {
		return []boundIn{at}
	}
	seen[at] = true
	var out []boundIn
	own := false
	for _, i := range at.unit.bound[at.binding] {
		use := at.unit.names.Uses[i]
		var found []boundIn
		if use.Context == grammar.Import {
			if imp, ok := at.unit.importAt(use.Span.Start); ok {
				found, _ = r.importOrigin(imp)
			}
		}
		own = own || len(found) == 0
		for _, origin := range found {
			if !seen[origin] {
				out = append(out, r.originsBehind(origin, seen)...)
			}
		}
	}
	if own || len(out) == 0 {
		out = append(out, at)
	}
	return out
}

// mostOrigins limits the imports that are followed for one name.
const mostOrigins = 1_000

// around returns the tokens of the header, simple statement or decorator that contains offset. It also returns
// the index of the token that begins there, or -1 if none does.
func (u *Unit) around(offset int) ([]python.Token, int) {
	s := u.statementAt(offset)
	if s == nil {
		return nil, -1
	}
	span := headOf(s)
	for _, decorator := range s.Decorators {
		if offset >= decorator.Start && offset < decorator.End {
			span = decorator
		}
	}
	tokens := u.cachedTokens(span)
	at := sort.Search(len(tokens), func(i int) bool { return tokens[i].Start >= offset })
	if at == len(tokens) || tokens[at].Start != offset {
		return nil, -1
	}
	return tokens, at
}

// baseOf returns the tokens of the expression before the dot of the attribute at offset.
func (u *Unit) baseOf(offset int) []python.Token {
	tokens, at := u.around(offset)
	if at < 2 || !u.is(tokens, at-1, ".") {
		return nil
	}
	return u.baseEnding(tokens, at-2)
}

// baseEnding returns the primary expression (names, attributes, calls, subscripts) whose last token has index end.
func (u *Unit) baseEnding(tokens []python.Token, end int) []python.Token {
	i := end
	for i >= 0 {
		bracket := u.step(tokens[i]) < 0
		if bracket {
			if i = u.opening(tokens, i); i < 0 {
				return nil
			}
		}
		switch {
		case i > 1 && tokens[i].Kind == python.Name && u.is(tokens, i-1, "."):
			i -= 2
		case bracket && i > 0 && (tokens[i-1].Kind == python.Name || u.step(tokens[i-1]) < 0 ||
			tokens[i-1].Kind == python.String):
			i--
		default:
			return tokens[i : end+1]
		}
	}
	return nil
}

// opening returns the index of the enclosing opening bracket, or, for a closing bracket, of the one that opens
// it. It returns -1 if it is missing.
func (u *Unit) opening(tokens []python.Token, at int) int {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		depth += u.step(tokens[i])
		if depth > 0 {
			return i
		}
	}
	return -1
}
