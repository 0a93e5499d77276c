package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

type tsCGetSignatureArgs struct {
	Path      string `json:"path" doc:"C file or header, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"name of a function, struct, union, enum, typedef, variable or macro; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to go on from, for long answers" min:"1"`
}

// TsCGetSignature answers with the head of a definition.
func TsCGetSignature() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "ts_c_get_signature", Summary: "Get the declaration line of a C function or struct: everything in front of " +
			"its body.", Effect: tools.Reads,
		Doc: "The answer is exactly the text of the file, of several lines where the head has them, with the parameter " +
			"declarations of old-style functions. Several definitions of one name are all shown, each under a line `name#1 " +
			"(lines 3-9)`.",
	}, func(ctx context.Context, env tools.Env, in tsCGetSignatureArgs) (tools.Result, error) {
		return cSignature(ctx, env, cNameArgs(in), cfamily.C, "ts_c_get_signature")
	})
}
