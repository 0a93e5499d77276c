package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

// TsCGetCodeOutline answers with the definitions of a C file.
func TsCGetCodeOutline() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "ts_c_get_code_outline", Summary: "List the structs, enums, typedefs, functions and macros of a C file with " +
			"their line ranges, nested.", Effect: tools.Reads,
		Doc: "One line each: `[Struct] point (Lines 3-6)`, `[Function] add (Lines 8-11)`. Lines go from attributes to the " +
			"closing brace. Behind them stand `(declaration)` for a prototype and `#2 of 3` for one of several of a name. " +
			"Macros of one value are left out, but `ts_c_get_definition` finds them. Headers, macros and `#if` branches are " +
			"understood without compiling: of branches that exclude each other all are listed where they can be. A file whose " +
			"brackets do not balance is outlined as far as possible, with a `warning:` line.",
	}, func(ctx context.Context, env tools.Env, in cOutlineArgs) (tools.Result, error) {
		f, err := readC(ctx, env, in.Path, cfamily.C)
		if err != nil {
			return tools.Result{}, err
		}
		return f.outlined(in.MaxDepth, in.StartLine, env.Limits)
	})
}
