package pytools

import (
	"context"
	"fmt"

	"manualslop/tools"
)

type pySetVarDeclarationArgs struct {
	Path           string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name           string `json:"name" doc:"variable of the module, or of a class as A.x; name#2 picks the second of several bindings" min:"1"`
	NewDeclaration string `json:"new_declaration" doc:"the whole new statement, such as LIMIT: int = 5; it may span lines" min:"1"`
	ExpectedHash   string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun         bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// PySetVarDeclaration returns the tool that replaces the declaration of a variable.
func PySetVarDeclaration() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "py_set_var_declaration", Summary: "Replace the declaration of a Python variable at module or class level.",
		Effect: tools.Writes,
		Doc: "The statement that binds the variable is replaced as a whole, even if its value spans several lines; " +
			"other statements on its line (`a = 1; b = 2`) stay. A comment after it stays unless `new_declaration` " +
			"ends with one. `new_declaration` must be one statement that binds the same name and nothing " +
			"else.\n\nRefused, with the lines: a name that is bound more than once (choose `name#2`), and one that " +
			"is bound together with others (`a, b = 1, 2`, `a = b = 1`) or by an import. The answer is the new " +
			"SHA-256, the new lines and a diff.",
	}, promptly(planVariable))
}

func planVariable(ctx context.Context, env tools.Env, in pySetVarDeclarationArgs) (tools.Plan, error) {
	p, err := openEdit(ctx, env, in.Path, in.ExpectedHash)
	if err != nil {
		return tools.Plan{}, err
	}
	change, err := p.source.SetVariable(in.Name, in.NewDeclaration)
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	return p.plan(change, in.DryRun, p.data(in.Name, change),
		fmt.Sprintf("py_set_var_declaration %s: %s", p.Disk.Path, replaced(in.Name, change)))
}
