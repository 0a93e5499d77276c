// Package python reads the structure of Python source in pure Go: logical lines, blocks, classes and
// functions, docstrings, imports, variables and tokens.
//
// [Parse] is one pass of a tokenizer and a line scanner over decoded text. It
// knows every statement, where it begins and ends, and what is in what, but
// nothing of expressions. It never fails: [File.Problems] holds the lexical and
// indentation errors in CPython's words, and while it is empty the structure is
// what CPython's own parser sees. After a problem the structure is a best
// effort: a bracket that is never closed ends before the next statement keyword
// that begins a line.
//
// What Parse reads is the Python of today: f-strings of 3.12, type parameters, match, type aliases,
// template strings of 3.14. Lines end at LF, CRLF and CR and nothing else. All offsets count bytes of
// the text, which must be decoded and without byte order mark (package document does that); names are
// compared in NFKC. The time is linear in the text and no recursion depends on it.
//
// A [File] is never changed after Parse and may be used by several goroutines. What is not needed by
// everyone (docstrings, imports, variables, tokens) is computed by each call.
package python
