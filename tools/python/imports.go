package python

import "strings"

// Import is one module that an import statement names, with the names taken from it.
type Import struct {
	Statement    *Statement
	Module       string // dotted, without leading dots; empty in "from . import a"
	Level        int    // leading dots
	From         bool
	Names        []ImportedName // for a plain import, the module itself
	Conditional  bool           // not at the module's top level but inside if, try, with, a class, a function …
	TypeChecking bool           // inside "if TYPE_CHECKING:"
}

// ImportedName is one name of an import; Name is "*" for all.
type ImportedName struct {
	Name, As string // As is empty without "as"
	Span            // from the name through its alias
}

// Bound returns the name that the import binds in its scope: the alias, or else the first part of the name.
func (n ImportedName) Bound() string {
	if n.As != "" {
		return n.As
	}
	name, _, _ := strings.Cut(n.Name, ".")
	return name
}

// Imports returns all imports of the file at any depth, in order. "import a, b" yields one Import per module.
func (f *File) Imports() []Import {
	out := []Import{}
	for s := range f.Statements() {
		switch s.Kind {
		case ImportModules:
			out = append(out, f.plainImports(s)...)
		case ImportFrom:
			out = append(out, f.fromImport(s))
		}
	}
	return out
}

func (f *File) newImport(s *Statement) Import {
	i := Import{Statement: s, Conditional: s.Parent != nil}
	for p := s; p.Parent != nil; p = p.Parent {
		if head := p.Parent; (head.Kind == If || head.Kind == Elif) && f.isTypeChecking(head) {
			i.TypeChecking = true
		}
	}
	return i
}

// isTypeChecking reports whether the condition of an if is TYPE_CHECKING, with or without a module name before it.
func (f *File) isTypeChecking(s *Statement) bool {
	condition := strings.TrimSuffix(s.Header.Of(f.Text), ":")
	condition = strings.Trim(condition[strings.IndexByte(condition, 'f')+1:], " \t\f()")
	module, ok := strings.CutSuffix(condition, "TYPE_CHECKING")
	return ok && (module == "" || module[len(module)-1] == '.' && !strings.ContainsAny(module, " ("))
}

// reader reads the tokens of one statement without comments and line ends.
type reader struct {
	lex  lexer
	kind TokenKind
}

func (f *File) reader(span Span) *reader {
	r := &reader{lex: f.lexer(span.End)}
	r.lex.pos = span.Start
	r.next()
	return r
}

func (r *reader) next() { r.kind = r.lex.next() }

func (r *reader) text() string { return r.lex.text[r.lex.start:r.lex.end] }

// word skips the given name and reports whether it was there.
func (r *reader) word(name string) bool {
	if r.kind == Name && r.text() == name {
		r.next()
		return true
	}
	return false
}

// name reads a dotted name.
func (r *reader) name() (string, Span) {
	var b strings.Builder
	span := Span{r.lex.start, r.lex.start}
	for r.kind == Name && r.text() != "as" && r.text() != "import" || r.kind == Op && r.text() == "." {
		b.WriteString(Normalize(r.text()))
		span.End = r.lex.end
		r.next()
	}
	return b.String(), span
}

// imported reads an imported name and its alias.
func (r *reader) imported() ImportedName {
	name, span := r.name()
	out := ImportedName{Name: name, Span: span}
	if r.word("as") && r.kind == Name {
		out.As, out.End = Normalize(r.text()), r.lex.end
		r.next()
	}
	return out
}

func (f *File) plainImports(s *Statement) []Import {
	r := f.reader(s.Span)
	var out []Import
	for r.kind != endOfText {
		r.next() // skip the "as" or a comma
		if name := r.imported(); name.Name != "" {
			one := f.newImport(s)
			one.Module, one.Names = name.Name, []ImportedName{name}
			out = append(out, one)
		}
	}
	return out
}

func (f *File) fromImport(s *Statement) Import {
	r := f.reader(s.Span)
	out := f.newImport(s)
	out.From, out.Names = true, []ImportedName{}
	r.next()
	for r.kind == Op && strings.Trim(r.text(), ".") == "" {
		out.Level += r.lex.end - r.lex.start
		r.next()
	}
	out.Module, _ = r.name()
	r.word("import")
	for r.kind != endOfText {
		switch {
		case r.kind == Name:
			if name := r.imported(); name.Name != "" {
				out.Names = append(out.Names, name)
				continue
			}
		case r.text() == "*":
			out.Names = append(out.Names, ImportedName{Name: "*", Span: Span{r.lex.start, r.lex.end}})
		}
		r.next()
	}
	return out
}
