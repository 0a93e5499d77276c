package grammar

import "strings"

// all walks the nodes of a list. It skips nil nodes.
func (w *walker) all(list []*node) {
	for _, n := range list {
		w.walk(n)
	}
}

// walk visits a statement or an expression.
func (w *walker) walk(n *node) {
	if n == nil {
		return
	}
	switch n.kind {
	case kAssign:
		w.walk(n.last())
		for _, target := range n.kids[:len(n.kids)-1] {
			w.target(target, Store)
		}
	case kAugmented:
		w.target(n.kids[0], Augmented)
		w.walk(n.kids[1])
	case kAnnotated:
		w.annotated(n)
	case kDelete:
		for _, target := range n.kids {
			w.target(target, Delete)
		}
	case kGlobal, kNonlocal:
		w.declared(n)
	case kImport:
		w.imports(n)
	case kImportFrom:
		w.importFrom(n)
	case kTypeAlias:
		w.typeAlias(n)
	case kForLoop:
		w.walk(n.kids[1])
		w.target(n.kids[0], Store)
		w.all(n.kids[2:])
	case kItem:
		w.walk(n.kids[0])
		w.target(n.kid(1), Store)
	case kExcept:
		w.except(n)
	case kFunction:
		w.function(n)
	case kClass:
		w.class(n)
	case kCapture:
		w.bind(n.token, Store)
	case kMatchClass:
		w.walk(n.kids[0])
		w.arguments(n.kids[1:], w.dotted(n.kids[0]))
	default:
		w.expression(n)
	}
}

// annotated walks "target: annotation = value".
func (w *walker) annotated(n *node) {
	target := n.kids[0]
	switch {
	case len(n.kids) > 2:
		w.target(target, Store)
	case target.kind == kName && target.paren:
		w.use(target.token, Load)
	case target.kind == kName:
		w.bind(target.token, Declaration)
	default:
		w.target(target, Store)
	}
	w.annotation(n.kids[1])
	w.walk(n.kid(2))
}

// annotation walks an expression whose names count as annotation reads.
func (w *walker) annotation(n *node) {
	outer := w.access
	w.access = Annotation
	w.walk(n)
	w.access = outer
}

// target walks an expression that is assigned to, deleted or changed in place.
func (w *walker) target(n *node, access Context) {
	if n == nil {
		return
	}
	switch n.kind {
	case kName:
		w.bind(n.token, access)
	case kTuple, kList, kStar:
		for _, kid := range n.kids {
			w.target(kid, access)
		}
	case kChain:
		w.chain(n, access)
	default:
		w.walk(n)
	}
}

// declared walks a global or nonlocal statement.
func (w *walker) declared(n *node) {
	for _, name := range n.kids {
		if n.kind == kGlobal {
			mark(&w.scope.globals, w.scope.key(w.text(name.token)))
			w.use(name.token, Global)
		} else {
			mark(&w.scope.nonlocals, w.scope.key(w.text(name.token)))
			w.use(name.token, Nonlocal)
		}
	}
}

// imports walks "import a.b as c, d".
func (w *walker) imports(n *node) {
	for _, alias := range n.kids {
		path, as := alias.kids[0], alias.kid(1)
		for i, part := range path.kids {
			if i == 0 && as == nil {
				w.bind(part.token, Import)
				continue
			}
			w.use(part.token, ImportPath).Object = w.joined(path.kids[:i])
		}
		if as != nil {
			w.bind(as.token, Import)
		}
	}
}

// joined returns the dotted path that parts form.
func (w *walker) joined(parts []*node) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = w.text(part.token)
	}
	return strings.Join(texts, ".")
}

func (w *walker) importFrom(n *node) {
	path := n.kids[0]
	for i, part := range path.kids {
		w.use(part.token, ImportPath).Object = w.joined(path.kids[:i])
	}
	if n.token >= 0 {
		w.scope.Star = true
	}
	for _, alias := range n.kids[1:] {
		if as := alias.kid(1); as != nil {
			w.use(alias.kids[0].token, ImportOriginal).Object = w.joined(path.kids)
			w.bind(as.token, Import)
		} else {
			w.bind(alias.kids[0].token, Import)
		}
	}
}

