package project

import (
	"slices"
	"sort"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// base is one entry of a class's list of bases.
type base struct {
	text   string  // as written, without type arguments
	values []value // its possible values
}

// bases returns the bases of a class as written, and its metaclass, which is empty if none is named.
func (r *resolver) bases(class owner) (bases []base, metaclass string) {
	u := class.unit
	arguments, _ := u.header(class.symbol)
	for _, part := range arguments {
		switch {
		case u.is(part, 1, "="):
			if u.is(part, 0, "metaclass") {
				metaclass = textOf(u, part[2:])
			}
			continue
		case u.is(part, 0, "*") || u.is(part, 0, "**"):
			bases = append(bases, base{text: textOf(u, part)})
			continue
		}
		end := 0
		for end < len(part) && !u.is(part, end, "[") {
			end++
		}
		plain := part
		if end > 0 {
			plain = part[:end]
		}
		bases = append(bases, base{text: textOf(u, plain), values: r.evalTokens(u, part)})
	}
	return bases, metaclass
}

// textOf returns the source of tokens, shortened.
func textOf(u *Unit, tokens []python.Token) string {
	span := spanOf(tokens)
	return document.Clip(u.Text()[span.Start:span.End], 80)
}

// parents returns the bases of a class that the project defines.
func (r *resolver) parents(class owner) []owner {
	bases, _ := r.bases(class)
	var out []owner
	for _, b := range bases {
		for _, v := range b.values {
			if v.kind == kindClass {
				out = append(out, owner{v.unit, v.symbol})
			}
		}
	}
	return out
}

// order returns the class and its ancestors in Python's member lookup order, or depth first if no such order
// exists. Ancestors outside the project are skipped.
func (r *resolver) order(class owner) []owner {
	if found, known := r.orders[class]; known {
		return found
	}
	r.orders[class] = []owner{class} // stops the recursion for classes that inherit from themselves
	var lists [][]owner
	parents := r.parents(class)
	if len(r.orders) < maxClasses {
		for _, parent := range parents {
			lists = append(lists, r.order(parent))
		}
	}
	merged := slices.DeleteFunc(merge(append(lists, parents)), func(o owner) bool { return o == class })
	merged = append([]owner{class}, merged...)
	r.orders[class] = merged
	return merged
}

// maxClasses limits the classes that one query examines, and thereby the recursion depth.
const maxClasses = 20_000

// merge merges orders so that each is preserved, like Python's C3.
func merge(lists [][]owner) []owner {
	var out []owner
	seen := map[owner]bool{}
	for {
		rest := lists[:0]
		for _, list := range lists {
			for len(list) > 0 && seen[list[0]] {
				list = list[1:]
			}
			if len(list) > 0 {
				rest = append(rest, list)
			}
		}
		if lists = rest; len(lists) == 0 {
			return out
		}
		next := lists[0][0]
		for _, list := range lists {
			if !inTail(lists, list[0]) {
				next = list[0]
				break
			}
		}
		seen[next] = true
		out = append(out, next)
	}
}

func inTail(lists [][]owner, class owner) bool {
	for _, list := range lists {
		for _, other := range list[1:] {
			if other == class {
				return true
			}
		}
	}
	return false
}

// outside returns the ancestors of a class that the project does not define, other than object.
func (r *resolver) outside(class owner) []string {
	var out []string
	for _, at := range r.order(class) {
		bases, _ := r.bases(at)
		for _, b := range bases {
			if !isProjectClass(b.values) && b.text != "object" && b.text != "Generic" && b.text != "Protocol" &&
				b.text != "ABC" && b.text != "abc.ABC" {
				out = append(out, b.text)
			}
		}
	}
	return out
}

func isProjectClass(values []value) bool {
	for _, v := range values {
		if v.kind == kindClass {
			return true
		}
	}
	return false
}

// members evaluates the attribute name of each value.
func (r *resolver) members(values []value, name string) []value {
	var out []value
	for _, v := range values {
		out = union(out, r.member(v, name)...)
	}
	return out
}

// member evaluates the attribute name of one value.
func (r *resolver) member(v value, name string) []value {
	switch v.kind {
	case kindLibrary, kindBuiltin:
		return []value{library(v.name + "." + name)}
	case kindModule:
		return r.moduleMember(v, name)
	case kindClass, kindInstance, kindSuper:
		return r.classMember(v, name)
	}
	return nil
}

func (r *resolver) moduleMember(v value, name string) []value {
	if at, ok := r.moduleBinding(v, name); ok {
		return r.bound(at.unit, at.binding)
	}
	if v.folder != "" {
		if at := r.modules.child(v.folder, name); at.found() {
			return []value{moduleValue(at)}
		}
	}
	return nil
}

// moduleBinding returns where an attribute of a module is bound. This may be another module, whose names it
// imports with a star.
func (r *resolver) moduleBinding(v value, name string) (boundIn, bool) {
	if v.unit == nil {
		return boundIn{}, false
	}
	if key := (binding{v.unit.module(), name}); len(v.unit.bound[key]) > 0 {
		return boundIn{v.unit, key}, true
	}
	return r.starredFrom(v.unit, name)
}

// classMember evaluates an attribute of a class or of an instance of it.
func (r *resolver) classMember(v value, name string) []value {
	at, class, ok := r.classBinding(v, name)
	if !ok {
		return nil
	}
	var values []value
	if len(at.unit.bound[at.binding]) > 0 {
		values = r.bound(at.unit, at.binding)
	}
	values = union(slices.Clone(values), r.fieldValues(class, name)...)
	if len(values) == 0 {
		return []value{{kind: kindVariable, unit: at.unit, scope: at.scope, name: name}}
	}
	var out []value
	for _, m := range known(values) {
		if m.kind == kindFunction {
			m.owner = &owner{v.unit, v.symbol}
			if v.kind != kindClass && isProperty(m.unit, m.symbol) {
				out = union(out, r.returned(m)...)
				continue
			}
		}
		out = union(out, m)
	}
	return out
}

// fieldValues evaluates what the methods of a class assign to an attribute of self.
func (r *resolver) fieldValues(class owner, name string) []value {
	at := fieldIn{class, name}
	if values, known := r.given[at]; known {
		return values
	}
	r.given[at] = nil // stops the recursion for attributes that depend on themselves
	var out []value
	for _, span := range r.fieldsOf(class)[name] {
		out = union(out, r.assigned(class.unit, span)...)
	}
	r.given[at] = known(out)
	return r.given[at]
}

// classBinding returns where an attribute of a class or instance is bound: in the first class in lookup order
// that binds it in its body or assigns it on self.
func (r *resolver) classBinding(v value, name string) (boundIn, owner, bool) {
	order := r.order(owner{v.unit, v.symbol})
	if v.kind == kindSuper {
		order = order[1:]
	}
	for _, class := range order {
		scope := class.unit.classScope(class.symbol)
		if scope == nil {
			continue
		}
		key := binding{scope, name}
		if len(class.unit.bound[key]) > 0 || len(r.fieldsOf(class)[name]) > 0 {
			return boundIn{class.unit, key}, class, true
		}
	}
	return boundIn{}, owner{}, false
}

// classScope returns the scope of a class's body.
func (u *Unit) classScope(s *python.Symbol) *grammar.Scope {
	u.Names()
	return u.scopeOf[s]
}

// fieldsOf returns the attributes that the methods of a class assign on their first parameter, with the position
// of the name in each assignment.
func (r *resolver) fieldsOf(class owner) map[string][]python.Span {
	if fields, known := r.fields[class]; known {
		return fields
	}
	fields := map[string][]python.Span{}
	u := class.unit
	uses := u.Names().Uses
	from := sort.Search(len(uses), func(i int) bool { return uses[i].Span.Start >= class.symbol.Statement.Start })
	for i := max(from, 1); i < len(uses) && uses[i].Span.Start < class.symbol.Statement.End; i++ {
		use := uses[i]
		if use.Context != grammar.Attribute || use.Access != grammar.Store || use.Object == "" {
			continue
		}
		if base := uses[i-1]; base.Name == use.Object && u.isSelf(base, class.symbol) {
			fields[use.Key] = append(fields[use.Key], use.Span)
		}
	}
	r.fields[class] = fields
	return fields
}

// isSelf reports whether a name is the first parameter of a method of the class, that is, the instance or the
// class itself.
func (u *Unit) isSelf(use grammar.Use, class *python.Symbol) bool {
	s := symbolOf(use.Binding)
	if !isFunction(s) || s.Parent != class || methodKind(u, s) == "staticmethod" {
		return false
	}
	arguments, _ := u.header(s)
	return len(arguments) > 0 && u.key(arguments[0][0]) == use.Key
}

// hasFields reports whether the constructor of a class takes its annotated variables, as for a data class, a
// named tuple and the like, or a subclass of one.
func (r *resolver) hasFields(class owner) bool {
	for _, at := range r.order(class) {
		for _, decorator := range at.unit.Python().Decorators(at.symbol) {
			name, _, _ := strings.Cut(decorator, "(")
			switch lastPart(name) {
			case "dataclass", "define", "frozen", "mutable", "s", "attrs", "dataclass_transform":
				return true
			}
		}
		bases, _ := r.bases(at)
		for _, b := range bases {
			switch lastPart(b.text) {
			case "NamedTuple", "TypedDict", "BaseModel", "Struct":
				return true
			}
		}
	}
	return false
}
