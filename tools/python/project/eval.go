package project

import (
	"slices"
	"strings"

	"manualslop/tools/python"
	"manualslop/tools/python/grammar"
)

// resolver evaluates names and expressions. It caches its results and is not safe for concurrent use.
type resolver struct {
	*Project
	values  map[boundIn][]value
	orders  map[owner][]owner
	fields  map[owner]map[string][]python.Span
	results map[owner][]value
	given   map[fieldIn][]value
	depth   int
}

// boundIn is a binding in a file.
type boundIn struct {
	unit *Unit
	binding
}

// fieldIn is an attribute that methods of a class assign on self.
type fieldIn struct {
	class owner
	name  string
}

// mostDepth limits the depth of recursive evaluation.
const mostDepth = 60

func (p *Project) resolver() *resolver {
	return &resolver{
		Project: p, values: map[boundIn][]value{}, orders: map[owner][]owner{}, fields: map[owner]map[string][]python.Span{},
		results: map[owner][]value{}, given: map[fieldIn][]value{},
	}
}

// eval returns the possible values of an expression, or nil if they are unknown.
func (r *resolver) eval(u *Unit, span python.Span) []value {
	return r.evalTokens(u, u.tokens(span))
}

func (r *resolver) evalTokens(u *Unit, tokens []python.Token) []value {
	if r.depth >= mostDepth || len(tokens) == 0 {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if u.is(tokens, 0, "await") {
		tokens = tokens[1:]
	}
	values, next := r.atom(u, tokens)
	for next < len(tokens) && len(values) > 0 {
		switch {
		case u.is(tokens, next, ".") && isName(tokens, next+1):
			values = r.members(values, u.key(tokens[next+1]))
			next += 2
		case u.is(tokens, next, "("):
			end := u.closing(tokens, next)
			values = r.called(values)
			next = end + 1
		case u.is(tokens, next, "["):
			values = subscripted(values)
			next = u.closing(tokens, next) + 1
		default:
			return nil
		}
	}
	return values
}

// key returns the name that Python looks up for the name at a token.
func (u *Unit) key(t python.Token) string {
	if use := u.use(t.Start); use != nil {
		return use.Key
	}
	return python.Normalize(u.word(t))
}

// atom evaluates the start of an expression and returns the index after it.
func (r *resolver) atom(u *Unit, tokens []python.Token) ([]value, int) {
	first := tokens[0]
	switch {
	case first.Kind == python.Name:
		if u.is(tokens, 0, "super") && u.is(tokens, 1, "(") {
			if super := r.super(u, first.Start); super != nil {
				return super, u.closing(tokens, 1) + 1
			}
		}
		return r.nameAt(u, first.Start), 1
	case first.Kind == python.String || first.Kind == python.FStringStart:
		return []value{library("str")}, stringEnd(tokens)
	case first.Kind == python.Number:
		return []value{library("number")}, 1
	case u.is(tokens, 0, "("):
		end := u.closing(tokens, 0)
		return r.evalTokens(u, tokens[1:min(end, len(tokens))]), end + 1
	case u.is(tokens, 0, "["):
		return []value{library("list")}, u.closing(tokens, 0) + 1
	case u.is(tokens, 0, "{"):
		return []value{library("dict")}, u.closing(tokens, 0) + 1
	}
	return nil, len(tokens)
}

// stringEnd returns the index after the string literals that tokens begin with.
func stringEnd(tokens []python.Token) int {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.Kind == python.FStringStart:
			depth++
		case t.Kind == python.FStringEnd:
			depth--
		case depth == 0 && t.Kind != python.String:
			return i
		}
	}
	return len(tokens)
}

// super returns the value of super() in the function that contains offset.
func (r *resolver) super(u *Unit, offset int) []value {
	for s := u.Enclosing(offset); s != nil; s = s.Parent {
		if isClass(s) {
			return []value{{kind: kindSuper, unit: u, symbol: s}}
		}
	}
	return nil
}

