package syntax

import (
	"sort"

	"manualslop/tools/document"
)

// Symbol is one definition.
type Symbol struct {
	// Name is the whole path, its parts joined with the language's Separator: "A.m", "N::A::m".
	Name string
	// Title is the name without its enclosing symbols.
	Title string
	// Kind is class, function, method, struct, interface, enum and so on, in lower case.
	Kind string
	// Line is the line of the name, StartLine the first line including decorators and attributes, EndLine the
	// last line; all are 1-based.
	Line, StartLine, EndLine int
	// Start and End are the byte offsets of the definition; End is exclusive.
	Start, End int
	// SignatureEnd is the byte offset where the body begins, or End if there is no body.
	SignatureEnd int
	// Decorators are the decorators and attributes before the symbol, without "@".
	Decorators []string
	// Doc is the first line of the comment directly above.
	Doc string
	// Ordinal counts symbols with the same Name from 1; Of is their number.
	Ordinal, Of int
	// Depth is the number of enclosing symbols.
	Depth int
}

// Number sets Ordinal and Of of symbols, which must be in source order.
func Number(symbols []Symbol) {
	total := map[string]int{}
	for i := range symbols {
		total[symbols[i].Name]++
		symbols[i].Ordinal = total[symbols[i].Name]
	}
	for i := range symbols {
		symbols[i].Of = total[symbols[i].Name]
	}
}

// lines maps offsets to line numbers.
type lines []document.Line

func newLines(src []byte) lines { return document.Lines(string(src)) }

// number returns the 1-based line of the byte at offset.
func (l lines) number(offset int) int {
	i := sort.Search(len(l), func(i int) bool { return l[i].Next > offset })
	return min(i+1, max(len(l), 1))
}
