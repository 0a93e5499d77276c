package codetools

import (
	"context"

	"manualslop/tools"
	"manualslop/tools/cfamily"
)

type tsCUpdateDefinitionArgs struct {
	Path         string `json:"path" doc:"C file or header, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"name of a function, struct, union, enum, typedef, variable or macro; name#2 picks the second of several" min:"1"`
	NewContent   string `json:"new_content" doc:"the whole new definition, with its head and body" min:"1"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// TsCUpdateDefinition plans the replacement of a definition.
func TsCUpdateDefinition() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "ts_c_update_definition", Summary: "Replace a C function, struct, enum, typedef or macro by its name.",
		Effect: tools.Writes, Doc: cUpdateDoc,
	}, func(ctx context.Context, env tools.Env, in tsCUpdateDefinitionArgs) (tools.Plan, error) {
		return planCUpdate(ctx, env, cUpdateArgs(in), cfamily.C, "ts_c_update_definition")
	})
}