// nameAt evaluates the name that is used at offset.
func (r *resolver) nameAt(u *Unit, offset int) []value {
	use := u.use(offset)
	if use == nil {
		return nil
	}
	return r.used(u, *use)
}

// used evaluates a use of a name.
func (r *resolver) used(u *Unit, use grammar.Use) []value {
	if use.Binding != nil {
		return r.bound(u, binding{use.Binding, use.Key})
	}
	return r.unbound(u, use.Scope, use.Name)
}

// unbound evaluates a name that its file does not bind: it comes from "import *" or is a builtin.
func (r *resolver) unbound(u *Unit, scope *grammar.Scope, name string) []value {
	if values := r.starred(u, name); values != nil {
		return values
	}
	if isBuiltin(name) {
		return []value{{kind: kindBuiltin, name: name}}
	}
	return nil
}

// dotted evaluates "a.b.c" as if it were in a scope.
func (r *resolver) dotted(u *Unit, scope *grammar.Scope, chain string) []value {
	names := strings.Split(chain, ".")
	values := r.lookup(u, scope, names[0])
	for _, name := range names[1:] {
		values = r.members(values, name)
	}
	return values
}

// lookup evaluates a plain name as if it were in a scope.
func (r *resolver) lookup(u *Unit, scope *grammar.Scope, name string) []value {
	for at := scope; at != nil; at = at.Parent {
		if at.Kind == grammar.ClassScope && at != scope {
			continue
		}
		if key := (binding{at, name}); len(u.bound[key]) > 0 {
			return r.bound(u, key)
		}
	}
	return r.unbound(u, scope, name)
}

// called returns the results of calling the values.
func (r *resolver) called(values []value) []value {
	var out []value
	for _, v := range values {
		switch v.kind {
		case kindClass:
			out = union(out, instanceOf(v))
		case kindFunction:
			out = union(out, r.returned(v)...)
		case kindInstance:
			for _, method := range r.member(v, "__call__") {
				if method.kind == kindFunction {
					out = union(out, r.returned(method)...)
				}
			}
		case kindLibrary, kindBuiltin:
			out = union(out, library(v.name+"()"))
		}
	}
	return out
}

// returned returns the result of a function, from its annotation or else from its return statements.
func (r *resolver) returned(function value) []value {
	u := function.unit
	_, result := u.header(function.symbol)
	if len(result) == 0 {
		return r.returnedByCode(function)
	}
	span := spanOf(result)
	if word := strings.Trim(u.Text()[span.Start:span.End], `"'`); function.owner != nil &&
		(word == "Self" || strings.HasSuffix(word, ".Self")) {
		return []value{instanceOf(classValue(function.owner.unit, function.owner.symbol))}
	}
	return r.annotated(u, result)
}

// mostReturns limits the return statements that are examined.
const mostReturns = 8

// returnedByCode evaluates the return statements of a function without annotation. Generators and coroutines are
// excluded, because a call of them returns another type.
func (r *resolver) returnedByCode(function value) []value {
	at := owner{function.unit, function.symbol}
	if values, known := r.results[at]; known {
		return values
	}
	r.results[at] = nil // stops the recursion for functions that call themselves
	u := function.unit
	var out []value
	for i, s := range returns(function.symbol.Statement.Body, 0) {
		if i == mostReturns {
			break
		}
		if tokens := u.tokens(s.Span); len(tokens) > 1 {
			out = union(out, r.evalTokens(u, tokens[1:])...)
		}
	}
	r.results[at] = known(out)
	return r.results[at]
}

// returns lists the return statements of a function's own code.
func returns(statements []*python.Statement, depth int) []*python.Statement {
	var out []*python.Statement
	for _, s := range statements {
		switch {
		case s.Symbol != nil || depth > 100:
		case s.Kind == python.Return:
			out = append(out, s)
		default:
			out = append(out, returns(s.Body, depth+1)...)
		}
	}
	return out
}

