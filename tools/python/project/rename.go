package project

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// RenameQuery describes what to rename.
type RenameQuery struct {
	Path string // the file that defines the name
	Name string // dotted path in it: "f", "A", "A.m", "x", "f.local", "f.parameter"; "#2" picks one of several
	New  string // the new last part of the name
}

// Renaming describes what a rename would change. The files are not changed.
type Renaming struct {
	Target Definition    `json:"target"`
	New    string        `json:"new_name"`
	Files  []RenamedFile `json:"files"`
	Count  int           `json:"occurrences"` // number of occurrences that would change
	// Possible are occurrences of the old name on objects of unknown or several types. They are not changed.
	Possible []Place  `json:"possible"`
	Mentions []Place  `json:"mentions"`   // the old name in strings and comments; not changed
	Left     int      `json:"not_listed"` // number of possible places and mentions beyond the limit of the lists
	Warnings []string `json:"warnings"`
}

// RenamedFile is a file that a rename changes.
type RenamedFile struct {
	Path    string            `json:"path"`
	Lines   []int             `json:"lines"` // each once
	Splices []document.Splice `json:"-"`     // splices of the decoded text, in order
}

// Place is a line that the user should check.
type Place struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// RenameError reports why a name cannot be renamed and what to do.
type RenameError struct{ Text string }

// Error returns the text, which is one line.
func (e *RenameError) Error() string { return e.Text }

func refuse(format string, args ...any) error { return &RenameError{fmt.Sprintf(format, args...)} }

// mostPlaces limits the lists of a Renaming.
const mostPlaces = 200

// renamer is the state of one rename.
type renamer struct {
	*resolver
	ctx    context.Context
	old    string // as the source spells it, in NFKC
	new    string
	at     boundIn
	wanted map[boundIn]bool
	order  []boundIn // the keys of wanted in the order of discovery
	units  []*Unit   // the units that mention the old name
	aside  []owner   // the classes whose attribute is renamed, and their relatives
	edits  map[*Unit][]edit
	answer Renaming
}

// edit replaces span with the new name, or adds the new name after it as an alias.
type edit struct {
	span  python.Span
	alias bool
}

// Rename finds the changes that a rename needs in all files. The error is a *RenameError, a *NotFoundError, an
// *AmbiguousError or the context's; after an error, the caller must not change any file.
func (p *Project) Rename(ctx context.Context, q RenameQuery) (Renaming, error) {
	n := &renamer{
		resolver: p.resolver(), ctx: ctx, new: python.Normalize(q.New), wanted: map[boundIn]bool{}, edits: map[*Unit][]edit{},
		answer: Renaming{New: python.Normalize(q.New), Files: []RenamedFile{}, Possible: []Place{}, Mentions: []Place{},
			Warnings: []string{}},
	}
	for _, step := range []func() error{
		func() error { return n.choose(q) }, n.checkNames, n.prepareUnits, n.spread, n.checkCollisions, n.checkKeywords,
		n.checkClassBodies, n.collect,
		n.checkResults, n.report,
	} {
		if err := ctx.Err(); err != nil {
			return n.answer, err
		}
		if err := step(); err != nil {
			return n.answer, err
		}
	}
	return n.answer, nil
}

// choose finds the binding to rename.
func (n *renamer) choose(q RenameQuery) error {
	u := n.byPath[q.Path]
	if u == nil {
		return refuse("%s is not among the project's Python files", q.Path)
	}
	if problem, broken := u.Broken(true); broken {
		return refuse("%s does not parse (%s); repair it first", q.Path, problem)
	}
	t := parseTarget(q.Name)
	n.old = t.last()
	found := n.sameParameter(n.inside(u, t.names, t.ordinal))
	switch {
	case len(found) == 0 && len(t.names) == 1 && isBuiltin(n.old):
		return refuse("%s is a builtin of Python and cannot be renamed", n.old)
	case len(found) == 0:
		return &NotFoundError{Name: q.Path + ":" + q.Name, Nearest: u.Python().Suggest(joined(t.names))}
	case len(found) > 1:
		ambiguous := &AmbiguousError{Name: q.Name}
		for i, at := range found {
			for _, d := range n.describe(at) {
				d.Name = fmt.Sprintf("%s#%d", joined(t.names), i+1)
				ambiguous.Candidates = append(ambiguous.Candidates, d)
			}
		}
		return ambiguous
	}
	n.at = found[0]
	definitions := n.describe(n.at)
	if len(definitions) == 0 {
		return &NotFoundError{Name: q.Path + ":" + q.Name}
	}
	n.answer.Target = definitions[0]
	return n.refuseImported()
}

// sameParameter keeps only the last of several parameters that belong to overloads of one function, because the
// others are renamed with it.
func (n *renamer) sameParameter(found []boundIn) []boundIn {
	for i, at := range found {
		s := symbolOf(at.scope)
		if !isFunction(s) || !n.isParameter(at) || i < len(found)-1 && !isOverload(at.unit, s) {
			return found
		}
	}
	return found[max(0, len(found)-1):]
}

