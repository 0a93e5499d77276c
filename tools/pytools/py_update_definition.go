package pytools

import (
	"context"
	_ "embed" // for the tool's documentation
	"fmt"

	"manualslop/tools"
)

//go:embed py_update_definition.md
var pyUpdateDefinitionDoc string

type pyUpdateDefinitionArgs struct {
	Path         string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"dotted path of the class or function, such as A, A.method or outer.inner; name#2 picks the second of several" min:"1"`
	NewContent   string `json:"new_content" doc:"the whole new definition, with its def or class line and body" min:"1"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// PyUpdateDefinition returns the tool that replaces a definition.
func PyUpdateDefinition() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "py_update_definition", Summary: "Replace the definition of a Python class, function or method.",
		Effect: tools.Writes, Doc: pyUpdateDefinitionDoc,
	}, promptly(planUpdate))
}

func planUpdate(ctx context.Context, env tools.Env, in pyUpdateDefinitionArgs) (tools.Plan, error) {
	p, err := openEdit(ctx, env, in.Path, in.ExpectedHash)
	if err != nil {
		return tools.Plan{}, err
	}
	change, err := p.source.Update(in.Name, in.NewContent)
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	return p.plan(change, in.DryRun, p.data(in.Name, change),
		fmt.Sprintf("py_update_definition %s: %s", p.Disk.Path, replaced(in.Name, change)))
}