// subscripted keeps only classes, because a subscript of a class refers to the same class with type arguments.
func subscripted(values []value) []value {
	var out []value
	for _, v := range values {
		if v.kind == kindClass || v.kind == kindLibrary {
			out = append(out, v)
		}
	}
	return out
}

func isBuiltin(name string) bool { return strings.Contains(builtins, " "+name+" ") }

// builtins are the names that every module has, separated by spaces.
const builtins = " " +
	"ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError " +
	"BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError " +
	"ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning " +
	"EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError " +
	"FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError " +
	"InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError " +
	"ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError " +
	"OverflowError PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError " +
	"RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration " +
	"StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError " +
	"UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError " +
	"UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError __annotations__ " +
	"__build_class__ __builtins__ __debug__ __doc__ __file__ __import__ __loader__ __name__ __package__ " +
	"__path__ __spec__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr " +
	"classmethod compile complex delattr dict dir divmod enumerate eval exec exit filter float format " +
	"frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len list " +
	"locals map max memoryview min next object oct open ord pow print property quit range repr " +
	"reveal_type reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip "

// kind is the kind of a value.
type kind uint8

const (
	kindUnknown   kind = iota // unknown
	kindModule                // unit, or folder of a namespace package
	kindClass                 // unit, symbol
	kindFunction              // unit, symbol
	kindInstance              // instance of the class unit, symbol
	kindSuper                 // super() of the class unit, symbol
	kindVariable              // unit, scope, name: a variable of unknown value
	kindParameter             // unit, scope, name: a parameter of unknown value
	kindLibrary               // name: dotted name of something outside the project
	kindBuiltin               // name
)

// value is a possible value of an expression, as far as it can be determined without running it.
type value struct {
	kind   kind
	unit   *Unit
	symbol *python.Symbol
	scope  *grammar.Scope
	name   string
	folder string
	owner  *owner // for a function found as a member: the class on which it was looked up
}

// owner is a class on which a member was looked up, or a function, class or module in general.
type owner struct {
	unit   *Unit
	symbol *python.Symbol
}

// same reports whether two values are the same item of the project.
func (v value) same(o value) bool {
	return v.kind == o.kind && v.unit == o.unit && v.symbol == o.symbol && v.scope == o.scope && v.name == o.name &&
		v.folder == o.folder
}

func classValue(u *Unit, s *python.Symbol) value { return value{kind: kindClass, unit: u, symbol: s} }

func instanceOf(class value) value {
	class.kind = kindInstance
	return class
}

func library(name string) value { return value{kind: kindLibrary, name: name} }

func moduleValue(at place) value { return value{kind: kindModule, unit: at.unit, folder: at.folder} }

// isFunction reports whether s is a function or method rather than a class or nil.
func isFunction(s *python.Symbol) bool { return s != nil && s.Kind != python.KindClass }

func isClass(s *python.Symbol) bool { return s != nil && s.Kind == python.KindClass }

// String describes the value for people.
func (v value) String() string {
	switch v.kind {
	case kindModule:
		if v.unit != nil {
			return v.unit.Path
		}
		return v.folder + "/"
	case kindClass, kindFunction, kindInstance, kindSuper:
		return v.unit.Path + ":" + v.symbol.Path
	case kindVariable, kindParameter:
		return v.unit.Path + ":" + v.name
	}
	return v.name
}

// mostValues limits the possible values of one expression.
const mostValues = 12

// union adds values that are not yet in the list.
func union(values []value, more ...value) []value {
	for _, v := range more {
		if len(values) < mostValues && !slices.ContainsFunc(values, v.same) {
			values = append(values, v)
		}
	}
	return values
}

// known removes unknown values.
func known(values []value) []value {
	return slices.DeleteFunc(slices.Clone(values), func(v value) bool { return v.kind == kindUnknown })
}
