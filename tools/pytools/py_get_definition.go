package pytools

import (
	"context"

	"manualslop/tools"
)

type pyGetDefinitionArgs struct {
	Path      string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"dotted path of a class or function, such as A, A.method or outer.inner; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// PyGetDefinition returns the tool that shows the source of a definition.
func PyGetDefinition() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_definition", Summary: "Get the full source of a Python class, function or method.", Effect: tools.Reads,
		Doc: "The answer is exactly the text of the file: whole lines from the first decorator to the last statement, with " +
			"their indentation, so that it can be changed and given to `py_update_definition`. " +
			"Comments above and below are not part of it; those above are in the structured answer.\n\n" +
			"`name` is the whole dotted path: a bare method name does not find `A.method`. Definitions inside if, try and " +
			"with count too. Where several definitions have the name (getter and setter, overloads), all are shown, each " +
			"under a line `name#1 (lines 3-9)`; ask for `name#1` to get one alone.",
	}, func(ctx context.Context, env tools.Env, in pyGetDefinitionArgs) (tools.Result, error) {
		f, found, err := findPython(ctx, env, in.Path, in.Name)
		if err != nil {
			return tools.Result{}, err
		}
		return tools.Paged(f.each(found, f.Source), f.sources(found), "py_get_definition", in.StartLine, env.Limits)
	})
}
