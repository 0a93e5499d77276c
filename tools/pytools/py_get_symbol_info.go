package pytools

import (
	"context"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
)

type pyGetSymbolInfoArgs struct {
	Path      string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"dotted path of a class or function, such as A, A.method or outer.inner; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// PyGetSymbolInfo returns the tool that shows the location and the source of a definition.
func PyGetSymbolInfo() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_symbol_info", Summary: "Get the lines and the source of a Python class, function or method.",
		Effect: tools.Reads,
		Doc: "The answer is a line `A.m (method) lines 3–9, def in line 4` and the source: whole lines from the first " +
			"decorator to the last statement. Several definitions of one name follow each other, marked `#1 of 2`. Use it " +
			"instead of `py_get_definition` to learn where a definition is, for `get_file_slice` or `set_file_slice`. " +
			"The structured answer has line, start, end, signature, first line of the docstring, decorators, and the comment " +
			"above.",
	}, func(ctx context.Context, env tools.Env, in pyGetSymbolInfoArgs) (tools.Result, error) {
		f, found, err := findPython(ctx, env, in.Path, in.Name)
		if err != nil {
			return tools.Result{}, err
		}
		var parts []string
		for _, s := range found {
			parts = append(parts, f.info(s)+"\n"+f.Source(s))
		}
		return tools.Paged(strings.Join(parts, "\n\n"), f.sources(found), "py_get_symbol_info", in.StartLine, env.Limits)
	})
}

// info describes a definition in one line.
func (f PythonFile) info(s *python.Symbol) string {
	line := fmt.Sprintf("%s (%s) lines %d–%d", s.Path, strings.ReplaceAll(string(s.Kind), "_", " "), f.StartLine(s),
		f.EndLine(s))
	if keyword := f.Line(s); keyword != f.StartLine(s) {
		word := "def"
		if s.Kind == python.KindClass {
			word = "class"
		}
		line += fmt.Sprintf(", %s in line %d", word, keyword)
	}
	if mark := f.symbol(s).OrdinalMark(); mark != "" {
		line += " " + mark
	}
	return line
}
