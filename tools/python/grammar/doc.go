// Package grammar knows the whole grammar of Python 3, in pure Go: what is wrong with a text, in
// CPython's words, and what every name in it means.
//
// [Check] gives the syntax errors that CPython's compiler would find before it looks at names, with
// its wording, line and column; nil means that this parser found none. It takes the language of
// Python 3.14: match, type parameters with defaults, f-strings and t-strings of any nesting.
//
// [CompileErrors] gives what a text that parses is refused for when it is compiled, such as a return
// outside of a function.
//
// [Analyze] finds every identifier of a text with what it does, the scope it stands in and the scope
// that binds it, by the rules of CPython's symbol tables, and every call. It works on broken text as
// far as statements parse.
//
// Nothing here panics, whatever the text; expressions and blocks may nest some thousand levels, and
// what nests deeper is an error that says so.
//
// There are two parsers. The first is fast and builds the tree; it takes exactly the language. The
// second reads a statement again that the first could not, in CPython's order of alternatives and with
// CPython's alternatives for frequent mistakes, to find the words. Its work is bounded; where the bound
// is reached or it disagrees with the first, Error.Certain is false.
//
// Tokens are those of package python, which this package builds on. The tests compare with a real
// CPython where python3 is on PATH.
package grammar
