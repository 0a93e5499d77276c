package pytools

import (
	"context"
	"slices"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
)

type pyGetCodeOutlineArgs struct {
	Path      string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	MaxDepth  int    `json:"max_depth,omitzero" doc:"levels of nesting to show, 1 for the top level alone; default all" min:"1"`
	Variables bool   `json:"include_variables,omitzero" doc:"also list variables of the module and of classes"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// PyGetCodeOutline returns the tool that lists the classes and functions of a file.
func PyGetCodeOutline() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_code_outline", Summary: "List the classes, functions and methods of a Python file with their line " +
			"ranges, nested.", Effect: tools.Reads,
		Doc: "One line each, indented by two spaces per level: `[Class] A (Lines 3-20)`, `  [Async Method] m (Lines " +
			"4-9) @property`. Line ranges run from the first decorator to the last statement. After them come decorators, " +
			"`#2 of 3` for one of several definitions of a name, and `(conditional)` for one inside if, try, with " +
			"or a loop. Nested functions are listed too; `max_depth` leaves deep levels out. Call it first on an " +
			"unknown file, then `py_get_definition` for what matters. A file with syntax errors is outlined as far " +
			"as possible, with a `warning:` line.",
	}, func(ctx context.Context, env tools.Env, in pyGetCodeOutlineArgs) (tools.Result, error) {
		f, err := ReadPython(ctx, env, in.Path)
		if err != nil {
			return tools.Result{}, err
		}
		rows, err := tools.Within(ctx, len(f.Text), func() []tools.OutlineRow { return f.outline(in.MaxDepth, in.Variables) })
		if err != nil {
			return tools.Result{}, err
		}
		warnings := f.Warnings()
		text := tools.OutlineText(rows, warnings)
		if len(rows) == 0 {
			text = strings.TrimPrefix(text+"\nno classes or functions in "+f.Disk.Path, "\n")
		}
		return tools.Paged(text, tools.OutlineOf(rows, warnings), "py_get_code_outline", in.StartLine, env.Limits)
	})
}

// outline returns the outline rows of a file, down to the given number of levels; zero means all.
func (f PythonFile) outline(levels int, variables bool) []tools.OutlineRow {
	var rows []tools.OutlineRow
	depths := map[*python.Symbol]int{}
	for _, s := range f.Symbols {
		depth := 0
		if s.Parent != nil {
			depth = depths[s.Parent] + 1
		}
		depths[s] = depth
		if levels == 0 || depth < levels {
			rows = append(rows, f.row(s, depth))
		}
	}
	if variables {
		rows = append(rows, f.variableRows(levels, depths)...)
		slices.SortStableFunc(rows, func(a, b tools.OutlineRow) int { return a.Line - b.Line })
	}
	return rows
}

func (f PythonFile) row(s *python.Symbol, depth int) tools.OutlineRow {
	row := tools.OutlineRow{OutlineSymbol: f.symbol(s), Depth: depth, Title: s.Name}
	for _, d := range row.Decorators {
		row.Marks = append(row.Marks, "@"+foldLines(d))
	}
	if mark := row.OrdinalMark(); mark != "" {
		row.Marks = append(row.Marks, mark)
	}
	if s.Conditional {
		row.Marks = append(row.Marks, "(conditional)")
	}
	return row
}

func (f PythonFile) variableRows(levels int, depths map[*python.Symbol]int) []tools.OutlineRow {
	var rows []tools.OutlineRow
	for _, v := range f.Variables() {
		depth := 0
		if v.Owner != nil {
			depth = depths[v.Owner] + 1
		}
		if levels != 0 && depth >= levels {
			continue
		}
		line := f.LineOf(v.Target.Start)
		row := tools.OutlineRow{Depth: depth, Title: v.Name, OutlineSymbol: tools.OutlineSymbol{
			Name: v.Path, Kind: "variable", Line: line, Start: f.LineOf(v.Statement.Start), End: f.LineOf(v.Statement.End - 1),
			Ordinal: v.Ordinal, Of: v.Of, Signature: f.Text[v.Target.Start:max(v.Target.End, v.Annotation.End)],
		}}
		if mark := row.OrdinalMark(); mark != "" {
			row.Marks = append(row.Marks, mark)
		}
		rows = append(rows, row)
	}
	return rows
}
