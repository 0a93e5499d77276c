package pytools

import (
	"context"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
)

type pyGetClassSummaryArgs struct {
	Path      string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"dotted path of a class, such as A or Outer.Inner; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

type classesData struct {
	Classes  []classItem `json:"classes"`
	Warnings []string    `json:"warnings"`
}

// PyGetClassSummary returns the tool that lists the members of a class.
func PyGetClassSummary() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_class_summary", Summary: "Summarise a Python class: bases, docstring, attributes, method signatures " +
			"with their lines, and what it inherits.", Effect: tools.Reads | tools.Wide,
		Doc: "Use it instead of reading a class to learn what it offers. The answer has the head of the class, its " +
			"docstring, class attributes, the attributes that `__init__` sets on self, and one line per method: `def m(self, " +
			"a) -> int (lines 4-9) @property — first line of its docstring`. " +
			"Then come the members that it inherits from classes of the workspace and does not override, with their files. " +
			"`py_get_definition` with `A.m` shows a method, `py_get_hierarchy` the subclasses.",
	}, classSummary)
}

func classSummary(ctx context.Context, env tools.Env, in pyGetClassSummaryArgs) (tools.Result, error) {
	f, err := ReadPython(ctx, env, in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	found, err := f.findClasses(in.Name)
	if err != nil {
		return tools.Result{}, err
	}
	data := classesData{Classes: []classItem{}, Warnings: f.Warnings()}
	var parts []string
	for _, s := range found {
		item := f.class(s)
		if len(item.Bases) > 0 {
			bases, ancestors, err := ancestry(ctx, env, f, s)
			if err != nil {
				return tools.Result{}, err
			}
			item.inherit(bases, ancestors)
		}
		data.Classes = append(data.Classes, item)
		parts = append(parts, item.text())
	}
	return tools.Paged(strings.Join(parts, "\n\n"), data, "py_get_class_summary", in.StartLine, env.Limits)
}

// findClasses returns the classes with a dotted name. It fails if there is none.
func (f PythonFile) findClasses(name string) ([]*python.Symbol, error) {
	found, err := f.find(name)
	if err != nil {
		return nil, err
	}
	var classes []*python.Symbol
	for _, s := range found {
		if s.Kind == python.KindClass {
			classes = append(classes, s)
		}
	}
	if len(classes) == 0 {
		kind := strings.ReplaceAll(string(found[0].Kind), "_", " ")
		return nil, tools.Refuse("'%s' is not a class but a %s; call py_get_symbol_info", found[0].Path, kind)
	}
	return classes, nil
}
