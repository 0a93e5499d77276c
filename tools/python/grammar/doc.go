// Package grammar knows the whole grammar of Python 3, in pure Go: where a text is wrong, and what every
// name in it means.
//
// [Check] returns the syntax errors that CPython's compiler finds before it looks at names. Whether a
// text has one is CPython's verdict; the line nearly always is its line, too. Errors of tokens and of
// indentation have CPython's wording, most others are "invalid syntax". It takes the language of
// Python 3.14: match, type parameters with defaults, f-strings and t-strings of any nesting.
//
// [CompileErrors] gives what a text that parses is refused for when it is
// compiled, such as a return outside a function.
//
// [Analyze] finds every identifier of a text with what it does, the scope it is
// in and the scope that binds it, by the rules of CPython's symbol tables, and
// every call. It works on broken text as far as statements parse.
//
// Nothing here panics, whatever the text; expressions and blocks may nest some thousand levels, and
// what nests deeper is an error that says so.
//
// Tokens are those of package python, which this package builds on. The tests compare with a real
// CPython where python3 is on PATH.
package grammar
