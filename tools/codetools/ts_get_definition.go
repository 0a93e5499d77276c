package codetools

import (
	"context"

	"manualslop/tools"
)

type tsGetDefinitionArgs struct {
	Path      string `json:"path" doc:"source file, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"path of the definition as the outline nests it, such as Service.run or Point::new; name#2 picks the second of several" min:"1"`
	Language  string `json:"language,omitzero" doc:"go, typescript, rust, java … if the file's name does not show it; an unknown name is refused with a list of all" max:"40"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// TsGetDefinition returns the tool that shows the source of a definition in any language.
func TsGetDefinition() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "ts_get_definition", Summary: "Get the full source of a named definition, in nearly any language.",
		Effect: tools.Reads,
		Doc: "The languages and names are those of `ts_get_code_outline`. The answer is exactly the text of the file, from " +
			"decorators and attributes to the end, so that it can be given to `edit_file` as old_string. " +
			"Comments above are not part of it.\n\n" +
			"`name` is the whole path, with `.` between its parts (`::` works too); namespaces and modules in front may be " +
			"left out. Methods of Go are `Type.Method`. Several definitions of one name are all shown, each under a line " +
			"`name#1 (lines 3-9)`.",
	}, func(ctx context.Context, env tools.Env, in tsGetDefinitionArgs) (tools.Result, error) {
		f, err := readCode(ctx, env, in.Path, in.Language)
		if err != nil {
			return tools.Result{}, err
		}
		found, err := f.find(in.Name)
		if err != nil {
			return tools.Result{}, err
		}
		return tools.Paged(f.each(found, f.source), f.sources(found), "ts_get_definition", in.StartLine, env.Limits)
	})
}
