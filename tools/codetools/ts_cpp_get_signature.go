package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

type tsCppGetSignatureArgs struct {
	Path      string `json:"path" doc:"C++ file or header, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"name such as f, A, A::m or ns::A::m; leading namespaces may be left out; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to go on from, for long answers" min:"1"`
}

// TsCppGetSignature answers with the head of a definition.
func TsCppGetSignature() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "ts_cpp_get_signature", Summary: "Get the declaration line of a C++ function, method or class: everything in " +
			"front of its body.", Effect: tools.Reads,
		Doc: "The answer is exactly the text of the file, of several lines where the head has them, with template<…> and " +
			"without the initializers of a constructor. Several definitions of one name are all shown, each under a line " +
			"`name#1 (lines 3-9)`.",
	}, func(ctx context.Context, env tools.Env, in tsCppGetSignatureArgs) (tools.Result, error) {
		return cSignature(ctx, env, cNameArgs(in), cfamily.CPP, "ts_cpp_get_signature")
	})
}
