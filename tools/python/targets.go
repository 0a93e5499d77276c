package python

import "strings"

// targets reads the targets of an assignment.
type targets struct {
	*reader
	statement  *Statement
	found      []Variable
	others     bool // there is a target that is no name, or more than one
	walrus     bool
	annotation Span
	value      Span
}

// assignment reads the statement and tells whether it is an assignment.
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

// rest takes what is left for the value.
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

// annotated reads an annotation and the value that may follow.
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

// hasAssignment tells whether an assignment operator or an annotation follows on the top level.
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
