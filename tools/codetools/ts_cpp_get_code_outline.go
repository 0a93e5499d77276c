package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

// TsCppGetCodeOutline answers with the definitions of a C++ file.
func TsCppGetCodeOutline() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "ts_cpp_get_code_outline", Summary: "List the namespaces, classes, methods, functions and macros of a C++ " +
			"file with their line ranges, nested.", Effect: tools.Reads,
		Doc: "One line each: `[Class] Shape (Lines 3-20) : public Base`, two blanks deeper `[Method] area (Lines 5-7)`. " +
			"Lines go from attributes and template<…> to the closing brace. Behind them stand base classes, `(declaration)` " +
			"for a prototype and `#2 of 3` for one of several of a name (overloads). " +
			"Macros of one value are left out, but `ts_cpp_get_definition` finds them. Headers, macros and `#if` branches are " +
			"understood without compiling: of branches that exclude each other all are listed where they can be. A file whose " +
			"brackets do not balance is outlined as far as possible, with a `warning:` line.",
	}, func(ctx context.Context, env tools.Env, in cOutlineArgs) (tools.Result, error) {
		f, err := readC(ctx, env, in.Path, cfamily.CPP)
		if err != nil {
			return tools.Result{}, err
		}
		return f.outlined(in.MaxDepth, in.StartLine, env.Limits)
	})
}
