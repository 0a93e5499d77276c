package project

import (
	"context"
	"slices"

	"manualslop/tools/python"
)

// Hierarchy is a class with its ancestors and subclasses.
type Hierarchy struct {
	Class     Definition `json:"class"`
	Metaclass string     `json:"metaclass"` // as written; empty if the class names no metaclass
	// Order lists the class and its ancestors within the project as "path:Class", in lookup order.
	Order      []string    `json:"mro"`
	Bases      []ClassNode `json:"bases"`      // direct bases with their own bases
	Subclasses []ClassNode `json:"subclasses"` // direct subclasses with their own subclasses
	Count      int         `json:"count"`      // number of subclasses at any depth, each counted once
	Truncated  bool        `json:"truncated"`  // subclasses were left out because of the limit
}

// ClassNode is one class in a tree of classes.
type ClassNode struct {
	Text      string      `json:"text"` // as written in the list of bases; for subclasses, the name of the class
	Class     *Definition `json:"class"`
	Metaclass string      `json:"metaclass"`
	// Note is "outside" for a base outside the project, "cycle" for a class that is its own ancestor, "repeated"
	// for a class whose relatives are shown elsewhere in the tree, and otherwise empty.
	Note  string      `json:"note"`
	Nodes []ClassNode `json:"nodes"`
}

// mostSubclasses limits the subclasses in a result.
const mostSubclasses = 2_000

// Hierarchy finds the ancestors and subclasses of a class. The name is "A", "outer.A", "pkg.mod.A", "A#2" or
// "path/file.py:A". The class is searched for in the files that lookup selects, its subclasses in the files that
// within selects; bases may be anywhere in the project. The error is a *NotFoundError, an *AmbiguousError or the
// context's.
func (p *Project) Hierarchy(ctx context.Context, name string, lookup, within func(path string) bool) (Hierarchy,
	error) {
	r := p.resolver()
	class, err := r.classNamed(ctx, parseTarget(name), lookup)
	if err != nil {
		return Hierarchy{}, err
	}
	children, truncated, err := r.subclasses(ctx, class, within)
	if err != nil {
		return Hierarchy{}, err
	}
	h := Hierarchy{Class: class.unit.definition(class.symbol), Order: []string{}, Truncated: truncated,
		Count: len(children.seen) - 1}
	_, h.Metaclass = r.bases(class)
	for _, at := range r.order(class) {
		h.Order = append(h.Order, at.unit.Path+":"+at.symbol.Path)
	}
	h.Bases = r.baseNodes(class, []owner{class}, map[owner]bool{})
	h.Subclasses = r.subclassNodes(class, children.of, []owner{class}, map[owner]bool{})
	return h, nil
}

// classNamed finds the class with a name, or the class that an alias of that name refers to.
func (r *resolver) classNamed(ctx context.Context, t target, lookup func(string) bool) (owner, error) {
	found, err := r.symbols(ctx, t, isClass)
	if err != nil {
		return owner{}, err
	}
	found = slices.DeleteFunc(found, func(o owner) bool { return !lookup(o.unit.Path) })
	if len(found) == 0 {
		if found, err = r.aliased(ctx, t, lookup); err != nil {
			return owner{}, err
		}
	}
	if len(found) == 0 && len(t.names) == 1 {
		found, err = r.nested(ctx, t, lookup)
	}
	if err != nil {
		return owner{}, err
	}
	return r.one(ctx, t, found, isClass)
}

