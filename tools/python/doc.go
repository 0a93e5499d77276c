// Package python reads the structure of Python source in pure Go: logical lines, blocks, classes and
// functions, docstrings, imports, variables and tokens.
//
// [Parse] is one pass of a tokenizer and a line scanner over decoded text. It finds every statement, its bounds
// and its nesting, but does not look inside expressions. It never fails: [File.Problems] holds the lexical and
// indentation errors in CPython's wording. If it is empty, the structure is what CPython's own parser sees.
// After a problem the structure is a best effort: an unclosed bracket ends before the next line that begins with
// a statement keyword.
//
// Parse reads current Python, including the f-strings of 3.12, type parameters, match, type aliases, template strings
// of 3.14. Only LF, CRLF and CR end a line. All offsets count bytes of the text, which must be decoded and must not
// begin with a byte order mark (package document does both); names are compared in NFKC. The time is linear in the
// text, and recursion depth does not depend on it.
//
// A [File] never changes after Parse and may be used by several goroutines. Docstrings, imports, variables and
// tokens are computed by each call, because most callers do not need them.
package python
