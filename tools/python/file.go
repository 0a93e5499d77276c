package python

import "manualslop/tools/document"

// Span is a piece of a text: from the byte Start to the byte before End.
type Span struct{ Start, End int }

// Empty tells whether the span holds nothing.
func (s Span) Empty() bool { return s.End <= s.Start }

// Of gives the piece of text.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// File is the structure of one source text.
type File struct {
	Text     string
	Lines    []document.Line
	Body     []*Statement // top level, in order
	Symbols  []*Symbol    // every class and function at any depth, in order of the def or class keyword
	Problems []Problem    // lexical and indentation errors, in order, at most 100; empty: the structure is certain
	first    Problem      // found first
	hasCR    bool         // some line ends are not LF
}

// Statement is one statement of a text. A clause (elif, else, except, finally) is a statement of its
// own beside its head; a case is one inside its match.
type Statement struct {
	Kind   StatementKind
	Async  bool // async def, async for, async with
	Inline bool // the suite stands on the header's line
	// first token (not a decorator) to last token of the suite, no semicolon behind a simple statement
	Span
	Header     Span         // compound: first token through the colon; simple: like Span
	Decorators []Span       // each from its '@' to the last token of its logical line
	Parent     *Statement   // nil at top level
	Body       []*Statement // suite
	Indent     string       // blanks in front of its logical line (its header's, in an inline suite), behind a form feed
	Symbol     *Symbol      // of every Def and Class, nil for all others
}

// OuterStart is where the statement begins with its decorators.
func (s *Statement) OuterStart() int {
	if len(s.Decorators) > 0 {
		return s.Decorators[0].Start
	}
	return s.Start
}

// Kind says what a symbol is.
type Kind string

// Kinds of symbols. A method is a function directly in a class, also through if, try, with and the like.
const (
	KindClass         Kind = "class"
	KindFunction      Kind = "function"
	KindAsyncFunction Kind = "async_function"
	KindMethod        Kind = "method"
	KindAsyncMethod   Kind = "async_method"
)

// Symbol is a class or a function.
type Symbol struct {
	Name        string // last part of the path, NFKC
	Path        string // dotted: "A.m", "outer.inner"
	Kind        Kind
	Ordinal     int // 1-based among equal paths, in source order
	Of          int // number of symbols with this path
	Statement   *Statement
	Parent      *Symbol // enclosing class or function, nil at top
	NameSpan    Span    // the name in its header
	Conditional bool    // inside if, try, with, for, while or match of its class, function or module
}
