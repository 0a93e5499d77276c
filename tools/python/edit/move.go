package edit

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Relocation names the definition to move and its destination.
type Relocation struct {
	Name         string // dotted path in the source
	NewName      string // dotted path in the destination; empty means Name
	Anchor       Anchor // anchor in the destination
	CarryImports bool   // whether to add missing imports to the destination
	Together     bool   // both files are in one folder, so relative imports refer to the same modules
}

// Moved is the result of a move. For a move within one file Source and
// Destination are the same.
type Moved struct {
	Source, Destination Change
	// Path is the new dotted path of the definition.
	Path string
	// SourceUses and DestinationUses are the lines of the changed files that still use the old name.
	SourceUses, DestinationUses []int
	// Imports are the imports that the moved code uses and its new file lacked.
	Imports []Need
	// Names are other names of the old module that the moved code uses and that the new module lacks.
	Names []string
	// Clashes are names that the moved code uses and the new module binds to something else.
	Clashes []string
}

// Move moves a definition with its decorators and attached comment from one
// file to another.
func Move(source, dest Source, r Relocation) (Moved, error) {
	symbol, parent, own, err := source.leaving(r)
	if err != nil {
		return Moved{}, err
	}
	fr, err := source.lifted(symbol, own)
	if err != nil {
		return Moved{}, err
	}
	spot, err := dest.spot(parent, r.Anchor)
	if err != nil {
		return Moved{}, err
	}
	if err := dest.checkNew(fr, spot.owner, own, source.takes(symbol)); err != nil {
		return Moved{}, err
	}
	moved := Moved{Path: joined(parent, own)}
	moved.Imports, moved.Names = source.needs(dest, source.whole(symbol), symbol.Name)
	moved.Clashes = source.clashes(dest, source.whole(symbol), symbol.Name)
	if moved.Destination, err = dest.receive(fr, parent, r, moved.Imports); err != nil {
		return Moved{}, err
	}
	removal := source.removal(symbol)
	if moved.Source, err = source.finish(removal, len(removal)-1, 0, 0); err != nil {
		return Moved{}, err
	}
	moved.SourceUses = usesIn(moved.Source.Result, symbol, false)
	moved.DestinationUses = []int{}
	if own != symbol.Name || strings.Contains(moved.Path, ".") != (symbol.Parent != nil) || dest.binds(symbol.Path) {
		moved.DestinationUses = usesIn(moved.Destination.Result, symbol, true)
	}
	return moved, nil
}

// MoveWithin moves a definition within its file.
func (s Source) MoveWithin(r Relocation) (Moved, error) {
	symbol, parent, own, err := s.leaving(r)
	if err != nil {
		return Moved{}, err
	}
	fr, err := s.lifted(symbol, own)
	if err != nil {
		return Moved{}, err
	}
	anchor, err := s.staying(symbol, parent, r.Anchor)
	if err != nil {
		return Moved{}, err
	}
	removal := s.removal(symbol)
	text, err := document.Apply(s.Text, removal)
	if err != nil {
		return Moved{}, err
	}
	rest := s.with(text)
	spot, err := rest.spot(parent, anchor)
	if err != nil {
		return Moved{}, err
	}
	if joined(parent, own) != symbol.Path {
		if err := rest.checkNew(fr, spot.owner, own, func(binding) bool { return false }); err != nil {
			return Moved{}, err
		}
	}
	change, err := rest.insert(fr, spot)
	if err != nil {
		return Moved{}, err
	}
	change.Splices = s.composed(removal, change)
	moved := Moved{Source: change, Destination: change, Path: joined(parent, own), Imports: []Need{}, Names: []string{},
		Clashes: []string{}, SourceUses: []int{}}
	if moved.Path != symbol.Path {
		moved.SourceUses = usesIn(change.Result, symbol, false)
	}
	moved.DestinationUses = moved.SourceUses
	return moved, nil
}

// takes returns whether an import takes a definition from this module, or from a package around it, under its own
// name. Moving the definition over such an import makes the import superfluous.
func (s Source) takes(symbol *python.Symbol) func(binding) bool {
	around := append(strings.Split(strings.TrimSuffix(s.Path, path.Ext(s.Path)), "/"), "")
	return func(b binding) bool {
		return symbol.Parent == nil && b.From && b.name.Name == symbol.Name && b.name.Bound() == symbol.Name &&
			slices.Contains(around, b.Module[strings.LastIndexByte(b.Module, '.')+1:])
	}
}

