package outline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// A constant of at most maxStatement characters is kept unchanged, as is an assignment to __all__ of at most maxAll
// characters.
const (
	maxStatement = 100
	maxAll       = 4_000
)

// SkeletonOptions selects what a skeleton contains.
type SkeletonOptions struct {
	// Comments keeps the comments directly above definitions.
	Comments bool
	// PublicOnly leaves out definitions and constants that are not public; see Exported and IsPublic. Imports stay.
	PublicOnly bool
	// MaxDocstringLines shortens longer docstrings to this many lines; zero keeps them whole. A docstring that is
	// not a single triple-quoted literal is kept whole.
	MaxDocstringLines int
}

// Skeleton shortens a module to what a reader needs to use it: imports, constants, signatures and docstrings. If
// the file is valid Python, so is the skeleton: function bodies and long values become "...". Lines end with a
// line feed and blank lines are rewritten. Everything else is copied from the file with the file's own
// indentation. The skeleton is empty if nothing is left.
func Skeleton(f *python.File, o SkeletonOptions) string {
	w := writer{file: f, options: o, unit: f.IndentUnit(), bound: map[*python.Statement][]python.Variable{}}
	if w.unit == "" {
		w.unit = "    "
	}
	for _, v := range f.Variables() {
		w.bound[v.Statement] = append(w.bound[v.Statement], v)
	}
	if o.PublicOnly {
		if names, ok := Exported(f); ok {
			w.exported = map[string]bool{}
			for _, name := range names {
				w.exported[name] = true
			}
		}
	}
	w.suite(f.Body, nil, "")
	return document.WithEnds(string(w.out), "\n")
}

type writer struct {
	file     *python.File
	options  SkeletonOptions
	unit     string
	bound    map[*python.Statement][]python.Variable // module and class level bindings
	exported map[string]bool                         // nil means names without a leading underscore
	out      []byte
	last     python.StatementKind // kind of the last statement written at the top level
}

func (w *writer) text(s python.Span) string { return w.file.Text[s.Start:s.End] }

func (w *writer) line(indent, text string) {
	w.out = append(append(append(w.out, indent...), text...), '\n')
}

// suite writes the statements of a module, a class or a block in one of them. The statements belong to owner.
func (w *writer) suite(body []*python.Statement, owner *python.Symbol, indent string) {
	for i := 0; i < len(body); i++ {
		s := body[i]
		own := indent
		if s.Parent == nil || !s.Parent.Inline {
			own = blanks(s)
		}
		switch {
		case i == 0 && w.isDocstring(s):
			w.space(s)
			w.line(own, w.docstring(s, own))
		case s.Symbol != nil:
			if w.wanted(s.Symbol.Name, s.Symbol.Parent) {
				w.space(s)
				w.definition(s, own)
			}
		case isHead(s.Kind):
			end := i + 1
			for end < len(body) && isClause(body[end].Kind) {
				end++
			}
			if w.keeps(body[i:end]) {
				w.space(s)
				w.blocks(body[i:end], owner, own)
			}
			i = end - 1
		case s.Kind == python.ImportModules || s.Kind == python.ImportFrom:
			w.space(s)
			w.line(own, w.text(s.Span))
		case w.keepsBinding(s, owner):
			w.space(s)
			w.line(own, w.binding(s))
		}
	}
}

// blanks returns the indentation of a statement that begins its line, counted after the last form feed.
func blanks(s *python.Statement) string {
	return s.Indent[strings.LastIndexByte(s.Indent, '\f')+1:]
}

// space puts a blank line between groups of top-level statements.
func (w *writer) space(s *python.Statement) {
	if s.Parent != nil {
		return
	}
	kind := s.Kind
	switch kind {
	case python.TypeAlias:
		kind = python.Simple
	case python.ImportFrom:
		kind = python.ImportModules
	}
	if len(w.out) > 0 && (kind != w.last || kind.Compound()) {
		w.out = append(w.out, '\n')
	}
	w.last = kind
}

// wanted reports whether a name in parent, or in the module if parent is nil, is shown.
func (w *writer) wanted(name string, parent *python.Symbol) bool {
	switch {
	case !w.options.PublicOnly:
		return true
	case parent == nil && w.exported != nil:
		return w.exported[name] || name == "__all__"
	}
	return IsPublic(name)
}

// definition writes a class or function.
func (w *writer) definition(s *python.Statement, indent string) {
	if span, ok := w.file.Comment(s.Symbol); ok && w.options.Comments {
		for line := range strings.Lines(document.WithEnds(w.text(span), "\n")) {
			w.line(indent, strings.TrimSpace(line))
		}
	}
	for _, d := range s.Decorators {
		w.line(indent, w.text(d))
	}
	w.line(indent, w.text(s.Header))
	inner := indent + w.unit
	if !s.Inline && len(s.Body) > 0 {
		inner = blanks(s.Body[0])
	}
	before := len(w.out)
	if s.Kind == python.Class {
		w.suite(s.Body, s.Symbol, inner)
	} else if len(s.Body) > 0 && w.isDocstring(s.Body[0]) {
		w.line(inner, w.docstring(s.Body[0], inner))
		w.line(inner, "...")
	}
	w.fill(before)
}

