package summary

import (
	"slices"
	"strings"

	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/outline"
)

// maxCode limits a piece of code in a summary, in characters.
const maxCode = 100

// Python lists what a module imports and defines, public names first.
func Python(f *python.File) Summary {
	p := pythonReader{file: f}
	if p.all, p.hasAll = outline.Exported(f); p.hasAll {
		p.exported = make(map[string]bool, len(p.all))
		for _, name := range p.all {
			p.exported[name] = true
		}
	}
	doc, _ := f.Docstring(nil)
	out := Summary{Format: "Python", Doc: paragraph(doc.Clean)}
	for _, section := range []Section{
		{"exports", p.exports()}, {"imports", p.imports()},
		{"classes", p.classes()}, {"functions", p.functions()}, {"constants", p.constants()},
	} {
		if len(section.Items) > 0 {
			out.Sections = append(out.Sections, section)
		}
	}
	return out
}

type pythonReader struct {
	file     *python.File
	all      []string
	hasAll   bool
	exported map[string]bool // set of the names in __all__
}

// paragraph returns the first paragraph of a text, on one line.
func paragraph(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// clip shortens code to one line of at most maxCode characters.
func clip(code string) string {
	if strings.ContainsAny(code, "\r\n") {
		code = strings.Join(strings.Fields(code), " ")
	}
	return document.Clip(code, maxCode)
}

func (p pythonReader) public(name string) bool {
	if p.hasAll {
		return p.exported[name]
	}
	return outline.IsPublic(name)
}

// publicFirst sorts public items before the others and keeps file order otherwise. names are the names of items.
func (p pythonReader) publicFirst(items []Item, names []string) []Item {
	var first, last []Item
	for i, item := range items {
		if p.public(names[i]) {
			first = append(first, item)
		} else {
			last = append(last, item)
		}
	}
	return append(first, last...)
}

func (p pythonReader) exports() []Item {
	if !p.hasAll {
		return nil
	}
	for _, v := range p.file.Variables() {
		if v.Path == "__all__" {
			return []Item{{Name: "__all__", Line: p.file.LineOf(v.Target.Start), Text: strings.Join(p.all, ", ")}}
		}
	}
	return nil
}

// imports returns one item each for standard library, other and relative modules.
func (p pythonReader) imports() []Item {
	items := []Item{{Name: "stdlib"}, {Name: "other"}, {Name: "relative"}}
	modules := make([][]string, len(items))
	for _, i := range p.file.Imports() {
		group := 1
		switch {
		case i.Level > 0:
			group = 2
		case outline.InStandardLibrary(i.Module):
			group = 0
		}
		name := strings.Repeat(".", i.Level) + i.Module
		if items[group].Line == 0 {
			items[group].Line = p.file.LineOf(i.Statement.Start)
		}
		if !slices.Contains(modules[group][max(len(modules[group])-maxKeys, 0):], name) {
			modules[group] = append(modules[group], name)
		}
	}
	var out []Item
	for group, item := range items {
		if item.Line > 0 {
			item.Text = strings.Join(modules[group], ", ")
			out = append(out, item)
		}
	}
	return out
}

func (p pythonReader) item(s *python.Symbol) Item {
	doc, _ := p.file.Docstring(s)
	return Item{
		Name: clip(outline.Signature(p.file, s)), Line: p.file.StartLine(s), End: p.file.EndLine(s),
		Text: clip(firstLine(doc.Clean)),
	}
}

// classes lists the top-level classes with the names of their methods.
func (p pythonReader) classes() []Item {
	var items []Item
	var names []string
	methods := map[*python.Symbol][]string{}
	for _, s := range p.file.Symbols {
		if s.Parent != nil && s.Kind != python.KindClass && s.Ordinal == 1 {
			methods[s.Parent] = append(methods[s.Parent], s.Name)
		}
	}
	for _, s := range p.file.Symbols {
		if s.Parent != nil || s.Kind != python.KindClass {
			continue
		}
		item := p.item(s)
		if of := methods[s]; len(of) > 0 {
			if item.Text != "" {
				item.Text += " "
			}
			item.Text += "[" + strings.Join(of, ", ") + "]"
		}
		items, names = append(items, item), append(names, s.Name)
	}
	return p.publicFirst(items, names)
}

func (p pythonReader) functions() []Item {
	var items []Item
	var names []string
	for _, s := range p.file.Symbols {
		if s.Parent == nil && s.Kind != python.KindClass {
			items, names = append(items, p.item(s)), append(names, s.Name)
		}
	}
	return p.publicFirst(items, names)
}

// constants lists the module variables that are in capitals or exported.
func (p pythonReader) constants() []Item {
	var items []Item
	var names []string
	for _, v := range p.file.Variables() {
		if v.Owner != nil || v.Ordinal > 1 || v.Name == "__all__" {
			continue
		}
		if v.Name != strings.ToUpper(v.Name) || v.Name == strings.ToLower(v.Name) {
			if !p.hasAll || !p.public(v.Name) {
				continue
			}
		}
		item := Item{Name: v.Name, Line: p.file.LineOf(v.Target.Start), Text: clip(v.Value.Of(p.file.Text))}
		if !v.Annotation.Empty() {
			item.Text = strings.TrimSuffix(clip(v.Annotation.Of(p.file.Text))+" = "+item.Text, " = ")
		}
		items, names = append(items, item), append(names, v.Name)
	}
	return p.publicFirst(items, names)
}
