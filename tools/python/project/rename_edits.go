package project

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python/grammar"
)

func (n *renamer) warn(format string, args ...any) {
	n.answer.Warnings = append(n.answer.Warnings, fmt.Sprintf(format, args...))
}

// collect decides what to do with every occurrence of the old name.
func (n *renamer) collect() error {
	var broken []string
	for _, u := range n.units {
		if err := n.ctx.Err(); err != nil {
			return err
		}
		n.listed(u)
		unparsed := false
		for _, o := range u.occurrences(n.old) {
			switch {
			case o.mention:
				n.mention(u, o)
			case o.use == nil:
				unparsed = true
			default:
				n.decide(u, o)
			}
		}
		if unparsed || len(n.edits[u]) > 0 {
			if problem, bad := u.Broken(true); bad {
				broken = append(broken, u.Path+" ("+problem+")")
			}
		}
	}
	if len(broken) > 0 {
		return refuse("these files use %s and do not parse: %s; repair them first", n.old,
			strings.Join(broken[:min(len(broken), 10)], ", "))
	}
	return nil
}

// mention lists an occurrence in a string or comment. For a name local to a function, it lists only those in that
// function.
func (n *renamer) mention(u *Unit, o occurrence) {
	if n.at.local() && (u != n.at.unit || o.offset < n.at.scope.Span.Start || o.offset >= n.at.scope.Span.End) {
		return
	}
	if slices.ContainsFunc(n.edits[u], func(e edit) bool { return e.span.Start == o.offset }) {
		return
	}
	n.answer.Mentions = n.place(n.answer.Mentions, u, o.offset)
}

// place adds a line to a list unless it is already there or the list is full.
func (n *renamer) place(list []Place, u *Unit, offset int) []Place {
	at := Place{Path: u.Path, Line: u.Python().LineOf(offset), Text: u.LineText(offset)}
	switch {
	case slices.Contains(list, at):
	case len(list) >= mostPlaces:
		n.answer.Left++
	default:
		list = append(list, at)
	}
	return list
}

// decide renames an occurrence, skips it, or lists it as possible.
func (n *renamer) decide(u *Unit, o occurrence) {
	use := o.use
	switch use.Context {
	case grammar.Import:
		n.decideImport(u, use)
		return
	case grammar.ImportPath:
		return
	}
	ref := n.refer(u, use)
	ours, others := 0, 0
	for _, at := range ref.targets {
		if n.wanted[at] {
			ours++
		} else {
			others++
		}
	}
	switch {
	case ours > 0 && others == 0:
		n.edits[u] = append(n.edits[u], edit{span: use.Span})
	case ours > 0 || ref.unknown() && n.mayMean(use):
		n.answer.Possible = n.place(n.answer.Possible, u, use.Span.Start)
	}
}

// mayMean reports whether an unresolved use could refer to the renamed binding.
func (n *renamer) mayMean(use *grammar.Use) bool {
	switch use.Context {
	case grammar.Attribute:
		return !n.at.local()
	case grammar.KeywordArgument:
		if function := symbolOf(n.at.scope); isFunction(function) {
			called := lastPart(use.Object)
			return called == function.Name || function.Parent != nil && called == function.Parent.Name
		}
		return n.isMember() && lastPart(use.Object) == symbolOf(n.at.scope).Name
	}
	return n.at.scope.Kind == grammar.ModuleScope
}

// decideImport renames the alias or the name that an import takes. It adds an alias to an import that takes another
// thing but binds the renamed name.
func (n *renamer) decideImport(u *Unit, use *grammar.Use) {
	bound := use.Binding != nil && n.wanted[boundIn{u, binding{use.Binding, use.Key}}]
	i, ok := u.importAt(use.Span.Start)
	if !bound || !ok {
		return
	}
	takes := i.as.End > 0 || i.from && n.takes(i)
	n.edits[u] = append(n.edits[u], edit{span: use.Span, alias: !takes})
}

// listed renames the strings in __all__, __slots__ and similar lists that name the renamed binding.
func (n *renamer) listed(u *Unit) {
	var names []listedName
	if module := (boundIn{u, binding{u.module(), n.old}}); n.wanted[module] || n.reexports(u) {
		names = u.listed("__all__")
	}
	for _, at := range n.order {
		if class := symbolOf(at.scope); at.unit == u && isClass(class) {
			names = append(names, u.slotNames(class)...)
		}
	}
	for _, name := range names {
		if name.text == n.old {
			n.edits[u] = append(n.edits[u], edit{span: name.at})
		}
	}
}