// leaving finds the definition to move and splits its new path.
func (s Source) leaving(r Relocation) (symbol *python.Symbol, parent, own string, err error) {
	if symbol, err = s.definition(r.Name); err != nil {
		return nil, "", "", err
	}
	parent, own, err = split("dest_name", cmp.Or(r.NewName, symbol.Path))
	return symbol, parent, python.Normalize(own), err
}

// whole returns the span of a definition including its decorators.
func (s Source) whole(symbol *python.Symbol) python.Span {
	return python.Span{Start: symbol.Statement.OuterStart(), End: symbol.Statement.End}
}

// lifted returns the text of a definition, renamed to name, as a fragment.
func (s Source) lifted(symbol *python.Symbol, name string) (fragment, error) {
	from, to := s.Lines[s.top(symbol)].Start, s.Lines[s.last(symbol.Statement.End)].End
	if name == symbol.Name {
		return newFragment("the definition", s.Text[from:to])
	}
	return newFragment("the definition", s.Text[from:symbol.NameSpan.Start]+name+s.Text[symbol.NameSpan.End:to])
}

// receive returns the change to the destination file.
func (s Source) receive(fr fragment, parent string, r Relocation, needs []Need) (Change, error) {
	var imports []document.Splice
	if r.CarryImports {
		imports = s.carry(needs, r.Together)
	}
	text, err := document.Apply(s.Text, imports)
	if err != nil {
		return Change{}, err
	}
	now := s.with(text)
	spot, err := now.spot(parent, r.Anchor)
	if err != nil {
		return Change{}, err
	}
	change, err := now.insert(fr, spot)
	if err != nil {
		return Change{}, err
	}
	change.Splices = s.composed(imports, change)
	return change, nil
}

// staying checks that a definition does not move into itself, and adjusts the anchor for the removal of the
// definition.
func (s Source) staying(symbol *python.Symbol, parent string, anchor Anchor) (Anchor, error) {
	within := func(other *python.Symbol) bool {
		return other.Statement.Start >= symbol.Statement.Start && other.Statement.End <= symbol.Statement.End
	}
	if parent != "" {
		owner, err := s.definition(parent)
		if err != nil {
			return anchor, err
		}
		if within(owner) {
			return anchor, refuse("'%s' cannot move into itself; choose a dest_name outside of it", symbol.Path)
		}
	}
	if anchor.Symbol == "" || anchor.Type != Before && anchor.Type != After {
		return anchor, nil
	}
	beside, err := s.definition(anchor.Symbol)
	if err != nil {
		return anchor, err
	}
	if within(beside) {
		return anchor, refuse("'%s' cannot be its own anchor; choose another anchor_symbol", symbol.Path)
	}
	path, _, _ := strings.Cut(anchor.Symbol, "#")
	left := slices.DeleteFunc(slices.Clone(s.Find(path)), within)
	if len(left) > 1 {
		return Anchor{anchor.Type, path + "#" + strconv.Itoa(slices.Index(left, beside)+1)}, nil
	}
	return Anchor{anchor.Type, path}, nil
}

// composed returns splices for the original text that combine the first splices with a change made after them.
func (s Source) composed(first []document.Splice, change Change) []document.Splice {
	if splices, ok := compose(first, change.Splices); ok {
		if result, err := document.Apply(s.Text, splices); err == nil && result == change.Result {
			return s.cut(splices)
		}
	}
	return s.cut([]document.Splice{document.Between(s.Text, change.Result)})
}

// compose translates the second splices, which apply to the result of the first, to the text before both. It
// returns false if they touch the same text.
func compose(first, second []document.Splice) ([]document.Splice, bool) {
	ordered := slices.Clone(first)
	slices.SortStableFunc(ordered, func(a, b document.Splice) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	back := func(offset int) (int, bool) {
		delta := 0
		for _, f := range ordered {
			start := f.Start + delta
			if offset <= start {
				break
			}
			if offset < start+len(f.New) {
				return 0, false
			}
			delta += len(f.New) - (f.End - f.Start)
		}
		return offset - delta, true
	}
	out := slices.Clone(first)
	for _, next := range second {
		start, ok := back(next.Start)
		end, fits := back(next.End)
		if !ok || !fits {
			return nil, false
		}
		out = append(out, document.Splice{Start: start, End: end, New: next.New})
	}
	return out, true
}

func joined(parent, own string) string {
	if parent == "" {
		return own
	}
	return parent + "." + own
}
