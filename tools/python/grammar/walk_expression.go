package grammar

import (
	"strings"

	"manualslop/tools/python"
)

// expression walks an expression, or a statement that only has children to walk.
func (w *walker) expression(n *node) {
	switch n.kind {
	case kName:
		w.use(n.token, w.access)
	case kChain:
		w.chain(n, Load)
	case kLambda:
		w.lambda(n)
	case kWalrus:
		w.walk(n.kids[1])
		w.bindIn(w.walrusScope(), n.kids[0].token, Store)
	case kListComp, kSetComp, kDictComp, kGenerator:
		w.comprehension(n)
	case kPath, kAlias, kParameters:
	default:
		w.all(n.kids)
	}
}

// walrusScope returns the scope that an assignment expression binds in: the innermost one that is not a
// comprehension.
func (w *walker) walrusScope() *Scope {
	s := w.scope
	for s.Kind == ComprehensionScope {
		s = s.Parent
	}
	return s
}

func (w *walker) lambda(n *node) {
	parameters, body := n.kids[0], n.kids[1]
	for _, parameter := range parameters.kids {
		w.walk(parameter.kids[1])
	}
	w.inside(LambdaScope, "lambda", n, func() {
		for _, parameter := range parameters.kids {
			w.bind(parameter.token, Parameter)
		}
		w.walk(body)
	})
}

// comprehension walks a comprehension. Its first iterable belongs to the enclosing scope.
func (w *walker) comprehension(n *node) {
	w.walk(n.kids[1].kids[1])
	name := map[kind]string{kListComp: "listcomp", kSetComp: "setcomp", kDictComp: "dictcomp",
		kGenerator: "genexpr"}[n.kind]
	w.inside(ComprehensionScope, name, n, func() {
		for i, clause := range n.kids[1:] {
			w.target(clause.kids[0], Store)
			if i > 0 {
				w.walk(clause.kids[1])
			}
			w.all(clause.kids[2:])
		}
		w.walk(n.kids[0])
	})
}

// longestCallee limits the recorded dotted chains, in bytes.
const longestCallee = 500

// chain walks a base with trailers. access says how the last trailer is used.
func (w *walker) chain(n *node, access Context) {
	w.walk(n.kids[0])
	callee := ""
	if base := n.kids[0]; base.kind == kName {
		callee = w.text(base.token)
	}
	for i, trailer := range n.kids[1:] {
		last := i == len(n.kids)-2
		switch trailer.kind {
		case kAttribute:
			u := w.use(trailer.token, Attribute)
			u.Object = callee
			if strings.HasSuffix(callee, ")") {
				u.Object = ""
			}
			if last {
				u.Access = access
			}
			if callee != "" {
				callee += "." + u.Name
			}
			if len(callee) > longestCallee {
				callee = ""
			}
		case kCall:
			w.call(n, i+1, callee)
			if callee == "super" {
				callee = "super()"
			} else {
				callee = ""
			}
		default:
			w.all(trailer.kids)
			callee = ""
		}
	}
}

// call records the call that is trailer i of a chain.
func (w *walker) call(n *node, i int, callee string) {
	trailer := n.kids[i]
	c := Call{
		Span: python.Span{Start: int(n.start), End: int(trailer.end)}, Callee: callee, Scope: w.scope, Keywords: []string{},
		CalleeSpan: python.Span{Start: int(n.start), End: int(n.kids[i-1].end)},
	}
	for _, arg := range trailer.kids {
		switch arg.kind {
		case kStar:
			c.Star = true
		case kDoubleStar:
			c.DoubleStar = true
		case kKeyword:
			c.Keywords = append(c.Keywords, w.text(arg.token))
		default:
			c.Positional++
		}
	}
	w.names.Calls = append(w.names.Calls, c)
	w.arguments(trailer.kids, callee)
}

// arguments walks the arguments of a call, a class or a class pattern.
func (w *walker) arguments(list []*node, callee string) {
	for _, arg := range list {
		if arg.kind == kKeyword {
			w.use(arg.token, KeywordArgument).Object = callee
			w.all(arg.kids)
			continue
		}
		w.walk(arg)
	}
}

// dotted returns the text of a plain chain of names, or "" for anything else.
func (w *walker) dotted(n *node) string {
	switch n.kind {
	case kName:
		return w.text(n.token)
	case kChain:
		if n.kids[0].kind != kName {
			return ""
		}
		parts := []string{w.text(n.kids[0].token)}
		for _, trailer := range n.kids[1:] {
			if trailer.kind != kAttribute {
				return ""
			}
			parts = append(parts, w.text(trailer.token))
		}
		return strings.Join(parts, ".")
	}
	return ""
}

// decoratorCall records the call that a decorator implies. first is the number of calls before the decorator was
// walked.
func (w *walker) decoratorCall(n *node, first int) {
	span := python.Span{Start: int(n.start), End: int(n.end)}
	for i := first; i < len(w.names.Calls); i++ {
		if w.names.Calls[i].Span == span {
			w.names.Calls[i].Decorator = true
			return
		}
	}
	w.names.Calls = append(w.names.Calls, Call{
		Span: span, Callee: w.dotted(n), CalleeSpan: span, Scope: w.scope, Keywords: []string{}, Decorator: true,
	})
}
