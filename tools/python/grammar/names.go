package grammar

import (
	"manualslop/tools/python"
)

// Names is the result of Analyze.
type Names struct {
	File   *python.File // the structure that Scope.Symbol points into
	Uses   []Use        // in source order
	Scopes []*Scope     // the module first, then in source order
	Calls  []Call       // in source order
}

// Use is one identifier of a text and its role there.
type Use struct {
	Name    string      // as written, NFKC
	Key     string      // the name that Python looks up: Name, or _Class__name for private names of a class
	Span    python.Span // the identifier only
	Context Context
	// Access says how an attribute or a name is used: Load, Store, Delete or Augmented. It repeats Context for
	// these and is Store for everything else that binds.
	Access Context
	// Scope is the scope that contains the use.
	Scope *Scope
	// Binding is the scope that binds the name by Python's rules. It is nil for builtins, for names that nothing
	// in the file binds, and for identifiers that are not looked up in scopes, such as attributes.
	Binding *Scope
	// Object is the base of an Attribute if that is a plain chain of names, such as "self" or "a.b", and the
	// callee of a KeywordArgument. It is empty otherwise.
	Object string
}

// Context is the role of an identifier.
type Context uint8

// Contexts. Those marked with a star bind the name in the scope that Binding names.
const (
	Load            Context = iota + 1
	Store                   // * assignment, loop, with, except, walrus, pattern
	Delete                  // *
	Augmented               // * target of an augmented assignment such as +=
	Declaration             // * "x: int" without a value
	Parameter               // *
	TypeParameter           // *
	Definition              // * the name after def, class or type
	Import                  // * a name that an import binds
	ImportPath              // a part of a module's path that binds nothing
	ImportOriginal          // a in "from m import a as b"
	Global                  // in a global statement
	Nonlocal                // in a nonlocal statement
	Attribute               // after a dot
	KeywordArgument         // k in f(k=1), in a class's or in a pattern's arguments
	Annotation              // a read inside an annotation
)

// contextNames are the results of Context.String, in the order of the constants.
var contextNames = [...]string{
	"invalid", "load", "store", "delete", "augmented", "declaration", "parameter", "type_parameter", "definition",
	"import", "import_path",
	"import_original", "global", "nonlocal", "attribute", "keyword_argument", "annotation",
}

// String returns the context in lower case, such as "load" or
// "keyword_argument".
func (c Context) String() string {
	if int(c) < len(contextNames) {
		return contextNames[c]
	}
	return contextNames[0]
}

// Binds reports whether a use in this context binds its name in its scope (or in the scope that a global or
// nonlocal statement names).
func (c Context) Binds() bool { return c >= Store && c <= Import }

// ScopeKind is the kind of code that a scope belongs to.
type ScopeKind uint8

// Kinds of scopes.
const (
	ModuleScope ScopeKind = iota + 1
	ClassScope
	FunctionScope
	LambdaScope
	ComprehensionScope
	TypeParametersScope // the type parameters of a def, class or type statement, and the code that can use them
)

// String returns the kind in lower case.
func (k ScopeKind) String() string {
	return [...]string{"invalid", "module", "class", "function", "lambda", "comprehension", "type_parameters"}[min(k,
		TypeParametersScope)]
}

// Scope is a region of the text that binds names.
type Scope struct {
	Kind   ScopeKind
	Symbol *python.Symbol // the class or function to which it belongs; nil for the module and for module-level code
	// Name is the name of the class or function, or "lambda", "listcomp", "setcomp", "dictcomp" or "genexpr". It
	// is empty for the module.
	Name   string
	Span   python.Span // the whole definition, lambda or comprehension; the text for the module
	Parent *Scope      // nil for the module
	// Bound maps each name that the scope binds, by Use.Key, to its indexes in Names.Uses. For a module it also
	// includes names that functions bind through a global statement.
	Bound map[string][]int
	Star  bool // holds a "from x import *", so unknown names may come from there

	globals   map[string]bool
	nonlocals map[string]bool
	binds     map[string]bool
	class     string // name of the innermost enclosing class, for private names
	// generic is the class to whose type parameters the scope belongs, and parameters are their names: these are
	// private to that class, but other names in its bases and bounds are not.
	generic    string
	parameters map[string]bool
}

// KeyOf returns the name that Python looks up for a name that the scope binds.
func (s *Scope) KeyOf(name string) string {
	if s.Kind == TypeParametersScope && s.generic != "" {
		return mangled(s.generic, name)
	}
	return mangled(s.class, name)
}

// key returns the name that Python looks up for a name in the scope.
func (s *Scope) key(name string) string {
	if s.parameters[name] {
		return mangled(s.generic, name)
	}
	return mangled(s.class, name)
}

// Call is one call, or a decorator, which is an implicit call.
type Call struct {
	Span       python.Span // the whole call expression
	Callee     string      // dotted chain of names such as "self.run" or "super().run"; empty if it is computed
	CalleeSpan python.Span
	Scope      *Scope
	Positional int      // number of positional arguments, without starred ones
	Keywords   []string // in order
	Star       bool     // has *args
	DoubleStar bool     // has **kwargs
	Decorator  bool     // is a decorator; one without parentheses has no arguments
}

// Analyze finds every identifier of a text, its role and its binding. In broken text it covers the statements
// that parse, and it never panics.
func Analyze(text string) *Names { return AnalyzeFile(python.Parse(text)) }

// AnalyzeFile is like Analyze for a parsed file.
func AnalyzeFile(file *python.File) *Names {
	toks := tokensOf(file)
	root, _ := parse(file.Text, toks, NewestVersion)
	w := newWalker(file, toks)
	w.module(root)
	return w.finish()
}
