package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

// TsCppGetSkeleton answers with a C++ file without its function bodies.
func TsCppGetSkeleton() tools.Tool {
	const name = "ts_cpp_get_skeleton"
	return tools.Reader(tools.Spec{
		Name: name, Summary: "Get a C++ file without its function bodies: classes with their members, inheritance, " +
			"signatures and comments.", Effect: tools.Reads,
		Doc: "The text of the file with `{ ... }` in place of function bodies and of values over several lines; the rest " +
			"is as in the file, comments and preprocessor lines too. " +
			"Use it to learn an interface; `ts_cpp_get_code_outline` is shorter, `ts_cpp_get_definition` shows one body.",
	}, func(ctx context.Context, env tools.Env, in cSkeletonArgs) (tools.Result, error) {
		return cSkeleton(ctx, env, in, cfamily.CPP, name)
	})
}
