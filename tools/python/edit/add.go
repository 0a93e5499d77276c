package edit

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// Kinds of anchors.
const (
	Top    = "top"    // below shebang, cookie, docstring and imports, or a class's docstring
	Bottom = "bottom" // below everything else of the block
	Before = "before" // above the anchor's decorators and attached comment
	After  = "after"  // below the anchor
)

// Anchor says where a definition is inserted in its block. The zero value means
// the bottom.
type Anchor struct {
	Type   string // Top, Bottom, Before or After
	Symbol string // dotted path of a definition in the same block, for Before and After
}

// Add puts a new definition into the module, or into the class or function that the dotted path name begins with.
// content is the definition; the last part of name must be its name. If name is empty, or names a class or
// function other than the one that content defines, it specifies only the location. Add returns the resulting path of
// the definition.
func (s Source) Add(name, content string, anchor Anchor) (path string, change Change, err error) {
	fr, err := newFragment("new_content", content)
	if err != nil {
		return "", Change{}, err
	}
	parent, own, err := s.place(name, fr)
	if err != nil {
		return "", Change{}, err
	}
	if _, err := fr.definitions(own); err != nil {
		return "", Change{}, err
	}
	spot, err := s.spot(parent, anchor)
	if err != nil {
		return "", Change{}, err
	}
	if err := s.checkNew(fr, spot.owner, own, func(binding) bool { return false }); err != nil {
		return "", Change{}, err
	}
	if path = own; parent != "" {
		path = parent + "." + own
	}
	change, err = s.insert(fr, spot)
	return path, change, err
}

// place returns the block for a new definition, and its name there.
func (s Source) place(name string, fr fragment) (parent, own string, err error) {
	defined := fr.defined()
	if strings.TrimSpace(name) == "" && defined != "" {
		return "", defined, nil
	}
	parent, own, err = split("name", name)
	if err == nil && defined != "" && defined != python.Normalize(own) && len(s.Find(name)) > 0 {
		return name, defined, nil
	}
	return parent, own, err
}

// checkNew rejects a definition whose name is already used in its scope, unless decorators allow several definitions,
// or the name is an import for which moved returns true.
func (s Source) checkNew(fr fragment, owner *python.Symbol, name string, moved func(binding) bool) error {
	name = python.Normalize(name)
	together := func(file *python.File, symbol *python.Symbol) bool {
		return slices.ContainsFunc(file.Decorators(symbol), func(decorator string) bool { return gathers(decorator, name) })
	}
	legitimate := name == "_"
	for _, symbol := range fr.file.Symbols {
		legitimate = legitimate || symbol.Parent == nil && together(fr.file.File, symbol)
	}
	for _, symbol := range s.Symbols {
		if symbol.Parent == owner && symbol.Name == name && !legitimate && !together(s.File, symbol) {
			return refuse("%s already has '%s' (%s); change it with py_update_definition, or give the new one another name",
				s.Path, symbol.Path, s.span(symbol))
		}
	}
	return s.checkNames(owner, name, legitimate, moved)
}

// checkNames rejects a name that its scope binds by anything but a definition, however deeply nested: by an import,
// an assignment, a parameter, a loop, a pattern. An import for which moved returns true is accepted. If legitimate is
// true, only imports are rejected.
func (s Source) checkNames(owner *python.Symbol, name string, legitimate bool, moved func(binding) bool) error {
	path := name
	if owner != nil {
		path = owner.Path + "." + name
	}
	for _, use := range grammar.AnalyzeFile(s.File).Uses {
		at := use.Binding
		if use.Name != name || at == nil || at.Symbol != owner || at.Kind > grammar.FunctionScope ||
			!use.Context.Binds() || use.Context == grammar.Delete {
			continue
		}
		line := s.LineOf(use.Span.Start)
		switch {
		case use.Context == grammar.Import:
			if !slices.ContainsFunc(s.imported(), func(b binding) bool { return moved(b) && within(use.Span, b.Statement) }) {
				return refuse("%s already imports '%s' (line %d); remove that import, or give the definition another name",
					s.Path, path, line)
			}
		case !legitimate && !s.defines(use.Span):
			return refuse("%s already binds '%s' (line %d); remove or rename that, or give the definition another name",
				s.Path, path, line)
		}
	}
	return nil
}

