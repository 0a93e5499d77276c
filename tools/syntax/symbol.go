package syntax

import (
	"sort"

	"manualslop/tools/document"
)

// Symbol is one definition.
type Symbol struct {
	// Name is the whole path, its parts joined by the language's Separator: "A.m", "N::A::m".
	Name string
	// Title is the name without the parts of the symbols around it.
	Title string
	// Kind is class, function, method, struct, interface, enum and so on, in lower case.
	Kind string
	// Line is that of the name, StartLine the first one with decorators and attributes, EndLine the
	// last one; all counted from 1.
	Line, StartLine, EndLine int
	// Start and End are the definition in bytes of the text, End behind the last one.
	Start, End int
	// SignatureEnd is where the body begins, in bytes; End where there is none.
	SignatureEnd int
	// Decorators are decorators and attributes in front, without "@".
	Decorators []string
	// Doc is the first line of the comment directly above.
	Doc string
	// Ordinal counts symbols of one Name from 1, Of is their number.
	Ordinal, Of int
	// Depth is the number of symbols around it.
	Depth int
}

// Number sets Ordinal and Of of symbols in source order.
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

// lines finds line numbers by offset.
type lines []document.Line

func newLines(src []byte) lines { return document.Lines(string(src)) }

// number is the 1-based line of the byte at offset.
func (l lines) number(offset int) int {
	i := sort.Search(len(l), func(i int) bool { return l[i].Next > offset })
	return min(i+1, max(len(l), 1))
}
