package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

type tsCppGetDefinitionArgs struct {
	Path      string `json:"path" doc:"C++ file or header, relative to the workspace" min:"1"`
	Name      string `json:"name" doc:"name such as f, A, A::m or ns::A::m; leading namespaces may be left out; name#2 picks the second of several" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to go on from, for long answers" min:"1"`
}

// TsCppGetDefinition answers with the source of a definition.
func TsCppGetDefinition() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "ts_cpp_get_definition", Summary: "Get the full source of a C++ class, struct, function, method or operator " +
			"by its name.", Effect: tools.Reads,
		Doc: "The answer is exactly the text of the file, from attributes and template<…> to the closing brace or " +
			"semicolon, so that it can be changed and given to `ts_cpp_update_definition`. Comments above are not part of " +
			"it.\n\n" +
			"Definitions are preferred over prototypes; where the file only declares the name, the prototype is shown and the " +
			"answer says where the definition is. Several definitions of one name (overloads) are all shown, each under a " +
			"line `name#1 (lines 3-9)`.",
	}, func(ctx context.Context, env tools.Env, in tsCppGetDefinitionArgs) (tools.Result, error) {
		return cDefinition(ctx, env, cNameArgs(in), cfamily.CPP, "ts_cpp_get_definition")
	})
}
