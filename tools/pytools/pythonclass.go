package pytools

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
	"manualslop/tools/python/outline"
	"manualslop/tools/python/project"
)

// maxValue limits a value in a summary, in characters.
const maxValue = 80

// classItem is one class in a structured result.
type classItem struct {
	tools.OutlineSymbol
	Docstring string                `json:"docstring"` // whole, cleaned
	Bases     []baseItem            `json:"bases"`
	Keywords  []string              `json:"keywords"` // such as "metaclass=ABCMeta"
	Variables []attributeItem       `json:"attributes"`
	Instance  []attributeItem       `json:"instance_attributes"` // set on self in __init__
	Methods   []methodItem          `json:"methods"`
	Classes   []tools.OutlineSymbol `json:"classes"`   // nested classes
	Inherited []inheritedItem       `json:"inherited"` // nearest ancestor first, without overridden members

	head string
}

// baseItem is a base class as written; Path is empty if its definition is not
// in the workspace.
type baseItem struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// inheritedItem lists what a class inherits from one ancestor in the workspace.
type inheritedItem struct {
	Class     string          `json:"class"`
	Path      string          `json:"path"`
	Variables []attributeItem `json:"attributes"`
	Instance  []attributeItem `json:"instance_attributes"`
	Methods   []methodItem    `json:"methods"`
}

// attributeItem is an attribute of a class or of its instances.
type attributeItem struct {
	Name       string `json:"name"`
	Line       int    `json:"line"`
	Annotation string `json:"annotation"` // as written
	Value      string `json:"value"`      // as written; empty if several names share it
}

// methodItem is a method; Head is its signature on one line.
type methodItem struct {
	tools.OutlineSymbol
	Head string `json:"head"`
}

// class describes a class.
func (f PythonFile) class(s *python.Symbol) classItem {
	of := outline.ClassOf(f.File, s)
	doc, _ := f.Docstring(s)
	item := classItem{
		OutlineSymbol: f.symbol(s), Docstring: doc.Clean, head: outline.Signature(f.File, s),
		Bases: []baseItem{}, Inherited: []inheritedItem{}, Keywords: append([]string{}, of.Keywords...),
		Variables: []attributeItem{}, Instance: []attributeItem{}, Methods: []methodItem{}, Classes: []tools.OutlineSymbol{},
	}
	for _, base := range of.Bases {
		item.Bases = append(item.Bases, baseItem{Name: base})
	}
	for _, v := range of.Attributes {
		if isAugmented(f.Text[v.Target.End:max(v.Value.Start, v.Target.End)]) {
			continue
		}
		item.Variables = append(item.Variables, attributeItem{v.Name, f.LineOf(v.Target.Start), v.Annotation.Of(f.Text),
			v.Value.Of(f.Text)})
	}
	for _, a := range of.Instance {
		item.Instance = append(item.Instance, attributeItem{a.Name, f.LineOf(a.Statement.Start), a.Annotation, a.Value})
	}
	for _, m := range of.Methods {
		item.Methods = append(item.Methods, methodItem{f.symbol(m), outline.Signature(f.File, m)})
	}
	for _, c := range of.Nested {
		item.Classes = append(item.Classes, f.symbol(c))
	}
	return item
}

// inherit adds where the direct bases are defined, and all inherited members that are not overridden.
func (c *classItem) inherit(bases []project.ClassNode, ancestors []ancestor) {
	for i := range min(len(bases), len(c.Bases)) {
		if of := bases[i].Class; of != nil && len(bases) == len(c.Bases) {
			c.Bases[i] = baseItem{c.Bases[i].Name, of.Path, of.Start, of.End}
		}
	}
	seen := map[string]bool{}
	c.note(seen)
	for _, a := range ancestors {
		from := a.file.class(a.symbol)
		item := inheritedItem{Class: from.Name, Path: a.file.Disk.Path, Variables: []attributeItem{},
			Instance: []attributeItem{}, Methods: []methodItem{}}
		for _, v := range from.Variables {
			if !seen[v.Name] {
				item.Variables = append(item.Variables, v)
			}
		}
		for _, v := range from.Instance {
			if !seen[v.Name] {
				item.Instance = append(item.Instance, v)
			}
		}
		for _, m := range from.Methods {
			if !seen[m.last()] {
				item.Methods = append(item.Methods, m)
			}
		}
		from.note(seen)
		if len(item.Variables)+len(item.Instance)+len(item.Methods) > 0 {
			c.Inherited = append(c.Inherited, item)
		}
	}
}