func within(span python.Span, statement *python.Statement) bool {
	return span.Start >= statement.Start && span.End <= statement.End
}

// defines reports whether a span is the name of a definition.
func (s Source) defines(span python.Span) bool {
	return slices.ContainsFunc(s.Symbols, func(symbol *python.Symbol) bool { return symbol.NameSpan == span })
}

var overloads = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([\w.]+\.)?(overload|singledispatch|singledispatchmethod)\b`)
})

// gathers reports whether a decorator, such as overload or name.setter, allows several definitions of one name.
func gathers(decorator, name string) bool {
	rest, own := strings.CutPrefix(decorator, name+".")
	return overloads().MatchString(decorator) || own && rest != ""
}

// spot is an insertion point for a definition.
type spot struct {
	owner  *python.Symbol // nil: the module
	layout layout
	line   int  // the definition goes after this line; -1 puts it at the beginning of the file
	above  int  // blank lines wanted above
	below  int  // blank lines wanted below
	hugs   bool // existing blank lines at this place stay above the definition, not below it
	open   bool // the suite is on its header's line and must be moved to its own line first
	first  bool // in an opened suite: the definition is inserted above its content
}

// spot finds the insertion point for a definition in the block of the class or
// function parent.
func (s Source) spot(parent string, anchor Anchor) (spot, error) {
	var owner *python.Symbol
	if parent != "" {
		var err error
		if len(s.Find(parent)) == 0 {
			return spot{}, s.missing("class or function", parent, s.Suggest(parent))
		}
		if owner, err = s.definition(parent); err != nil {
			return spot{}, err
		}
	}
	kind := anchor.Type
	if kind == "" {
		kind = Bottom
	}
	switch {
	case kind == Before || kind == After:
		return s.beside(owner, anchor)
	case kind != Top && kind != Bottom:
		return spot{}, refuse("anchor_type '%s' is unknown; use top, bottom, before or after", shorten(kind))
	case owner == nil:
		return s.inModule(kind), nil
	case owner.Statement.Inline:
		return s.opened(owner, kind), nil
	}
	return s.inSuite(owner, kind), nil
}

func (s Source) inModule(kind string) spot {
	at := spot{layout: layout{unit: s.unit()}, above: 2, below: 2, line: len(s.Lines) - 1}
	if kind == Top {
		at.line = s.importsEnd()
	} else {
		for at.line >= 0 && s.blank(at.line) {
			at.line--
		}
	}
	return s.settled(at)
}

// settled drops blank lines that would be at the start or end of the file.
func (s Source) settled(at spot) spot {
	if at.line < 0 {
		at.above = 0
	}
	rest := at.line + 1
	for s.blank(rest) {
		rest++
	}
	if rest >= len(s.Lines) {
		at.below = 0
	}
	return at
}

func (s Source) inSuite(owner *python.Symbol, kind string) spot {
	statement := owner.Statement
	body := statement.Body
	at := spot{owner: owner, layout: s.below(statement), above: 1, below: 1}
	switch {
	case kind == Bottom:
		at.line, at.below = s.trailing(s.last(body[len(body)-1].End), width(at.layout.base)), 0
	case s.isDocstring(body[0], owner):
		at.line = s.last(body[0].End)
		if len(body) == 1 && s.trailing(at.line, width(at.layout.base)) == at.line {
			at.below = 0
		}
	default:
		at.line, at.above = s.last(statement.Header.End), 0
	}
	return at
}

// below returns the indentation in the suite of a class or function.
func (s Source) below(owner *python.Statement) layout {
	step := s.step(owner)
	if step == "" {
		step = s.unit()
	}
	return layout{base: base(owner) + step, unit: step}
}

// opened returns the insertion point for a suite that is on its header's line.
func (s Source) opened(owner *python.Symbol, kind string) spot {
	statement := owner.Statement
	at := spot{owner: owner, layout: s.below(statement), open: true, above: 1, line: s.last(statement.End)}
	at.first = kind == Top && !s.isDocstring(statement.Body[0], owner)
	return at
}

// beside returns the insertion point before or after an anchor.
func (s Source) beside(owner *python.Symbol, anchor Anchor) (spot, error) {
	if anchor.Symbol == "" {
		return spot{}, refuse("anchor_type %s needs anchor_symbol, the dotted path of a definition in the same block",
			anchor.Type)
	}
	name := anchor.Symbol
	if owner != nil && len(s.Find(name)) == 0 {
		name = owner.Path + "." + name // for a definition in the block, given by its name alone
	}
	symbol, err := s.definition(name)
	if err != nil {
		return spot{}, err
	}
	if symbol.Parent != owner {
		where := "the module"
		if owner != nil {
			where = "'" + owner.Path + "'"
		}
		return spot{}, refuse("anchor_symbol '%s' is not directly in %s, where the definition goes; choose an anchor in "+
			"the same block",
			anchor.Symbol, where)
	}
	return s.besideSymbol(owner, symbol, anchor.Type), nil
}

func (s Source) besideSymbol(owner, symbol *python.Symbol, kind string) spot {
	statement := symbol.Statement
	gap := separation(statement)
	at := spot{owner: owner, layout: layout{base: base(statement), unit: s.unit()}, above: gap, below: gap}
	if owner != nil && s.step(owner.Statement) != "" {
		at.layout.unit = s.step(owner.Statement)
	}
	if kind == Before {
		at.line, at.hugs = s.top(symbol)-1, true
		if s.begins(statement, at.line) {
			at.above = 0
		}
		return at
	}
	at.line = s.trailing(s.last(statement.End), width(at.layout.base)+1)
	next := at.line + 1
	for s.blank(next) {
		next++
	}
	if next >= len(s.Lines) || s.ends(statement, next) {
		at.below = 0
	}
	return at
}

// insert returns the change that inserts a fragment at a spot.
func (s Source) insert(fr fragment, at spot) (Change, error) {
	lines := fr.at(at.layout)
	if at.open {
		return s.insertOpened(lines, at)
	}
	end := s.lineEnd(max(at.line, 0))
	above, below := at.above, at.below
	if at.hugs {
		for i := at.line; above > 0 && i >= 0 && s.blank(i); i-- {
			above--
		}
	} else {
		for i := at.line + 1; below > 0 && s.blank(i); i++ {
			below--
		}
	}
	offset := s.behind(at.line)
	head := strings.Repeat(end, above)
	if at.line >= 0 && s.Lines[at.line].End == offset {
		head = end + head
	}
	text := strings.Join(lines, end)
	splice := document.Splice{Start: offset, End: offset, New: head + text + end + strings.Repeat(end, below)}
	return s.finish([]document.Splice{splice}, 0, len(head), len(head)+len(text))
}

// insertOpened moves the suite of a header to its own line and inserts the
// fragment above or below it.
func (s Source) insertOpened(lines []string, at spot) (Change, error) {
	statement := at.owner.Statement
	end := s.lineEnd(at.line)
	text := strings.Join(lines, end)
	open := document.Splice{Start: statement.Header.End, End: statement.Body[0].Start, New: end + at.layout.base}
	if at.first {
		open.New = end + text + end + end + at.layout.base
		return s.finish([]document.Splice{open}, 0, len(end), len(end)+len(text))
	}
	offset := s.behind(at.line)
	head := end
	if s.Lines[at.line].End == offset {
		head = end + end
	}
	below := document.Splice{Start: offset, End: offset, New: head + text + end}
	return s.finish([]document.Splice{open, below}, 1, len(head), len(head)+len(text))
}
