package tools

import (
	"fmt"
	"strings"
)

// OutlineSymbol is one definition in the structured form of an outline, in any language. Line numbers are 1-based
// and inclusive.
type OutlineSymbol struct {
	// Name is the dotted path: "A.m", "outer.inner"; in C++ "N::A::m".
	Name string `json:"name"`
	// Kind is class, function, async_function, method, async_method, struct, enum and so on.
	Kind string `json:"kind"`
	// Line is the line of the keyword or the name.
	Line int `json:"line"`
	// Start is the first line, including decorators, attributes or template<>.
	Start int `json:"start"`
	// End is the line of the last statement.
	End int `json:"end"`
	// Decorators are the decorator expressions without "@".
	Decorators []string `json:"decorators"`
	// Ordinal counts symbols with the same name from 1, in source order; name#2 selects the second.
	Ordinal int `json:"ordinal"`
	// Of is the number of symbols with this name.
	Of int `json:"of"`
	// Signature is the header of the definition as written.
	Signature string `json:"signature"`
	// Doc is the first line of the docstring or doc comment.
	Doc string `json:"doc"`
}

// OutlineData is the structured form of an outline.
type OutlineData struct {
	Symbols  []OutlineSymbol `json:"symbols"`
	Warnings []string        `json:"warnings"` // problems of the file, which may make the outline wrong
}

// OutlineRow is one definition in the text of an outline.
type OutlineRow struct {
	OutlineSymbol
	Depth int      // levels of nesting
	Title string   // the name as shown, such as the last part of the path
	Marks []string // text after the lines: "@property", "#2 of 3", "(conditional)"
}

// OutlineOf returns the structured form of rows. Missing rows and warnings are
// empty lists.
func OutlineOf(rows []OutlineRow, warnings []string) OutlineData {
	data := OutlineData{Symbols: []OutlineSymbol{}, Warnings: append([]string{}, warnings...)}
	for _, row := range rows {
		symbol := row.OutlineSymbol
		symbol.Decorators = append([]string{}, symbol.Decorators...)
		data.Symbols = append(data.Symbols, symbol)
	}
	return data
}

// OutlineText formats an outline: warnings first, then one line per row, indented by two blanks per level: "
// [Method] m (Lines 4-9) @property".
func OutlineText(rows []OutlineRow, warnings []string) string {
	var b strings.Builder
	for _, warning := range warnings {
		b.WriteString("warning: " + OneLine(warning, 500) + "\n")
	}
	for _, row := range rows {
		row.write(&b)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// MaxShownDepth limits the indentation of a row.
const MaxShownDepth = 100

func (r OutlineRow) write(b *strings.Builder) {
	for range min(r.Depth, MaxShownDepth) {
		b.WriteString("  ")
	}
	b.WriteByte('[')
	writeKind(b, r.Kind)
	b.WriteString("] ")
	b.WriteString(OneLine(r.Title, 200))
	fmt.Fprintf(b, " (Lines %d-%d)", r.Start, r.End)
	for _, mark := range r.Marks {
		b.WriteByte(' ')
		b.WriteString(OneLine(mark, 120))
	}
	b.WriteByte('\n')
}

// writeKind writes a kind in readable form: "async_method" becomes "Async Method".
func writeKind(b *strings.Builder, kind string) {
	for i, word := range strings.Split(kind, "_") {
		if i > 0 {
			b.WriteByte(' ')
		}
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]))
			b.WriteString(word[1:])
		}
	}
}

// OrdinalMark returns the mark that distinguishes symbols with the same name, or "" if there is only one.
func (s OutlineSymbol) OrdinalMark() string {
	if s.Of < 2 {
		return ""
	}
	return fmt.Sprintf("#%d of %d", s.Ordinal, s.Of)
}