// aliased finds classes that a module of the project binds to a name without defining them.
func (r *resolver) aliased(ctx context.Context, t target, lookup func(string) bool) ([]owner, error) {
	units, err := r.mentioning(ctx, t.last())
	var out []owner
	for _, u := range units {
		if !lookup(u.Path) || t.file != "" && u.Path != t.file || ctx.Err() != nil {
			continue
		}
		for _, v := range r.dotted(u, u.module(), joined(t.names)) {
			if o := (owner{v.unit, v.symbol}); v.kind == kindClass && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out, err
}

// nested finds classes by the last part of their name.
func (r *resolver) nested(ctx context.Context, t target, lookup func(string) bool) ([]owner, error) {
	units, err := r.mentioning(ctx, t.last())
	var out []owner
	for _, u := range units {
		for _, s := range u.Python().Symbols {
			if isClass(s) && s.Name == t.last() && lookup(u.Path) && (t.file == "" || t.file == u.Path) {
				out = append(out, owner{u, s})
			}
		}
	}
	return out, err
}

// family is a class and its subclasses at any depth.
type family struct {
	seen map[owner]bool
	of   map[owner][]owner // direct subclasses, in order of file and line
}

// subclasses finds the subclasses of a class at any depth.
func (r *resolver) subclasses(ctx context.Context, class owner, within func(string) bool) (family, bool, error) {
	f := family{seen: map[owner]bool{class: true}, of: map[owner][]owner{}}
	known := map[string]bool{class.symbol.Name: true}
	fresh := []string{class.symbol.Name}
	for len(fresh) > 0 {
		units, err := r.mentioning(ctx, fresh...)
		if err != nil {
			return f, false, err
		}
		units, left, err := prepare(ctx, units)
		if err != nil || left > 0 {
			return f, left > 0, err
		}
		var next []string
		for _, u := range units {
			if err := ctx.Err(); err != nil {
				return f, false, err
			}
			wide, narrow := r.aliases(u, fresh, func(v value) bool {
				return v.kind == kindClass &&
					f.seen[owner{v.unit, v.symbol}]
			})
			next = append(next, wide...)
			if within(u.Path) {
				next = append(next, r.addSubclasses(&f, u, append(append(narrow, wide...), fresh...))...)
			}
			if len(f.seen) > mostSubclasses {
				return f, true, nil
			}
		}
		fresh = nil
		for _, name := range next {
			if !known[name] {
				known[name] = true
				fresh = append(fresh, name)
			}
		}
	}
	return f, false, nil
}

// addSubclasses adds the classes of a file that list a member of the family as a base under one of the names. It
// returns the names of the added classes.
func (r *resolver) addSubclasses(f *family, u *Unit, names []string) []string {
	var added []string
	for again := true; again; {
		again = false
		for _, s := range u.Python().Symbols {
			if !isClass(s) || !u.inherits(s, names) {
				continue
			}
			class := owner{u, s}
			for _, parent := range r.parents(class) {
				if !f.seen[parent] || slices.Contains(f.of[parent], class) {
					continue
				}
				f.of[parent] = append(f.of[parent], class)
				if !f.seen[class] {
					f.seen[class], again = true, true
					added = append(added, s.Name)
				}
			}
		}
	}
	return added
}

// inherits reports whether one of the names occurs in a class's list of bases.
func (u *Unit) inherits(class *python.Symbol, names []string) bool {
	arguments, _ := u.header(class)
	for _, part := range arguments {
		for _, t := range part {
			if t.Kind == python.Name && slices.Contains(names, python.Normalize(u.word(t))) {
				return true
			}
		}
	}
	return false
}

// maxHeight limits the levels of a class tree.
const maxHeight = 100

func (r *resolver) baseNodes(class owner, above []owner, shown map[owner]bool) []ClassNode {
	nodes := []ClassNode{}
	bases, _ := r.bases(class)
	for _, b := range bases {
		found := false
		for _, v := range b.values {
			if v.kind != kindClass {
				continue
			}
			found = true
			nodes = append(nodes, r.node(b.text, owner{v.unit, v.symbol}, above, shown, r.baseNodes))
		}
		if !found {
			nodes = append(nodes, ClassNode{Text: b.text, Note: "outside", Nodes: []ClassNode{}})
		}
	}
	return nodes
}

func (r *resolver) subclassNodes(class owner, of map[owner][]owner, above []owner, shown map[owner]bool) []ClassNode {
	nodes := []ClassNode{}
	children := slices.Clone(of[class])
	slices.SortStableFunc(children, compareOwners)
	for _, child := range children {
		nodes = append(nodes, r.node(child.symbol.Path, child, above, shown, func(class owner, above []owner,
			shown map[owner]bool) []ClassNode {
			return r.subclassNodes(class, of, above, shown)
		}))
	}
	return nodes
}

// node returns a class with its relatives in one direction.
func (r *resolver) node(text string, class owner, above []owner, shown map[owner]bool, relatives func(owner, []owner,
	map[owner]bool) []ClassNode) ClassNode {
	d := class.unit.definition(class.symbol)
	node := ClassNode{Text: text, Class: &d, Nodes: []ClassNode{}}
	_, node.Metaclass = r.bases(class)
	switch {
	case slices.Contains(above, class):
		node.Note = "cycle"
	case shown[class] || len(above) >= maxHeight:
		node.Note = "repeated"
	default:
		shown[class] = true
		node.Nodes = relatives(class, append(slices.Clip(above), class), shown)
	}
	return node
}
