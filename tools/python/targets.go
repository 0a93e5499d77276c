package python

import "strings"

// targets reads the targets of an assignment.
type targets struct {
	*reader
	statement  *Statement
	found      []Variable
	others     bool // there is a target that is not a name, or more than one target
	walrus     bool
	annotation Span
	value      Span
}

// assignment reads the statement and reports whether it is an assignment.
func (t *targets) assignment() bool {
	if !t.hasAssignment() {
		return false
	}
	for {
		t.list()
		if t.kind != Op {
			return false
		}
		switch op := t.text(); {
		case op == ":":
			t.annotated()
			return true
		case op == "=":
			t.next()
			if !t.hasAssignment() {
				t.rest()
				return true
			}
			t.others = true
		case len(op) > 1 && strings.HasSuffix(op, "="):
			t.next()
			t.rest()
			return true
		default:
			return false
		}
	}
}

// rest takes the remaining tokens as the value.
func (t *targets) rest() {
	if t.kind == endOfText {
		return
	}
	t.value = Span{t.lex.start, t.statement.End}
	for t.kind != endOfText {
		t.walrus = t.walrus || t.isWalrus()
		t.next()
	}
}

func (t *targets) isWalrus() bool { return t.kind == Op && t.text() == ":=" }

// annotated reads an annotation and the optional value.
func (t *targets) annotated() {
	t.next()
	t.annotation = Span{t.lex.start, t.lex.start}
	lambdas := 0
	for t.kind != endOfText {
		if len(t.lex.stack) == 0 {
			switch text := t.text(); {
			case t.kind == Name && text == "lambda":
				lambdas++
			case t.kind == Op && text == ":":
				lambdas--
			case t.kind == Op && text == "=" && lambdas <= 0:
				t.next()
				t.rest()
				return
			}
		}
		t.walrus = t.walrus || t.isWalrus()
		t.annotation.End = t.lex.end
		t.next()
	}
}

// hasAssignment reports whether an assignment operator or an annotation follows at the top level.
func (t *targets) hasAssignment() bool {
	ahead := *t.reader
	ahead.lex.stack = append([]frame(nil), t.lex.stack...)
	for ahead.kind != endOfText {
		if len(ahead.lex.stack) == 0 {
			switch text := ahead.text(); {
			case ahead.kind == Name && text == "lambda":
				return false
			case ahead.kind == Op && assigns(text):
				return true
			}
		}
		ahead.next()
	}
	return false
}

func assigns(op string) bool {
	switch op {
	case "=", ":":
		return true
	case "==", "!=", "<=", ">=", ":=":
		return false
	}
	return len(op) > 1 && op[len(op)-1] == '='
}

// element is the state of the current target in a list.
type element struct {
	names int  // length of t.found before it
	state byte // what it consists of; see below
}

// States of an element.
const (
	nothing byte = iota
	name         // one name
	group        // a list of targets in brackets
	other        // anything else
)

// list reads comma-separated targets, up to a token that cannot be in such a list.
func (t *targets) list() {
	levels := []element{{names: len(t.found)}}
	for t.kind != endOfText {
		top := &levels[len(levels)-1]
		base := len(t.lex.stack)
		switch {
		case t.kind == Name && !IsKeyword(t.text()) && top.state == nothing:
			span := Span{t.lex.start, t.lex.end}
			t.found = append(t.found, Variable{Name: Normalize(t.text()), Target: span})
			top.state = name
		case t.kind != Op:
			t.notName(top)
		default:
			switch op := t.text(); op {
			case "*":
				if top.state != nothing {
					t.notName(top)
				}
			case ",":
				t.others = true
				*top = element{names: len(t.found)}
			case "(", "[":
				if top.state == nothing {
					levels = append(levels, element{names: len(t.found)})
					break
				}
				t.notName(top)
				t.skip(base)
			case ")", "]":
				if len(levels) == 1 {
					return
				}
				levels = levels[:len(levels)-1]
				levels[len(levels)-1].state = group
			case "{":
				t.notName(top)
				t.skip(base)
			default:
				if len(levels) == 1 && (op == ":" || assigns(op)) {
					return
				}
				t.notName(top)
			}
		}
		t.next()
	}
}

// notName drops the names of an element that turns out to be something else.
func (t *targets) notName(e *element) {
	t.found = t.found[:e.names]
	t.others = true
	e.state = other
}

// skip skips everything up to the bracket that closes the current one.
func (t *targets) skip(depth int) {
	for t.kind != endOfText && len(t.lex.stack) >= depth {
		t.next()
	}
}

// Variable is one module-level or class-level binding of a name: by an assignment (plain, annotated or augmented,
// including tuple assignments) or by a type alias.
type Variable struct {
	Name        string // NFKC
	Path        string // includes the enclosing classes: "A.x"
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

// Variables returns the bindings at module and class level, including those inside if, try, with, for and the
// like, in source order. It omits names that are bound by loops, with, imports and ":=".
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
	visit(f.Body, nil, false) // nested at most maxIndents deep
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

// bindings returns the names that a statement assigns.
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

// alias returns the binding of a type alias.
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
