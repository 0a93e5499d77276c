package pytools

import (
	"context"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python"
)

type pyGetVarDeclarationArgs struct {
	Path      string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"variable of the module, or of a class as A.x; name#2 picks the second of several bindings" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// variableItem is one binding in the structured result.
type variableItem struct {
	Name       string `json:"name"`    // dotted path
	Line       int    `json:"line"`    // line of the name
	Start      int    `json:"start"`   // first line of the statement
	End        int    `json:"end"`     // last line of the statement
	Ordinal    int    `json:"ordinal"` // 1-based position among the bindings of this name
	Of         int    `json:"of"`
	Source     string `json:"source"`    // whole lines, or only the statement if it shares a line
	Statement  string `json:"statement"` // only the statement
	Annotation string `json:"annotation"`
	Value      string `json:"value"`
	Alone      bool   `json:"alone"` // the statement binds no other name
}

type variablesData struct {
	Variables []variableItem `json:"variables"`
	Warnings  []string       `json:"warnings"`
}

// PyGetVarDeclaration returns the tool that shows the statement that binds a variable.
func PyGetVarDeclaration() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_var_declaration", Summary: "Get the assignment of a Python variable at module or class level.",
		Effect: tools.Reads,
		Doc: "The answer is the text of the file: all lines of the statement; on a line with several statements, only the " +
			"one that binds the variable. If a variable is bound more than once, each binding is shown under a line `name#1 " +
			"(line 3)`. Assignments inside if, try and with count; variables of functions and attributes set on `self` do not " +
			"(see `py_get_class_summary`).",
	}, func(ctx context.Context, env tools.Env, in pyGetVarDeclarationArgs) (tools.Result, error) {
		f, err := ReadPython(ctx, env, in.Path)
		if err != nil {
			return tools.Result{}, err
		}
		found := f.variables(in.Name)
		if len(found) == 0 {
			return tools.Result{}, f.noVariable(strings.TrimSpace(in.Name))
		}
		data := variablesData{Variables: []variableItem{}, Warnings: f.Warnings()}
		var parts []string
		for _, v := range found {
			item := f.variable(v)
			data.Variables = append(data.Variables, item)
			text := item.Source
			if len(found) > 1 {
				text = fmt.Sprintf("%s#%d (line %d)\n%s", item.Name, item.Ordinal, item.Line, text)
			}
			parts = append(parts, text)
		}
		return tools.Paged(strings.Join(parts, "\n"), data, "py_get_var_declaration", in.StartLine, env.Limits)
	})
}

func (f PythonFile) variable(v python.Variable) variableItem {
	s := v.Statement
	return variableItem{
		Name: v.Path, Line: f.LineOf(v.Target.Start), Start: f.LineOf(s.Start), End: f.LineOf(s.End - 1), Ordinal: v.Ordinal,
		Of:     v.Of,
		Source: f.statementLines(s), Statement: s.Span.Of(f.Text),
		Annotation: v.Annotation.Of(f.Text), Value: v.Value.Of(f.Text), Alone: v.Alone,
	}
}

// statementLines returns the lines of a statement, without the last line end. If another statement shares one of
// the lines, it returns only the statement itself.
func (f PythonFile) statementLines(s *python.Statement) string {
	first, last := f.Lines[f.LineOf(s.Start)-1], f.Lines[f.LineOf(s.End-1)-1]
	before := strings.Trim(f.Text[first.Start:s.Start], " \t\f")
	behind := strings.TrimLeft(f.Text[s.End:last.End], " \t\f")
	if before != "" || behind != "" && behind[0] != '#' {
		return s.Span.Of(f.Text)
	}
	return f.Text[first.Start:last.End]
}

// noVariable returns the error for a name that is not bound at module or class level.
func (f PythonFile) noVariable(name string) error {
	base, ordinal := python.CutOrdinal(name)
	text := fmt.Sprintf("no variable '%s' in %s", name, f.Disk.Path)
	if all := f.variables(base); ordinal > 0 && len(all) > 0 {
		return tools.Refuse("%s; '%s' is bound %d times", text, base, len(all))
	}
	if found := f.Find(base); len(found) > 0 {
		return tools.Refuse("%s: it is a %s; call py_get_definition", text, strings.ReplaceAll(string(found[0].Kind), "_",
			" "))
	}
	var names []string
	for _, v := range f.Variables() {
		if v.Ordinal == 1 {
			names = append(names, v.Path)
		}
	}
	near := tools.NearestNames(base, names)
	if len(near) == 0 {
		return tools.Refuse("%s at module or class level; call find_text to search for it", text)
	}
	return tools.Refuse("%s; nearest: %s; call py_get_code_outline with include_variables to see all", text,
		strings.Join(near, ", "))
}
