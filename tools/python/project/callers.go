package project

import (
	"slices"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// callers returns the functions that call a function or pass it as a value, ordered by file and line. first is
// set for the target itself; then possible calls of it are also collected.
func (c *calls) callers(to owner, first bool) ([]edge, error) {
	if to.symbol == nil {
		return nil, c.ctx.Err()
	}
	var edges []edge
	known := map[string]bool{}
	fresh := c.namesOf(to)
	for len(fresh) > 0 {
		for _, name := range fresh {
			known[name] = true
		}
		units, err := c.holding(fresh)
		if err != nil {
			return nil, err
		}
		units, left, err := prepare(c.ctx, units)
		if err != nil {
			return nil, err
		}
		c.graph.Truncated = c.graph.Truncated || left > 0
		var next []string
		for _, u := range units {
			if err := c.ctx.Err(); err != nil {
				return nil, err
			}
			wide, narrow := c.aliases(u, fresh, func(v value) bool { return c.reaches([]value{v}, to, "reference") })
			next = append(next, wide...)
			edges = c.callersIn(edges, u, to, append(narrow, fresh...), first)
		}
		fresh = slices.Compact(slices.Sorted(slices.Values(slices.DeleteFunc(next, func(n string) bool { return known[n] }))))
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return compareOwners(a.to, b.to) })
	for i := range edges {
		slices.SortStableFunc(edges[i].sites, func(a, b CallSite) int { return a.Line - b.Line })
	}
	return edges, nil
}

// namesOf returns the names by which code calls a function. For a constructor it includes the names of its class
// and of the subclasses that inherit it.
func (c *calls) namesOf(to owner) []string {
	names := []string{to.symbol.Name}
	switch class := to.symbol.Parent; {
	case !isClass(class):
	case to.symbol.Name == "__init__" || to.symbol.Name == "__new__":
		at := owner{to.unit, class}
		names = []string{class.Name, to.symbol.Name}
		if f, _, err := c.subclasses(c.ctx, at, func(string) bool { return true }); err == nil {
			for o := range f.seen {
				names = append(names, o.symbol.Name)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	return names
}

// callersIn adds the calls of one file.
func (c *calls) callersIn(edges []edge, u *Unit, to owner, names []string, first bool) []edge {
	uses := u.Names().Uses
	for i := range uses {
		use := &uses[i]
		if use.Context != grammar.Load && use.Context != grammar.Attribute || !slices.Contains(names, use.Name) {
			continue
		}
		how := u.how(use)
		if how == "" {
			continue
		}
		from := owner{u, u.callerAt(use.Span.Start)}
		var values []value
		if use.Context == grammar.Attribute {
			values = c.members(c.evalTokens(u, u.baseOf(use.Span.Start)), use.Key)
		} else {
			values = c.used(u, *use)
		}
		line := u.Python().LineOf(use.Span.Start)
		switch {
		case c.reaches(values, to, how):
			edges = addSite(edges, from, CallSite{Line: line, How: how})
		case first && how == "call" && use.Context == grammar.Attribute && !c.tells(values) && use.Name == to.symbol.Name &&
			len(c.graph.Possible) < mostUnresolved:
			c.graph.Possible = append(c.graph.Possible, Unresolved{Text: c.calleeText(u, use), In: symbolPath(from.symbol),
				Path: u.Path, Line: line})
		}
	}
	return edges
}

func (c *calls) calleeText(u *Unit, use *grammar.Use) string {
	base := u.baseOf(use.Span.Start)
	return document.Clip(textOf(u, base)+"."+use.Name, 60)
}

// tells reports whether anything is known about values.
func (c *calls) tells(values []value) bool {
	return slices.ContainsFunc(values, func(v value) bool { return v.kind != kindVariable && v.kind != kindParameter })
}

// reaches reports whether using one of the values in the given way runs the function or passes it on.
func (c *calls) reaches(values []value, to owner, how string) bool {
	for _, v := range values {
		at := owner{v.unit, v.symbol}
		switch v.kind {
		case kindFunction:
			if at == to {
				return true
			}
		case kindClass:
			if at == to || how == "call" && slices.Contains(c.constructors(v), to) {
				return true
			}
		}
	}
	return false
}

// aliases returns other names that a file gives to values that fit and are written with one of the names, by
// "import … as" and by assignment. Names in wide may be used in any file; names in narrow are local.
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

// assignment returns the target and the right side of "name = expression" if the expression ends with the token
// at offset. It returns nil for any other statement.
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
