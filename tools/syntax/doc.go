// Package syntax reads the structure of source text with tree-sitter. It is the only importer of
// the binding, whose hazards end whole processes; so bytes go in and plain Go values come out, and no
// tree, node, cursor or parser leaves a call.
//
// [Outline] lists the definitions of a text in any of the [Languages], also of a broken one;
// [DamageOf] lists only what the parser could not make sense of. [ByPath] finds the language of a
// file by its name.
//
// # What holds
//
// Texts of more than [MaxSize] bytes are refused, a parse ends after two seconds and one a megabyte with [ErrTooHard],
// and at most as many parses run at a time as Go has processors. A cancelled call returns at once;
// the parse that it began ends by itself. Every call has a parser of its own and closes what it
// made, so memory stays flat. Depth is bounded, so that nested brackets of a foreign text cannot
// exhaust a stack.
//
// # What does not
//
// Bash and Protocol Buffers are read by scanners in Go, because their grammars lose definitions.
//
// A text without damage need not be valid: tree-sitter accepts much that compilers refuse. For
// Python there is package python, for C and C++ package cfamily, which are exact where this is not.
package syntax
