package tools

import (
	"context"

	"manualslop/tools/cfamily"
)

// tsCGetSkeleton answers with a C file without its function bodies.
func tsCGetSkeleton() Tool {
	const name = "ts_c_get_skeleton"
	return Reader(Spec{
		Name: name, Summary: "Get a C file without its function bodies: signatures, structs, macros and comments.", Effect: Reads,
		Doc: "The text of the file with `{ ... }` in place of function bodies and of values over several lines; the rest is as in the file, comments and preprocessor lines too. " +
			"Use it to learn an interface; `ts_c_get_code_outline` is shorter, `ts_c_get_definition` shows one body.",
	}, func(ctx context.Context, env Env, in cSkeletonArgs) (Result, error) {
		return cSkeleton(ctx, env, in, cfamily.C, name)
	})
}