// blocks writes a compound statement with all its clauses, because they may depend on each other.
func (w *writer) blocks(chain []*python.Statement, owner *python.Symbol, indent string) {
	for _, s := range chain {
		w.line(indent, w.text(s.Header))
		before := len(w.out)
		if s.Kind == python.Match {
			for _, c := range s.Body {
				w.blocks([]*python.Statement{c}, owner, blanks(c))
			}
		} else {
			w.suite(s.Body, owner, indent+w.unit)
		}
		w.fill(before)
	}
}

// fill appends a body to a header if nothing was written below the header.
func (w *writer) fill(before int) {
	if len(w.out) == before {
		w.out = append(w.out[:before-1], " ...\n"...)
	}
}

// keeps reports whether a compound statement holds anything that belongs in a skeleton.
func (w *writer) keeps(chain []*python.Statement) bool {
	head := chain[0]
	choice := head.Kind == python.If || head.Kind == python.Try || head.Kind == python.With || head.Kind == python.Match
	if head.Kind == python.If && strings.Contains(w.text(head.Header), "__name__") {
		choice = false // code that runs as a program is left out
	}
	return slices.ContainsFunc(chain, func(s *python.Statement) bool { return w.holds(s, choice) })
}

// holds reports whether a statement contains a definition, an import or, if bindings is set, a constant at any depth.
func (w *writer) holds(s *python.Statement, bindings bool) bool {
	return slices.ContainsFunc(s.Body, func(inner *python.Statement) bool {
		switch {
		case inner.Symbol != nil:
			return w.wanted(inner.Symbol.Name, inner.Symbol.Parent)
		case inner.Kind == python.ImportModules || inner.Kind == python.ImportFrom:
			return true
		case len(inner.Body) > 0:
			return w.holds(inner, bindings)
		}
		return bindings && w.keepsBinding(inner, nil)
	})
}

func (w *writer) keepsBinding(s *python.Statement, owner *python.Symbol) bool {
	return slices.ContainsFunc(w.bound[s], func(v python.Variable) bool { return w.wanted(v.Name, owner) })
}

// binding returns an assignment unchanged, or with a shortened value.
func (w *writer) binding(s *python.Statement) string {
	text := w.text(s.Span)
	v := w.bound[s][0]
	short := utf8.RuneCountInString(text) <= maxStatement && !strings.ContainsAny(text, "\r\n")
	if short || v.Value.Start == v.Value.End || v.Path == "__all__" && len(text) <= maxAll {
		return text
	}
	return w.file.Text[s.Start:v.Value.Start] + w.value(v.Value)
}

// value shortens a value to "...". A call keeps its function name: "namedtuple(...)".
func (w *writer) value(span python.Span) string {
	const called = 60 // longest function name, in characters
	depth, open, closed := 0, -1, -1
	for t := range w.file.Tokens(span) {
		text := w.text(t.Span)
		switch {
		case depth == 0 && (closed >= 0 || open < 0 && t.Kind != python.Name && text != "." && text != "("):
			return "..."
		case text == "(" || text == "[" || text == "{":
			if depth == 0 {
				open = t.Start
			}
			depth++
		case text == ")" || text == "]" || text == "}":
			if depth--; depth == 0 {
				closed = t.End
			}
		}
	}
	if name := open - span.Start; closed != span.End || name <= 0 || name > called ||
		strings.ContainsAny(w.file.Text[span.Start:open], " \t\r\n\\") {
		return "..."
	}
	return w.file.Text[span.Start:open] + "(...)"
}

func isHead(kind python.StatementKind) bool {
	switch kind {
	case python.If, python.Try, python.With, python.For, python.While, python.Match:
		return true
	}
	return false
}

func isClause(kind python.StatementKind) bool {
	switch kind {
	case python.Elif, python.Else, python.Except, python.Finally:
		return true
	}
	return false
}

// isDocstring reports whether a statement is the docstring of its owner.
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

// docstring returns the docstring statement, without lines beyond MaxDocstringLines.
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

// isLongLiteral reports whether a statement is a single triple-quoted literal.
func (w *writer) isLongLiteral(s *python.Statement) bool {
	for t := range w.file.Tokens(s.Span) {
		if t.Kind != python.String || t.Span != s.Span {
			return false
		}
	}
	text := w.text(s.Span)
	return len(text) >= 6 && (strings.HasSuffix(text, `"""`) || strings.HasSuffix(text, `'''`))
}
