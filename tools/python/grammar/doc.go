// Package grammar implements the whole grammar of Python 3 in pure Go. It finds syntax errors and resolves every
// name of a text.
//
// [Check] returns the syntax errors that CPython's compiler finds before it looks at names. It agrees with
// CPython on whether a text has an error, and nearly always on the line. Errors of tokens and of indentation have
// CPython's wording; most others are "invalid syntax". It accepts the language of Python 3.14: match, type
// parameters with defaults, f-strings and t-strings nested to any depth.
//
// [CompileErrors] returns errors that CPython reports only when it compiles a text that parses, such as a return
// outside a function.
//
// [Analyze] finds every identifier of a text with its role, the scope that contains it and the scope that binds
// it, by the rules of CPython's symbol tables. It also finds every call. In broken text it covers the statements
// that parse.
//
// Nothing here panics, whatever the text. Expressions and blocks may nest a few thousand levels deep; deeper nesting is
// a syntax error.
//
// The tokens come from package python. The tests compare with a real CPython if python3 is on PATH.
package grammar
