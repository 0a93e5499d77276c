package python

// element is what is known of one target of a list so far.
type element struct {
	names int  // t.found before it
	state byte // what it consists of, see below
}

// States of an element.
const (
	nothing byte = iota
	name         // one name
	group        // a list of targets in brackets
	other        // anything else
)

// list reads targets separated by commas, up to what cannot be in such a list.
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

// notName gives up the names of an element that turns out to be something else.
func (t *targets) notName(e *element) {
	t.found = t.found[:e.names]
	t.others = true
	e.state = other
}

// skip passes over everything up to the bracket that closes the one that was read.
func (t *targets) skip(depth int) {
	for t.kind != endOfText && len(t.lex.stack) >= depth {
		t.next()
	}
}
