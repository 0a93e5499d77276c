// Package syntax reads the structure of source text with tree-sitter. It is the only importer of the binding,
// whose errors can end the whole process. Therefore it takes bytes and returns plain Go values, and no tree,
// node, cursor or parser leaves a call.
//
// [Outline] lists the definitions of a text in any of the [Languages], even if the text is broken; [DamageOf]
// lists only what the parser could not parse. [ByPath] finds the language of a file by its name.
//
// # Guarantees
//
// A text of more than [MaxSize] bytes is rejected. A parse ends with [ErrTooHard] after two seconds plus one
// second per megabyte. At most GOMAXPROCS parses run at a time. A cancelled call returns at once; the parse that
// it began ends by itself. Every call has its own parser and closes what it creates, so memory use stays flat.
// Depth is limited, so nested brackets in an untrusted text cannot exhaust the stack.
//
// # Limitations
//
// Bash and Protocol Buffers are read by scanners in Go, because their tree-sitter grammars lose definitions.
//
// A text without damage need not be valid, because tree-sitter accepts much that compilers reject. For Python use
// package python, and for C and C++ package cfamily, which are more exact.
package syntax
