package grammar

import (
	"cmp"
	"slices"

	"manualslop/tools/python"
)

// CompileErrors returns errors that CPython reports after parsing, when it compiles the text, such as "'return' outside
// function". They come from the statements that parse, in order and in CPython's wording. It returns at most 100.
// Conflicts with a global or nonlocal statement are not found.
func CompileErrors(file *python.File) []Error {
	toks := tokensOf(file)
	root, _ := parse(file.Text, toks, NewestVersion)
	l := later{c: checker{file: file, toks: toks}}
	l.future(root)
	l.all(root.kids, place{})
	slices.SortStableFunc(l.found, func(a, b Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return l.found
}

// place describes the context of a piece of code.
type place struct {
	function bool // in a function or lambda
	async    bool // in an async function
	class    bool // directly in a class
	loop     bool
}

// later walks a syntax tree and collects compile errors.
type later struct {
	c     checker
	found []Error
}

func (l *later) add(n *node, text string) {
	if len(l.found) < maxErrors {
		l.found = append(l.found, l.c.over(n.start, n.end, text))
	}
}

func (l *later) text(token int32) string { return l.c.toks[token].text(l.c.file.Text) }

func (l *later) all(list []*node, p place) {
	for _, n := range list {
		l.walk(n, p)
	}
}

// walk checks a statement or an expression.
func (l *later) walk(n *node, p place) {
	if n == nil {
		return
	}
	switch n.kind {
	case kFunction:
		l.function(n, p)
		return
	case kClass:
		l.class(n, p)
		return
	case kLambda:
		l.parameters(n.kids[0], p)
		l.walk(n.kids[1], place{function: true})
		return
	case kForLoop, kWhile:
		l.loop(n, p)
		return
	case kGenerator:
		l.generator(n, p)
		return
	case kTry:
		l.try(n)
	case kCall:
		l.call(n)
	default:
		l.single(n, p)
	}
	l.all(n.kids, p)
}

// single checks a node that does not change the context of its children.
func (l *later) single(n *node, p place) {
	switch n.kind {
	case kReturn:
		if !p.function {
			l.add(n, "'return' outside function")
		}
	case kYield:
		if !p.function {
			l.add(n, "'yield' outside function")
		}
	case kAwait:
		if !p.function {
			l.add(n, "'await' outside function")
		} else if !p.async {
			l.add(n, "'await' outside async function")
		}
	case kWith:
		if n.flag && !p.async {
			l.add(n, "'async with' outside async function")
		}
	case kImportFrom:
		if n.token >= 0 && (p.function || p.class) {
			l.add(n, "import * only allowed at module level")
		}
	case kNonlocal:
		if !p.function && !p.class {
			l.add(n, "nonlocal declaration not allowed at module level")
		}
	case kWord:
		l.word(n, p)
	case kAssign:
		l.assign(n)
	case kExpressionStatement:
		if n.kids[0].kind == kStar {
			l.add(n.kids[0], "can't use starred expression here")
		}
	}
}

// generator checks a generator expression. It allows await anywhere but in the first iterable, which belongs to
// the surrounding place.
func (l *later) generator(n *node, p place) {
	inside := place{function: true, async: true}
	l.walk(n.kids[0], inside)
	for i, clause := range n.kids[1:] {
		for j, kid := range clause.kids {
			if i == 0 && j == 1 {
				l.walk(kid, p)
			} else {
				l.walk(kid, inside)
			}
		}
	}
}

func (l *later) word(n *node, p place) {
	switch {
	case p.loop:
	case l.text(n.token) == "break":
		l.add(n, "'break' outside loop")
	case l.text(n.token) == "continue":
		l.add(n, "'continue' not properly in loop")
	}
}

func (l *later) assign(n *node) {
	for _, target := range n.kids[:len(n.kids)-1] {
		l.target(target)
		if target.kind == kStar {
			l.add(target, "starred assignment target must be in a list or tuple")
		}
	}
	if value := n.last(); value.kind == kStar {
		l.add(value, "can't use starred expression here")
	}
}

// target rejects more than one starred target in one sequence.
func (l *later) target(n *node) {
	if n.kind != kTuple && n.kind != kList {
		return
	}
	stars := 0
	for _, kid := range n.kids {
		l.target(kid)
		if kid.kind == kStar {
			stars++
		}
	}
	if stars > 1 {
		l.add(n, "multiple starred expressions in assignment")
	}
}

func (l *later) loop(n *node, p place) {
	if n.flag && !p.async {
		l.add(n, "'async for' outside async function")
	}
	inside := p
	inside.loop = true
	for _, kid := range n.kids {
		if kid.kind == kBlock {
			l.walk(kid, inside)
		} else {
			l.walk(kid, p)
		}
	}
}

func (l *later) try(n *node) {
	for i, kid := range n.kids {
		bare := kid.kind == kExcept && len(kid.kids) == 2 && kid.kids[0] == nil
		if bare && i+1 < len(n.kids) && n.kids[i+1].kind == kExcept {
			l.add(kid, "default 'except:' must be last")
		}
	}
}

func (l *later) call(n *node) {
	seen := map[string]bool{}
	for _, arg := range n.kids {
		if arg.kind != kKeyword {
			continue
		}
		name := python.Normalize(l.text(arg.token))
		if seen[name] {
			l.add(arg, "keyword argument repeated: "+name)
		}
		seen[name] = true
	}
}

func (l *later) function(n *node, p place) {
	for _, kid := range n.kids[:2] {
		l.walk(kid, p)
	}
	l.parameters(n.kids[2], p)
	l.walk(n.kids[3], p)
	l.walk(n.kids[4], place{function: true, async: n.flag})
}

func (l *later) class(n *node, p place) {
	for _, kid := range n.kids[:3] {
		l.walk(kid, p)
	}
	l.walk(n.kids[3], place{class: true})
}

func (l *later) parameters(n *node, p place) {
	seen := map[string]bool{}
	for _, parameter := range n.kids {
		name := python.Normalize(l.text(parameter.token))
		if seen[name] {
			l.add(parameter, "duplicate argument '"+name+"' in function definition")
		}
		seen[name] = true
		l.all(parameter.kids, p)
	}
}

// future checks that the __future__ imports of a module come first and name existing features.
func (l *later) future(root *node) {
	begun := false
	for i, n := range root.kids {
		for _, simple := range statements(n) {
			switch {
			case simple.kind == kImportFrom && l.isFuture(simple):
				if begun {
					l.add(simple, "from __future__ imports must occur at the beginning of the file")
				}
				l.features(simple)
			case i == 0 && simple.kind == kExpressionStatement && simple.kids[0].kind == kString:
			default:
				begun = true
			}
		}
	}
}

// statements returns the simple statements of a line, or the compound statement itself.
func statements(n *node) []*node {
	if n.kind == kSimple {
		return n.kids
	}
	return []*node{n}
}

func (l *later) isFuture(n *node) bool {
	path := n.kids[0].kids
	return len(path) == 1 && l.text(path[0].token) == "__future__"
}

func (l *later) features(n *node) {
	for _, alias := range n.kids[1:] {
		switch name := l.text(alias.kids[0].token); name {
		case "nested_scopes", "generators", "division", "absolute_import", "with_statement", "print_function",
			"unicode_literals",
			"barry_as_FLUFL", "generator_stop", "annotations":
		case "braces":
			l.add(n, "not a chance")
		default:
			l.add(n, "future feature "+name+" is not defined")
		}
	}
}
