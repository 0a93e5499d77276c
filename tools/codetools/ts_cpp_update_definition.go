package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

type tsCppUpdateDefinitionArgs struct {
	Path         string `json:"path" doc:"C++ file or header, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"name such as f, A, A::m or ns::A::m; leading namespaces may be left out; name#2 picks the second of several" min:"1"`
	NewContent   string `json:"new_content" doc:"the whole new definition, with its head and body" min:"1"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// TsCppUpdateDefinition plans the replacement of a definition.
func TsCppUpdateDefinition() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "ts_cpp_update_definition", Summary: "Replace a C++ class, struct, function, method or operator by its name.",
		Effect: tools.Writes, Doc: cUpdateDoc,
	}, func(ctx context.Context, env tools.Env, in tsCppUpdateDefinitionArgs) (tools.Plan, error) {
		return planCUpdate(ctx, env, cUpdateArgs(in), cfamily.CPP, "ts_cpp_update_definition")
	})
}
