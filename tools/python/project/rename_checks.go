package project

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// spreadMembers adds the attribute of every class that overrides it or whose attribute it overrides, because a
// call on an object may reach any of them. A private name belongs to its class alone.
func (n *renamer) spreadMembers() error {
	class := owner{n.at.unit, symbolOf(n.at.scope)}
	if isPrivate(n.old) {
		n.aside = []owner{class}
		return nil
	}
	relatives := map[owner]bool{}
	pending := []owner{class}
	for len(pending) > 0 {
		at := pending[0]
		pending = pending[1:]
		if relatives[at] {
			continue
		}
		f, truncated, err := n.subclasses(n.ctx, at, func(string) bool { return true })
		if err != nil {
			return err
		}
		if truncated {
			return refuse("class %s has too many subclasses to rename an attribute in all of them", at.symbol.Path)
		}
		for o := range f.seen {
			relatives[o] = true
			for _, above := range n.resolver.order(o) {
				if n.hasOwn(above, n.at.name) && !relatives[above] {
					pending = append(pending, above)
				}
			}
		}
	}
	for o := range relatives {
		n.aside = append(n.aside, o)
	}
	slices.SortFunc(n.aside, compareOwners)
	for _, o := range n.aside {
		if scope := o.unit.classScope(o.symbol); n.hasOwn(o, n.at.name) && scope != nil {
			n.want(boundIn{o.unit, binding{scope, n.at.name}})
		}
	}
	n.warnOutside()
	return nil
}

// hasOwn reports whether a class binds an attribute in its body or assigns it on self.
func (r *resolver) hasOwn(class owner, name string) bool {
	scope := class.unit.classScope(class.symbol)
	return scope != nil && (len(class.unit.bound[binding{scope, name}]) > 0 || len(r.fieldsOf(class)[name]) > 0)
}

// warnOutside warns about bases outside the project, which may define or call the old name.
func (n *renamer) warnOutside() {
	var bases []string
	for _, o := range n.aside {
		for _, base := range n.outside(o) {
			if !slices.Contains(bases, base) && !isBuiltin(base) {
				bases = append(bases, base)
			}
		}
	}
	if len(bases) > 0 {
		n.warn("the class has bases outside the project, which may define or call "+n.old+": %s",
			strings.Join(bases[:min(len(bases), 10)], ", "))
	}
}

// spreadParameters adds the same parameter of overloads, overriding methods and overridden methods.
func (n *renamer) spreadParameters() error {
	function := symbolOf(n.at.scope)
	if function == nil {
		return nil
	}
	homes := []owner{{n.at.unit, function}}
	if isClass(function.Parent) && function.Name != "__init__" && function.Name != "__new__" {
		family := &renamer{resolver: n.resolver, ctx: n.ctx, old: function.Name, wanted: map[boundIn]bool{},
			at: n.at.unit.bindingOf(function)}
		if err := family.spreadMembers(); err != nil {
			return err
		}
		for _, at := range family.order {
			for _, d := range at.unit.Python().Find(symbolPath(symbolOf(at.scope)) + "." + function.Name) {
				homes = append(homes, owner{at.unit, d})
			}
		}
	}
	for _, s := range n.at.unit.Python().Find(function.Path) {
		homes = append(homes, owner{n.at.unit, s})
	}
	for _, home := range homes {
		if scope := home.unit.classScope(home.symbol); scope != nil {
			if at := (boundIn{home.unit, binding{scope, n.at.name}}); n.isParameter(at) {
				n.want(at)
			}
		}
	}
	return nil
}