// reexports reports whether a module gets the renamed name through "import *".
func (n *renamer) reexports(u *Unit) bool {
	if n.at.scope.Kind != grammar.ModuleScope || len(u.bound[binding{u.module(), n.old}]) > 0 {
		return false
	}
	at, ok := n.starredFrom(u, n.old)
	return ok && n.wanted[at]
}

// splices returns the changes of a file in order, without duplicates.
func (n *renamer) splices(u *Unit) []document.Splice {
	edits := slices.Clone(n.edits[u])
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.span.Start, b.span.Start) })
	var out []document.Splice
	for _, e := range slices.Compact(edits) {
		if e.alias {
			out = append(out, document.Splice{Start: e.span.End, End: e.span.End, New: " as " + n.new})
		} else {
			out = append(out, document.Splice{Start: e.span.Start, End: e.span.End, New: n.new})
		}
	}
	return out
}

// checkResults rejects a rename after which a changed file would not parse or a name in it would mean something else.
func (n *renamer) checkResults() error {
	for _, u := range n.units {
		if err := n.ctx.Err(); err != nil {
			return err
		}
		if len(n.edits[u]) == 0 {
			continue
		}
		if err := n.checkResult(u, n.splices(u)); err != nil {
			return err
		}
	}
	return nil
}

func (n *renamer) checkResult(u *Unit, splices []document.Splice) error {
	text, err := document.Apply(u.Text(), splices)
	if err != nil {
		return err
	}
	if found := grammar.Check(text, 1); len(found) > 0 {
		return refuse("%s would no longer parse: line %d: %s", u.Path, found[0].Line, found[0].Text)
	}
	before, after := u.Names(), grammar.Analyze(text)
	numbers := map[*grammar.Scope]int{}
	for i, scope := range before.Scopes {
		numbers[scope] = i + 1
	}
	numbersAfter := map[*grammar.Scope]int{}
	for i, scope := range after.Scopes {
		numbersAfter[scope] = i + 1
	}
	at := map[int]*grammar.Use{}
	for i := range after.Uses {
		at[after.Uses[i].Span.Start] = &after.Uses[i]
	}
	shift := shifts(splices)
	for _, use := range before.Uses {
		now := at[shift(use.Span.Start)]
		if use.Context == grammar.Import && now != nil && now.Context != grammar.Import {
			now = at[shift(use.Span.End)+len(" as ")]
		}
		if now == nil || numbers[use.Binding] != numbersAfter[now.Binding] {
			return refuse("%s would mean something else in %s line %d than before (%s); choose another name", n.new, u.Path,
				u.Python().LineOf(use.Span.Start), use.Name)
		}
		if isPrivate(n.new) && use.Context == grammar.Attribute && now.Name == n.new && now.Key != n.newKey(n.at) {
			return refuse("%s would be private to its class, but %s line %d uses it from outside; choose another name", n.new,
				u.Path,
				u.Python().LineOf(use.Span.Start))
		}
	}
	return nil
}

// shifts returns a function that maps offsets before splices to offsets after them. It must be called with
// increasing offsets. An offset at an insertion stays before it.
func shifts(splices []document.Splice) func(int) int {
	next, moved := 0, 0
	return func(offset int) int {
		for next < len(splices) && splices[next].End <= offset && splices[next].Start < offset {
			moved += len(splices[next].New) - (splices[next].End - splices[next].Start)
			next++
		}
		return offset + moved
	}
}

// report fills in the list of files.
func (n *renamer) report() error {
	for _, u := range n.units {
		splices := n.splices(u)
		if len(splices) == 0 {
			continue
		}
		file := RenamedFile{Path: u.Path, Splices: splices, Lines: []int{}}
		for _, s := range splices {
			if line := u.Python().LineOf(s.Start); !slices.Contains(file.Lines, line) {
				file.Lines = append(file.Lines, line)
			}
		}
		n.answer.Files = append(n.answer.Files, file)
		n.answer.Count += len(splices)
	}
	return nil
}