// note adds the names of all members of a class to a set.
func (c *classItem) note(seen map[string]bool) {
	for _, v := range append(slices.Clone(c.Variables), c.Instance...) {
		seen[v.Name] = true
	}
	for _, m := range c.Methods {
		seen[m.last()] = true
	}
}

// last returns the method's name without the class.
func (m methodItem) last() string { return m.Name[strings.LastIndexByte(m.Name, '.')+1:] }

// isAugmented reports whether a statement changes an existing variable, as in "x += 1". between is the text
// between target and value.
func isAugmented(between string) bool {
	operator := strings.TrimSpace(between)
	return len(operator) > 1 && strings.HasSuffix(operator, "=") && strings.ContainsAny(operator[:1], "+-*/%@&|^<>")
}

func (c classItem) text() string {
	var b strings.Builder
	for _, d := range c.Decorators {
		b.WriteString("@" + tools.OneLine(foldLines(d), maxValue) + "\n")
	}
	fmt.Fprintf(&b, "%s (lines %d-%d)", tools.OneLine(c.head, 1_000), c.Start, c.End)
	if mark := c.OrdinalMark(); mark != "" {
		b.WriteString(" " + mark)
	}
	for line := range strings.Lines(c.Docstring) {
		b.WriteString(strings.TrimRight("\n    "+strings.TrimRight(line, "\r\n"), " "))
	}
	var bases, classes []string
	for _, base := range c.Bases {
		if base.Path != "" {
			bases = append(bases, fmt.Sprintf("%s -> %s lines %d-%d", foldLines(base.Name), tools.VisibleName(base.Path),
				base.Start, base.End))
		}
	}
	for _, n := range c.Classes {
		classes = append(classes, fmt.Sprintf("%s (lines %d-%d)", n.Name, n.Start, n.End))
	}
	WriteSection(&b, "bases", bases)
	WriteSection(&b, "attributes", attributeRows(c.Variables, ""))
	WriteSection(&b, "instance attributes set in __init__", attributeRows(c.Instance, "self."))
	WriteSection(&b, "methods", methodRows(c.Methods))
	WriteSection(&b, "classes", classes)
	if len(c.Methods)+len(c.Variables)+len(c.Instance)+len(c.Classes) == 0 {
		b.WriteString("\nno members of its own")
	}
	for _, from := range c.Inherited {
		rows := append(attributeRows(from.Variables, ""), attributeRows(from.Instance, "self.")...)
		WriteSection(&b, fmt.Sprintf("inherited from %s (%s)", from.Class, tools.VisibleName(from.Path)),
			append(rows, methodRows(from.Methods)...))
	}
	return b.String()
}

// WriteSection writes rows under a title. It writes nothing if there are no rows.
func WriteSection(b *strings.Builder, title string, rows []string) {
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n" + title + ":")
	for _, row := range rows {
		b.WriteString("\n  " + row)
	}
}

func attributeRows(attributes []attributeItem, prefix string) []string {
	var rows []string
	for _, a := range attributes {
		row := prefix + a.Name
		if a.Annotation != "" {
			row += ": " + tools.OneLine(foldLines(a.Annotation), maxValue)
		}
		if a.Value != "" {
			row += " = " + tools.OneLine(foldLines(a.Value), maxValue)
		}
		rows = append(rows, fmt.Sprintf("%s (line %d)", row, a.Line))
	}
	return rows
}

func methodRows(methods []methodItem) []string {
	var rows []string
	for _, m := range methods {
		rows = append(rows, m.text())
	}
	return rows
}

func (m methodItem) text() string {
	row := fmt.Sprintf("%s (lines %d-%d)", tools.OneLine(m.Head, 400), m.Start, m.End)
	for _, d := range m.Decorators {
		row += " @" + tools.OneLine(foldLines(d), maxValue)
	}
	if mark := m.OrdinalMark(); mark != "" {
		row += " " + mark
	}
	if m.Doc != "" {
		row += " — " + tools.OneLine(m.Doc, 120)
	}
	return row
}

// foldLines joins code of several lines into one line.
func foldLines(code string) string {
	if !strings.ContainsAny(code, "\r\n") {
		return code
	}
	return tools.FoldBlanks(code)
}