// checkCollisions rejects a new name that is already bound in the scope of an old one.
func (n *renamer) checkCollisions() error {
	for _, at := range n.order {
		key := binding{at.scope, n.newKey(at)}
		if uses := at.unit.bound[key]; len(uses) > 0 {
			return refuse("%s is taken: %s binds it at line %d", n.new, at.unit.Path,
				at.unit.Python().LineOf(at.unit.names.Uses[uses[0]].Span.Start))
		}
	}
	for _, o := range n.aside {
		name := n.new
		if scope := o.unit.classScope(o.symbol); scope != nil {
			name = n.newKey(boundIn{o.unit, binding{scope, n.old}})
		}
		if _, class, ok := n.classBinding(classValue(o.unit, o.symbol), name); ok {
			return refuse("%s is taken: %s has an attribute of that name", n.new, class.unit.Path+":"+class.symbol.Path)
		}
	}
	return n.checkStars()
}

// newKey returns the new name in the form in which Python looks it up in the scope of a binding.
func (n *renamer) newKey(at boundIn) string {
	if at.scope == nil {
		return n.new
	}
	return at.scope.KeyOf(n.new)
}

// checkStars rejects a rename after which an "import *" would no longer provide a name or would hide another.
func (n *renamer) checkStars() error {
	if n.at.scope.Kind != grammar.ModuleScope {
		return nil
	}
	for _, u := range n.Project.units {
		if err := n.ctx.Err(); err != nil {
			return err
		}
		if !starImport().Match(u.data) {
			continue
		}
		if err := n.checkStarsOf(u); err != nil {
			return err
		}
	}
	return nil
}

// starImport matches text that may be an import of all names.
var starImport = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`import[ \t]*\*`)
})

func (n *renamer) checkStarsOf(u *Unit) error {
	for _, star := range n.stars(u) {
		module := star.unit.module()
		if !n.wanted[boundIn{star.unit, binding{module, n.old}}] || !star.unit.exports(n.old) {
			continue
		}
		listed := len(star.unit.bound[binding{module, "__all__"}]) > 0
		if strings.HasPrefix(n.new, "_") && !listed && u.mentions([]string{n.old}) {
			return refuse("%s imports all names of %s, but not those that begin with an underscore; choose another name", u.Path,
				star.unit.Path)
		}
		if uses := u.bound[binding{u.module(), n.new}]; len(uses) > 0 {
			return refuse("%s is taken: %s binds it at line %d and imports all names of %s", n.new, u.Path,
				u.Python().LineOf(u.names.Uses[uses[0]].Span.Start), star.unit.Path)
		}
	}
	return nil
}

// slotNames returns the strings of __slots__ and __match_args__ in the body of
// a class.
func (u *Unit) slotNames(class *python.Symbol) []listedName {
	var out []listedName
	for _, s := range u.topLevel(class.Statement.Body, 0) {
		tokens := u.tokens(s.Span)
		if u.is(tokens, 0, "__slots__") || u.is(tokens, 0, "__match_args__") {
			out = append(out, u.strings(tokens)...)
		}
	}
	return out
}

// checkClassBodies rejects a rename if the body of a class reads the old name and may get either the class's own
// variable or, before that is bound, the outer one, as in "x = x" and "date: date".
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

// meansTwo reports whether a use reads a variable of its class body that may not be bound yet, while an outer
// variable has the same name and one of the two is renamed.
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

// boundBefore reports whether a statement that always runs before a use binds its name.
func (u *Unit) boundBefore(use *grammar.Use) bool {
	var around []*python.Statement // the compound statements that contain the use
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

// checkKeywords rejects a new parameter name that calls already pass to the function's "**" parameter.
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
		return refuse("%s occurs in too many files of the project to determine whether calls already pass it; "+
			"choose another name",
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
				return refuse("%s is taken: %s line %d passes it as an extra keyword argument", n.new, u.Path,
					u.Python().LineOf(use.Span.Start))
			}
		}
	}
	return nil
}

// besideKeywords reports whether a binding is a parameter of a function that accepts arbitrary keywords.
func (n *renamer) besideKeywords(at boundIn) bool {
	function := symbolOf(at.scope)
	if !isFunction(function) || !n.isParameter(at) {
		return false
	}
	arguments, _ := at.unit.header(function)
	return slices.ContainsFunc(arguments, func(part []python.Token) bool { return at.unit.is(part, 0, "**") })
}