// refuseImported rejects a name that is only imported from another file of the project.
func (n *renamer) refuseImported() error {
	for _, i := range n.at.unit.bound[n.at.binding] {
		use := n.at.unit.names.Uses[i]
		imp, ok := n.at.unit.importAt(use.Span.Start)
		if use.Context != grammar.Import || !ok || imp.as.End > 0 || !imp.from {
			continue
		}
		for _, origin := range n.allOrigins([]boundIn{n.at}) {
			for _, d := range n.describe(origin) {
				if origin != n.at {
					return refuse("%s is only imported in %s; rename it where it is defined: path %s, name %s", n.old, n.at.unit.Path,
						d.Path, d.Name)
				}
			}
		}
	}
	return nil
}

// checkNames rejects invalid names.
func (n *renamer) checkNames() error {
	switch {
	case !isIdentifier(n.new):
		return refuse("%q is not a valid Python name", document.Clip(n.new, 100))
	case python.IsKeyword(n.new):
		return refuse("%s is a keyword of Python; choose another name", n.new)
	case n.new == n.old:
		return refuse("%s already has that name", n.old)
	case n.isMember() && isDunder(n.old):
		return refuse("%s is a special name that Python looks up; it cannot be renamed", n.old)
	case !n.isMember() && isBuiltin(n.new):
		return refuse("%s is a builtin of Python, which the new name would hide; choose another name", n.new)
	case n.at.scope.Kind == grammar.ModuleScope && isDunder(n.old):
		return refuse("%s is a name with a special meaning in Python; it cannot be renamed", n.old)
	}
	return nil
}

func isDunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

func isPrivate(name string) bool {
	return strings.HasPrefix(name, "__") && !strings.HasSuffix(name, "__")
}

// isMember reports whether the renamed binding is an attribute of a class.
func (n *renamer) isMember() bool { return n.at.scope.Kind == grammar.ClassScope }

// prepareUnits parses the files that mention the old name. A name local to a function needs only its own file,
// except for a parameter, which calls may name.
func (n *renamer) prepareUnits() error {
	if n.at.local() && !n.isParameter(n.at) {
		n.units = []*Unit{n.at.unit}
		return nil
	}
	units, err := n.mentioning(n.ctx, n.old)
	if err != nil {
		return err
	}
	units, left, err := prepare(n.ctx, units)
	if left > 0 {
		return refuse("%s occurs in too many files of the project to rename it in all of them", n.old)
	}
	n.units = units
	return err
}

func (r *resolver) isParameter(at boundIn) bool {
	return slices.ContainsFunc(at.unit.bound[at.binding],
		func(i int) bool { return at.unit.names.Uses[i].Context == grammar.Parameter })
}

// want adds a binding to rename and reports whether it is new.
func (n *renamer) want(at boundIn) bool {
	if n.wanted[at] {
		return false
	}
	n.wanted[at] = true
	n.order = append(n.order, at)
	return true
}

// spread adds the bindings that must be renamed together with the chosen one.
func (n *renamer) spread() error {
	n.want(n.at)
	n.wantTwin(n.at)
	var err error
	switch {
	case n.isMember():
		err = n.spreadMembers()
	case n.isParameter(n.at):
		err = n.spreadParameters()
	}
	if err != nil {
		return err
	}
	return n.spreadImports()
}

// wantTwin adds the same name in the module's stub, or in the module of a stub.
func (n *renamer) wantTwin(at boundIn) {
	twin := n.modules.twin(at.unit)
	if twin == nil {
		return
	}
	path := n.old
	if around := symbolPath(at.scope.Symbol); around != "" && at.scope.Kind != grammar.ModuleScope {
		path = around + "." + n.old
	}
	for _, other := range n.inside(twin, strings.Split(path, "."), "") {
		if other.unit == twin && other.scope.Kind == at.scope.Kind {
			n.want(other)
		}
	}
}

// spreadImports adds the names under which other modules import the renamed name, if they are unaliased.
func (n *renamer) spreadImports() error {
	for again := true; again; {
		again = false
		for _, u := range n.units {
			if err := n.ctx.Err(); err != nil {
				return err
			}
			for _, i := range u.imports() {
				if !i.from || i.name != n.old || i.as.End > 0 || !n.takes(i) {
					continue
				}
				if use := u.use(i.at.Start); use != nil && use.Binding != nil && n.want(boundIn{u, binding{use.Binding, use.Key}}) {
					again = true
				}
			}
		}
	}
	return nil
}

// takes reports whether an import takes a renamed binding.
func (n *renamer) takes(i imported) bool {
	targets, _ := n.importOrigin(i)
	return slices.ContainsFunc(targets, func(at boundIn) bool { return n.wanted[at] })
}
