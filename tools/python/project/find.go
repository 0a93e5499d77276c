package project

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"manualslop/tools/python"
)

// Definition is a class, function or variable of the project.
type Definition struct {
	Path  string `json:"path"`
	Name  string `json:"name"` // dotted path within the file
	Kind  string `json:"kind"`
	Line  int    `json:"line"`
	Start int    `json:"start"` // with decorators
	End   int    `json:"end"`
}

// String returns the definition's path, name and lines.
func (d Definition) String() string {
	return fmt.Sprintf("%s:%s (lines %d-%d)", d.Path, d.Name, d.Start, d.End)
}

// AmbiguousError means that a name matches several definitions.
type AmbiguousError struct {
	Name       string
	Candidates []Definition
}

// Error lists the candidates and says how to pick one.
func (e *AmbiguousError) Error() string {
	const most = 20
	var list []string
	for _, d := range e.Candidates[:min(len(e.Candidates), most)] {
		list = append(list, d.String())
	}
	if more := len(e.Candidates) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%q is ambiguous: %s; name one as path/to/file.py:NAME, with NAME#2 for the second of one name",
		e.Name, strings.Join(list, ", "))
}

// NotFoundError means that a name matches no definition.
type NotFoundError struct {
	Name    string
	Nearest []string
}

// Error lists similar names.
func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("no definition %q in the project", e.Name)
	if len(e.Nearest) > 0 {
		text += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return text
}

func (u *Unit) definition(s *python.Symbol) Definition {
	f := u.Python()
	name := s.Path
	if s.Of > 1 {
		name += "#" + strconv.Itoa(s.Ordinal)
	}
	return Definition{Path: u.Path, Name: name, Kind: string(s.Kind), Line: f.Line(s), Start: f.StartLine(s),
		End: f.EndLine(s)}
}

// target is a name as a caller gives it: "f", "A.m", "pkg.mod.f", "path/file.py:A.m", each with "#2" to pick the
// second of several with that name.
type target struct {
	given   string
	file    string // empty means any file
	names   []string
	ordinal string // "#2" or empty
}

func parseTarget(given string) target {
	t := target{given: given}
	rest := strings.TrimSpace(given)
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		t.file, rest = strings.TrimPrefix(strings.ReplaceAll(rest[:i], `\`, "/"), "./"), rest[i+1:]
	}
	if i := strings.LastIndexByte(rest, '#'); i >= 0 {
		rest, t.ordinal = rest[:i], rest[i:]
	}
	t.names = strings.Split(python.Normalize(strings.TrimSuffix(rest, "()")), ".")
	return t
}

func (t target) last() string { return t.names[len(t.names)-1] }

// ValidName reports whether a text is a well-formed name for a query: "f", "A.m" or "path/file.py:A.m",
// optionally followed by an ordinal such as "#2".
func ValidName(given string) bool {
	t := parseTarget(given)
	number := strings.TrimPrefix(t.ordinal, "#")
	if t.ordinal != "" && (number == "" || strings.Trim(number, "0123456789") != "") {
		return false
	}
	return !slices.ContainsFunc(t.names, func(n string) bool { return !isIdentifier(n) })
}

// symbols finds the classes and functions that a target names. Stubs are returned only if nothing else matches.
func (p *Project) symbols(ctx context.Context, t target, fits func(*python.Symbol) bool) ([]owner, error) {
	units, err := p.mentioning(ctx, t.last())
	if err != nil {
		return nil, err
	}
	if t.file != "" {
		units = slices.DeleteFunc(units, func(u *Unit) bool { return u.Path != t.file })
	}
	found := make([][]owner, len(units))
	err = parallel(ctx, len(units), func(i int) { found[i] = p.symbolsIn(units[i], t, fits) })
	all := slices.Concat(found...)
	if slices.ContainsFunc(all, func(o owner) bool { return !isStub(o.unit) }) {
		all = slices.DeleteFunc(all, func(o owner) bool { return isStub(o.unit) })
	}
	return all, err
}

func isStub(u *Unit) bool { return strings.HasSuffix(u.Path, ".pyi") }

// symbolsIn finds the matching symbols of one file. The first names of a target may be those of its module.
func (p *Project) symbolsIn(u *Unit, t target, fits func(*python.Symbol) bool) []owner {
	var out []owner
	module := "." + p.modules.name(u)
	for i := range t.names {
		if i > 0 && !strings.HasSuffix(module, "."+strings.Join(t.names[:i], ".")) {
			continue
		}
		for _, s := range u.Python().Find(strings.Join(t.names[i:], ".") + t.ordinal) {
			if fits(s) {
				out = append(out, owner{u, s})
			}
		}
	}
	return out
}

// maxNearestFiles limits the files that are parsed to find names that resemble one that no file mentions.
const maxNearestFiles = 500

// nearest returns definitions that resemble a target: of the named file, else those of that name, else those with a
// similar one in the first files.
func (p *Project) nearest(ctx context.Context, t target, fits func(*python.Symbol) bool) []string {
	var out []string
	if u := p.byPath[t.file]; u != nil {
		return u.Python().Suggest(strings.Join(t.names, "."))
	}
	units, err := p.mentioning(ctx, t.last())
	if err != nil {
		return nil
	}
	for _, u := range units {
		for _, s := range u.Python().Symbols {
			name := u.Path + ":" + s.Path
			if s.Name == t.last() && fits(s) && len(out) < 5 && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if len(out) > 0 || len(t.last()) < 3 {
		return out
	}
	first := p.units[:min(len(p.units), maxNearestFiles)]
	files := make([]*python.File, len(first))
	if parallel(ctx, len(first), func(i int) { files[i] = first[i].Python() }) != nil {
		return nil
	}
	for _, near := range python.Nearest(strings.Join(t.names, "."), files, fits) {
		out = append(out, first[near.File].Path+":"+near.Path)
	}
	return out
}

// one returns the only symbol found, or an error that says why there is not exactly one.
func (p *Project) one(ctx context.Context, t target, found []owner, fits func(*python.Symbol) bool) (owner, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return owner{}, &NotFoundError{t.given, p.nearest(ctx, t, fits)}
	}
	ambiguous := &AmbiguousError{Name: t.given}
	for _, o := range found {
		ambiguous.Candidates = append(ambiguous.Candidates, o.unit.definition(o.symbol))
	}
	return owner{}, ambiguous
}

// compareOwners orders by file and offset.
func compareOwners(a, b owner) int {
	return cmp.Or(strings.Compare(a.unit.Path, b.unit.Path), cmp.Compare(a.offset(), b.offset()))
}

// offset returns where the class or function begins, or -1 for a module.
func (o owner) offset() int {
	if o.symbol == nil {
		return -1
	}
	return o.symbol.Statement.Start
}

func joined(names []string) string { return strings.Join(names, ".") }

// hasDottedSuffix reports whether a dotted name ends with another one, preceded by a dot.
func hasDottedSuffix(dotted, suffix string) bool { return strings.HasSuffix(dotted, "."+suffix) }
