package python

// Variable is one binding of a name on module or class level: by an assignment (plain, annotated or
// augmented, also of tuples) or by a type alias.
type Variable struct {
	Name        string // NFKC
	Path        string // with the enclosing classes: "A.x"
	Statement   *Statement
	Owner       *Symbol // enclosing class, nil at top
	Target      Span    // the name
	Annotation  Span    // empty if there is none
	Value       Span    // empty if there is none
	Alone       bool    // the statement binds this name and assigns to nothing else
	Conditional bool    // inside if, try, with and the like
	Ordinal     int     // 1-based among equal paths, in source order
	Of          int     // number of bindings with this path
}

// Variables are the bindings on module and class level, also those inside if, try, with, for and the
// like, in source order. Names that are bound by loops, with, imports and ":=" are not among them.
func (f *File) Variables() []Variable {
	out := []Variable{}
	var visit func(body []*Statement, owner *Symbol, conditional bool)
	visit = func(body []*Statement, owner *Symbol, conditional bool) {
		for _, s := range body {
			switch {
			case s.Kind == Def:
			case s.Kind == Class:
				visit(s.Body, s.Symbol, false)
			case s.Kind == Simple && len(s.Body) == 0 || s.Kind == TypeAlias:
				for _, v := range f.bindings(s) {
					v.Owner, v.Conditional, v.Path = owner, conditional, v.Name
					if owner != nil {
						v.Path = owner.Path + "." + v.Name
					}
					out = append(out, v)
				}
			default:
				visit(s.Body, owner, true)
			}
		}
	}
	visit(f.Body, nil, false) // no deeper than maxIndents
	number(out)
	return out
}

func number(variables []Variable) {
	count := make(map[string]int, len(variables))
	for i := range variables {
		count[variables[i].Path]++
		variables[i].Ordinal = count[variables[i].Path]
	}
	for i := range variables {
		variables[i].Of = count[variables[i].Path]
	}
}

// bindings are the names that a statement assigns to.
func (f *File) bindings(s *Statement) []Variable {
	if s.Kind == TypeAlias {
		return f.alias(s)
	}
	t := targets{reader: f.reader(s.Span), statement: s}
	if !t.assignment() {
		return nil
	}
	alone := len(t.found) == 1 && !t.others && !t.walrus
	for i := range t.found {
		v := &t.found[i]
		v.Statement, v.Alone = s, alone
		v.Annotation, v.Value = t.annotation, t.value
	}
	return t.found
}

// alias is the binding of a type alias.
func (f *File) alias(s *Statement) []Variable {
	r := f.reader(s.Span)
	r.next()
	v := Variable{Name: Normalize(r.text()), Statement: s, Target: Span{r.lex.start, r.lex.end}, Alone: true}
	for r.kind != endOfText && !(len(r.lex.stack) == 0 && r.kind == Op && r.text() == "=") {
		r.next()
	}
	if r.kind != endOfText {
		r.next()
		v.Value = Span{r.lex.start, s.End}
	}
	return []Variable{v}
}
