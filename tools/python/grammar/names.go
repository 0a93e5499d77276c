package grammar

import (
	"manualslop/tools/python"
)

// Names is what Analyze finds.
type Names struct {
	File   *python.File // the structure that Scope.Symbol points into
	Uses   []Use        // in source order
	Scopes []*Scope     // the module first, then in source order
	Calls  []Call       // in source order
}

// Use is one identifier of a text and what it does there.
type Use struct {
	Name    string      // as written, NFKC
	Key     string      // the name that Python looks up: Name, or _Class__name for private names of a class
	Span    python.Span // the identifier alone
	Context Context
	// Access says what is done to an attribute or a name: Load, Store, Delete or Augmented. It
	// repeats Context for these and is Store for everything else that binds.
	Access Context
	// Scope is the scope that the use is in.
	Scope *Scope
	// Binding is the scope that binds the name by Python's rules; nil for builtins, for names that
	// nothing in the file binds, and for what is not looked up in scopes, such as attributes.
	Binding *Scope
	// Object is, for an Attribute, the base if that is a plain chain of names, such as "self" or
	// "a.b", and, for a KeywordArgument, the callee; otherwise empty.
	Object string
}

// Context is what a use does.
type Context uint8

// Contexts. Those marked with a star bind the name in the scope that Binding tells.
const (
	Load            Context = iota + 1
	Store                   // * assignment, loop, with, except, walrus, pattern
	Delete                  // *
	Augmented               // * target of += and its like
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

// contextNames are the texts of String, in the order of the constants.
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

// Binds reports whether a use in this context makes its name one of the scope's
// own (or of the scope that a global or nonlocal statement names).
func (c Context) Binds() bool { return c >= Store && c <= Import }

// ScopeKind says what a scope belongs to.
type ScopeKind uint8

// Kinds of scopes.
const (
	ModuleScope ScopeKind = iota + 1
	ClassScope
	FunctionScope
	LambdaScope
	ComprehensionScope
	TypeParametersScope // the type parameters of a def, class or type statement, and what they cover
)

// String returns the kind in lower case.
func (k ScopeKind) String() string {
	return [...]string{"invalid", "module", "class", "function", "lambda", "comprehension", "type_parameters"}[min(k,
		TypeParametersScope)]
}

// Scope is a region of the text with names of its own.
type Scope struct {
	Kind   ScopeKind
	Symbol *python.Symbol // the class or function it belongs to; nil for the module and for code outside all of them
	// of the class or function; "lambda", "listcomp", "setcomp", "dictcomp", "genexpr"; empty for the
	// module
	Name   string
	Span   python.Span // the whole definition, lambda or comprehension; the text for the module
	Parent *Scope      // nil for the module
	// Bound has the names that the scope binds, by Use.Key, with indexes into Names.Uses. A module
	// has the names too that functions bind after a global statement.
	Bound map[string][]int
	Star  bool // "from x import *" stands here, so unknown names may come from there

	globals   map[string]bool
	nonlocals map[string]bool
	binds     map[string]bool
	class     string // name of the innermost class around, for private names
}

// Call is one call, or a decorator, which is called too.
type Call struct {
	Span       python.Span // the whole call expression
	Callee     string      // dotted chain of names such as "self.run" or "super().run"; empty if it is computed
	CalleeSpan python.Span
	Scope      *Scope
	Positional int      // positional arguments, those after stars not counted
	Keywords   []string // in order
	Star       bool     // has *args
	DoubleStar bool     // has **kwargs
	Decorator  bool     // comes after "@"; without parentheses it has no arguments
}

// Analyze finds every identifier of a text, what it does and where it is bound. It works on broken
// text as far as statements parse, and never panics.
func Analyze(text string) *Names { return AnalyzeFile(python.Parse(text)) }

// AnalyzeFile is Analyze for a text whose structure is known.
func AnalyzeFile(file *python.File) *Names {
	toks := tokensOf(file)
	root, _ := parse(file.Text, toks, NewestVersion)
	w := newWalker(file, toks)
	w.module(root)
	return w.finish()
}
