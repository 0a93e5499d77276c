package pytools

import (
	"context"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
)

type pyGetDocstringArgs struct {
	Path      string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name      string `json:"name,omitzero" doc:"dotted path of a class or function; module, or left out, for the docstring of the file itself"`
	Raw       bool   `json:"raw,omitzero" doc:"keep the indentation as it is in the source"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// docstringItem is one docstring in the structured result.
type docstringItem struct {
	Name    string `json:"name"` // dotted path; "module" for the file itself
	Kind    string `json:"kind"` // "module" or the kind of the definition
	Ordinal int    `json:"ordinal"`
	Of      int    `json:"of"`
	Found   bool   `json:"found"`
	Start   int    `json:"start"` // lines of the docstring; 0 if there is none
	End     int    `json:"end"`
	Clean   string `json:"docstring"` // cleaned like inspect.cleandoc
	Raw     string `json:"raw"`
}

type docstringData struct {
	Docstrings []docstringItem `json:"docstrings"`
	Warnings   []string        `json:"warnings"`
}

// PyGetDocstring returns the tool that shows docstrings.
func PyGetDocstring() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_docstring", Summary: "Get the docstring of a Python module, class, function or method.",
		Effect: tools.Reads,
		Doc: "The answer is the text of the docstring, escapes resolved and indentation removed as `inspect.getdoc` " +
			"does; with `raw` the indentation stays. Where there is none, the answer is `no docstring: A.m`. Several " +
			"definitions of one name are all shown, each under a line `name#1 (lines 3-9)`.",
	}, docstrings)
}

func docstrings(ctx context.Context, env tools.Env, in pyGetDocstringArgs) (tools.Result, error) {
	f, err := ReadPython(ctx, env, in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	data := docstringData{Docstrings: []docstringItem{}, Warnings: f.Warnings()}
	name := strings.TrimSpace(in.Name)
	if name == "" || name == "module" && len(f.Find(name)) == 0 {
		item := f.docstringOf(nil)
		data.Docstrings = append(data.Docstrings, item)
		return tools.Paged(item.text(in.Raw), data, "py_get_docstring", in.StartLine, env.Limits)
	}
	found, err := f.find(name)
	if err != nil {
		return tools.Result{}, err
	}
	for _, s := range found {
		data.Docstrings = append(data.Docstrings, f.docstringOf(s))
	}
	text := f.each(found, func(s *python.Symbol) string { return f.docstringOf(s).text(in.Raw) })
	return tools.Paged(text, data, "py_get_docstring", in.StartLine, env.Limits)
}

// docstringOf describes the docstring of a definition, or of the module if s is nil.
func (f PythonFile) docstringOf(s *python.Symbol) docstringItem {
	item := docstringItem{Name: "module", Kind: "module", Ordinal: 1, Of: 1}
	if s != nil {
		item = docstringItem{Name: s.Path, Kind: string(s.Kind), Ordinal: s.Ordinal, Of: s.Of}
	}
	doc, found := f.Docstring(s)
	if !found {
		return item
	}
	item.Found, item.Clean, item.Raw = true, doc.Clean, doc.Raw
	item.Start, item.End = f.LineOf(doc.Start), f.LineOf(max(doc.End-1, doc.Start))
	return item
}

func (d docstringItem) text(raw bool) string {
	switch {
	case !d.Found:
		return "no docstring: " + d.Name
	case d.Raw == "" || d.Clean == "" && !raw:
		return "empty docstring: " + d.Name
	case raw:
		return d.Raw
	}
	return d.Clean
}