func (w *walker) except(n *node) {
	as, block := n.kids[len(n.kids)-2], n.last()
	w.all(n.kids[:len(n.kids)-2])
	if as != nil {
		w.bind(as.token, Store)
	}
	w.walk(block)
}

func (w *walker) typeAlias(n *node) {
	w.bind(n.kids[0].token, Definition)
	if n.kids[1] == nil {
		w.annotation(n.kids[2])
		return
	}
	w.inside(TypeParametersScope, w.text(n.kids[0].token), n, func() {
		w.typeParameters(n.kids[1])
		w.annotation(n.kids[2])
	})
}

func (w *walker) typeParameters(n *node) {
	for _, parameter := range n.kids {
		w.bind(parameter.token, TypeParameter)
		w.annotation(parameter.kids[0])
		w.annotation(parameter.kids[1])
	}
}

// decorators walks the expressions after "@" and records that they are called.
func (w *walker) decorators(n *node) {
	if n == nil {
		return
	}
	for _, decorator := range n.kids {
		calls := len(w.names.Calls)
		w.walk(decorator)
		w.decoratorCall(decorator, calls)
	}
}

// covered calls walk inside the scope of the type parameters, if there are any.
func (w *walker) covered(n, parameters *node, walk func()) {
	if parameters == nil {
		walk()
		return
	}
	w.inside(TypeParametersScope, w.text(n.token), n, func() {
		if n.kind == kClass {
			w.scope.generic, w.scope.parameters = w.scope.Name, nil
			for _, parameter := range parameters.kids {
				mark(&w.scope.parameters, w.text(parameter.token))
			}
		}
		w.typeParameters(parameters)
		walk()
	})
}

func (w *walker) function(n *node) {
	decorators, types, parameters, result, block := n.kids[0], n.kids[1], n.kids[2], n.kids[3], n.kids[4]
	w.decorators(decorators)
	w.bind(n.token, Definition)
	for _, parameter := range parameters.kids {
		w.walk(parameter.kids[1])
	}
	w.covered(n, types, func() {
		for _, parameter := range parameters.kids {
			w.annotation(parameter.kids[0])
		}
		w.annotation(result)
		w.inside(FunctionScope, w.text(n.token), n, func() {
			w.belongTo(n, decorators)
			for _, parameter := range parameters.kids {
				w.bind(parameter.token, Parameter)
			}
			w.walk(block)
		})
	})
}

func (w *walker) class(n *node) {
	decorators, types, bases, block := n.kids[0], n.kids[1], n.kids[2], n.kids[3]
	w.decorators(decorators)
	w.bind(n.token, Definition)
	w.covered(n, types, func() {
		if bases != nil {
			w.arguments(bases.kids, w.text(n.token))
		}
		w.inside(ClassScope, w.text(n.token), n, func() {
			w.belongTo(n, decorators)
			w.scope.class, w.scope.generic, w.scope.parameters = w.scope.Name, "", nil
			w.walk(block)
		})
	})
}

// belongTo gives the current scope the symbol of the definition whose body it is.
func (w *walker) belongTo(n, decorators *node) {
	start := int(n.start)
	if decorators != nil {
		start = int(w.keywordBehind(decorators))
	}
	w.scope.Span.Start = start
	w.scope.Symbol = w.symbols[start]
}

// keywordBehind returns the offset of the keyword after decorators.
func (w *walker) keywordBehind(decorators *node) int32 {
	low, high := 0, len(w.toks)
	for low < high {
		middle := (low + high) / 2
		if w.toks[middle].start < decorators.end {
			low = middle + 1
		} else {
			high = middle
		}
	}
	for low < len(w.toks)-1 && w.toks[low].sym == symNewline {
		low++
	}
	return w.toks[low].start
}
