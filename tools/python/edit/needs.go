package edit

import (
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
)

// Need is an import that moved code uses and its new file lacks.
type Need struct {
	Statement string `json:"statement"` // the import statement
	Carried   bool   `json:"carried"`   // the import was added to the new file
	relative  bool
	future    bool
}

// statement writes an import of one name.
func statement(imported python.Import, name python.ImportedName) string {
	text := "import " + name.Name
	if imported.From {
		text = "from " + strings.Repeat(".", imported.Level) + imported.Module + " import " + name.Name
	}
	if name.As != "" {
		text += " as " + name.As
	}
	return text
}

// needs compares the names that the text of a definition uses with the names that its file and the destination
// file bind. It returns the missing imports, and the missing names that the old file defines.
func (s Source) needs(dest Source, span python.Span, own string) (imports []Need, names []string) {
	used, there := s.moduleNames(span), dest.bindings()
	imports, names = []Need{}, []string{}
	for _, b := range s.imported() {
		future := b.From && b.Level == 0 && b.Module == "__future__"
		if strings.Contains(b.path, ".") || b.name.Name == "*" || there[b.path] || !used[b.path] && !future {
			continue
		}
		need := Need{Statement: statement(b.Import, b.name), relative: b.Level > 0, future: future}
		if !slices.ContainsFunc(imports, func(n Need) bool { return n.Statement == need.Statement }) {
			imports = append(imports, need)
		}
	}
	for name := range s.defined() {
		if used[name] && !there[name] && name != own {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return imports, names
}

// defined returns the names that definitions and variables of the module bind.
func (s Source) defined() map[string]bool {
	out := map[string]bool{}
	for _, symbol := range s.Symbols {
		if symbol.Parent == nil {
			out[symbol.Name] = true
		}
	}
	for _, v := range s.Variables() {
		if v.Owner == nil {
			out[v.Name] = true
		}
	}
	return out
}

// bindings returns all names that the module binds.
func (s Source) bindings() map[string]bool {
	out := s.defined()
	for _, b := range s.imported() {
		out[b.path] = true
	}
	return out
}

// carry marks the imports that can be copied to the module and returns the splices that add them: __future__
// imports below the docstring, others below the import block. Relative imports are copied only if both files are
// in one folder.
func (s Source) carry(needs []Need, together bool) []document.Splice {
	var future, plain []string
	for i, need := range needs {
		switch {
		case need.future:
			future = grouped(future, need.Statement)
		case need.relative && !together:
			continue
		default:
			plain = grouped(plain, need.Statement)
		}
		needs[i].Carried = true
	}
	if s.importsEnd() == s.head() {
		future, plain = append(future, plain...), nil
	}
	var out []document.Splice
	if len(plain) > 0 {
		out = append(out, s.lineSplice(s.importsEnd(), plain, false))
	}
	if len(future) > 0 {
		out = append(out, s.lineSplice(s.head(), future, true))
	}
	return out
}

// grouped appends an import, or merges it into the last one if both import names from the same module.
func grouped(statements []string, next string) []string {
	if last := len(statements) - 1; last >= 0 && strings.HasPrefix(next, "from ") {
		head, name, _ := strings.Cut(next, " import ")
		if strings.HasPrefix(statements[last], head+" import ") {
			statements[last] += ", " + name
			return statements
		}
	}
	return append(statements, next)
}

// head returns the last line of the preamble and docstring, or -1 if there is neither.
func (s Source) head() int {
	if len(s.Body) > 0 && s.isDocstring(s.Body[0], nil) {
		return s.last(s.Body[0].End)
	}
	return s.preamble()
}

// lineSplice inserts lines after line i; apart separates them with blank lines.
func (s Source) lineSplice(i int, lines []string, apart bool) document.Splice {
	end := s.lineEnd(max(i, 0))
	text := strings.Join(lines, end) + end
	if i >= 0 && s.Lines[i].End == s.Lines[i].Next {
		text = end + text
	}
	if apart && i >= 0 {
		text = end + text
	}
	if apart && i+1 < len(s.Lines) && !s.blank(i+1) {
		text += end
	}
	return document.Splice{Start: s.behind(i), End: s.behind(i), New: text}
}
