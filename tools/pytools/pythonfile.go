// Package pytools provides the tools that read and edit Python.
package pytools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/python"
)

// MaxWarnings limits the warnings about a broken file.
const MaxWarnings = 5

// PythonFile is a Python file that a tool has read and parsed.
type PythonFile struct {
	tools.TextFile
	*python.File
}

// ReadPython reads and parses a Python file. It rejects other files. A broken file is parsed as far as possible,
// and Warnings lists its problems.
func ReadPython(ctx context.Context, env tools.Env, path string) (PythonFile, error) {
	doc, err := tools.ReadDocument(ctx, env, path)
	if err != nil {
		return PythonFile{}, err
	}
	if !document.IsPython(doc.Disk.Path, doc.Disk.Data) {
		return PythonFile{}, tools.Refuse("not a python file: %s", doc.Disk.Path)
	}
	parsed, err := tools.Within(ctx, len(doc.Text), func() *python.File { return python.Parse(doc.Text) })
	return PythonFile{doc, parsed}, err
}

// findPython reads a Python file and returns its definitions with a dotted name. It fails if there is none.
func findPython(ctx context.Context, env tools.Env, path, name string) (PythonFile, []*python.Symbol, error) {
	f, err := ReadPython(ctx, env, path)
	if err != nil {
		return PythonFile{}, nil, err
	}
	found, err := f.find(name)
	return f, found, err
}

// Warnings lists the problems that make the structure of the file uncertain, such as "line 3: '(' was never closed".
func (f PythonFile) Warnings() []string {
	out := []string{}
	var source *document.SourceError
	if errors.As(f.Undecodable, &source) {
		out = append(out, fmt.Sprintf("line %d: %s", source.Line, source.Text))
	}
	for _, p := range f.Problems {
		if len(out) == MaxWarnings {
			break
		}
		out = append(out, fmt.Sprintf("line %d: %s", f.LineOf(p.Offset), p.Text))
	}
	return out
}

// find returns the definitions with a dotted name; "name#2" selects the second. It fails if there is none.
func (f PythonFile) find(name string) ([]*python.Symbol, error) {
	name = strings.TrimSpace(name)
	if found := f.Find(name); len(found) > 0 {
		return found, nil
	}
	base, ordinal := python.CutOrdinal(name)
	if all := f.Find(base); ordinal > 0 && len(all) > 0 {
		return nil, tools.Refuse("no definition '%s' in %s; '%s' is defined %s", name, f.Disk.Path, base, f.places(all))
	}
	return nil, f.missing(base)
}

// places describes where definitions are: "once, at lines 3-4", "2 times: a#1 at lines 3-4, …".
func (f PythonFile) places(symbols []*python.Symbol) string {
	if len(symbols) == 1 {
		return fmt.Sprintf("once, at lines %d-%d", f.StartLine(symbols[0]), f.EndLine(symbols[0]))
	}
	const most = 20
	var parts []string
	for _, s := range symbols[:min(len(symbols), most)] {
		parts = append(parts, fmt.Sprintf("%s#%d at lines %d-%d", s.Path, s.Ordinal, f.StartLine(s), f.EndLine(s)))
	}
	text := fmt.Sprintf("%d times: %s", len(symbols), strings.Join(parts, ", "))
	if more := len(symbols) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// missing returns the error for a name without a definition.
func (f PythonFile) missing(name string) error {
	text := fmt.Sprintf("no definition '%s' in %s", name, f.Disk.Path)
	if found := f.variables(name); len(found) > 0 {
		return tools.Refuse("%s: it is a variable (line %d); call py_get_var_declaration", text,
			f.LineOf(found[0].Statement.Start))
	}
	if len(f.Symbols) == 0 {
		return tools.Refuse("%s, which defines no class or function; call read_file to see it", text)
	}
	near := f.Suggest(name)
	if len(near) == 0 {
		var paths []string
		for _, s := range f.Symbols {
			if s.Ordinal == 1 {
				paths = append(paths, s.Path)
			}
		}
		near = tools.NearestNames(name, paths)
	}
	if len(near) > 0 {
		text += "; nearest: " + strings.Join(near, ", ")
	}
	return tools.Refuse("%s; call py_get_code_outline to see all", text)
}

// variables returns the bindings of a dotted name at module and class level; "name#2" selects one.
func (f PythonFile) variables(name string) []python.Variable {
	base, ordinal := python.CutOrdinal(name)
	var out []python.Variable
	for _, v := range f.Variables() {
		if v.Path == base && (ordinal == 0 || v.Ordinal == ordinal) {
			out = append(out, v)
		}
	}
	return out
}

// symbol returns the structured form of a definition.
func (f PythonFile) symbol(s *python.Symbol) tools.OutlineSymbol {
	doc, _ := f.Docstring(s)
	first, _, _ := strings.Cut(doc.Clean, "\n")
	return tools.OutlineSymbol{
		Name: s.Path, Kind: string(s.Kind), Line: f.Line(s), Start: f.StartLine(s), End: f.EndLine(s),
		Decorators: append([]string{}, f.Decorators(s)...), Ordinal: s.Ordinal, Of: s.Of, Signature: f.Signature(s),
		Doc: first,
	}
}

// each shows one definition as text only, and several definitions each under a line such as "name#1 (lines 3-9)".
func (f PythonFile) each(symbols []*python.Symbol, text func(*python.Symbol) string) string {
	if len(symbols) == 1 {
		return text(symbols[0])
	}
	var parts []string
	for _, s := range symbols {
		parts = append(parts, fmt.Sprintf("%s#%d (lines %d-%d)\n%s", s.Path, s.Ordinal, f.StartLine(s), f.EndLine(s),
			text(s)))
	}
	return strings.Join(parts, "\n")
}

// SourceSymbol is the structured form of a definition with its source.
type SourceSymbol struct {
	tools.OutlineSymbol
	Source  string `json:"source"`  // whole lines, including decorators
	Comment string `json:"comment"` // the comment lines directly above
}

// SourceData is the structured result for definitions with their source.
type SourceData struct {
	Symbols  []SourceSymbol `json:"symbols"`
	Warnings []string       `json:"warnings,omitempty"` // problems of the file
}

func (f PythonFile) sources(symbols []*python.Symbol) SourceData {
	data := SourceData{Symbols: []SourceSymbol{}, Warnings: f.Warnings()}
	for _, s := range symbols {
		comment, _ := f.Comment(s)
		data.Symbols = append(data.Symbols, SourceSymbol{f.symbol(s), f.Source(s), f.Text[comment.Start:comment.End]})
	}
	return data
}
