package skeleton

import (
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// isDocstring tells whether the first statement of a body is the docstring of its owner.
func (w *writer) isDocstring(s *python.Statement) bool {
	var owner *python.Symbol
	if s.Parent != nil {
		if owner = s.Parent.Symbol; owner == nil {
			return false
		}
	}
	doc, ok := w.file.Docstring(owner)
	return ok && s.Start <= doc.Start && doc.End <= s.End
}

// docstring is the statement as it is, or with the lines that are too many left out.
func (w *writer) docstring(s *python.Statement, indent string) string {
	text := w.text(s.Span)
	lines := document.Lines(text)
	if most := w.options.MaxDocstringLines; most == 0 || len(lines) <= most || !w.isLongLiteral(s) {
		return text
	}
	quotes := text[len(text)-3:]
	kept := text[:lines[w.options.MaxDocstringLines-1].End]
	return kept + "\n" + indent + "..." + "\n" + indent + quotes
}

// isLongLiteral tells whether a statement is a single literal in triple quotes.
func (w *writer) isLongLiteral(s *python.Statement) bool {
	for t := range w.file.Tokens(s.Span) {
		if t.Kind != python.String || t.Span != s.Span {
			return false
		}
	}
	text := w.text(s.Span)
	return len(text) >= 6 && (strings.HasSuffix(text, `"""`) || strings.HasSuffix(text, `'''`))
}
