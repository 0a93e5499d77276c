package codetools

import (
	"context"

	"manualslop/tools"
)

type tsGetCodeOutlineArgs struct {
	Path      string `json:"path" doc:"source file, relative to the workspace" min:"1"`
	Language  string `json:"language,omitzero" doc:"go, typescript, rust, java … if the file's name does not show it; an unknown name is refused with a list of all" max:"40"`
	MaxDepth  int    `json:"max_depth,omitzero" doc:"levels of nesting to show, 1 for the top level alone; default all" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

// TsGetCodeOutline returns the tool that lists the definitions of a file in any language.
func TsGetCodeOutline() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "ts_get_code_outline", Summary: "List the definitions of a source file of nearly any language with their " +
			"line ranges, nested.", Effect: tools.Reads,
		Doc: "For " + languageNames() + ". For Python use `py_get_code_outline` and for C and C++ " +
			"`ts_c_get_code_outline` and `ts_cpp_get_code_outline`, which show more detail.\n\nOne line each, indented by two " +
			"spaces per level: `[Class] Service (Lines 6-17)`, `  [Method] run (Lines 11-12)`, `#2 of 3` after one of several " +
			"with the same name. Line ranges run from decorators and attributes to the end. In documents and configuration " +
			"files it lists what comes closest to definitions (headings in Markdown, tables in TOML, outer keys in YAML, " +
			"blocks in HCL, rules in CSS, elements with an id in HTML, stages in a Dockerfile), and says so. A file with " +
			"syntax errors is outlined as far as possible, with a `warning:` line.",
	}, func(ctx context.Context, env tools.Env, in tsGetCodeOutlineArgs) (tools.Result, error) {
		f, err := readCode(ctx, env, in.Path, in.Language)
		if err != nil {
			return tools.Result{}, err
		}
		return f.outlined(in.MaxDepth, in.StartLine, env.Limits)
	})
}
