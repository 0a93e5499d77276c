package pytools

import (
	"context"
	"fmt"

	"manualslop/tools"
)

type pyRemoveDefArgs struct {
	Path         string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"dotted path of the class or function, such as A, A.method or outer.inner; name#2 picks the second of several" min:"1"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// removalData is the structured result of a removal.
type removalData struct {
	pyEditData
	Uses []int `json:"uses"` // lines of the same file that still use the name
}

// PyRemoveDef returns the tool that removes a definition.
func PyRemoveDef() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "py_remove_def", Summary: "Remove a Python class, function or method.",
		Effect: tools.Writes,
		Doc: "The definition is removed with its decorators and the comment lines directly above it; comment lines after " +
			"its last statement stay. A block that would be left empty, or with only a comment, gets a `pass`; " +
			"blank lines around the gap are tidied.\n\nThe answer is the new SHA-256 and a diff, and the lines of " +
			"the same file that still use the name; uses in other files are found with `py_find_usages`. Where " +
			"several definitions have the name, nothing is changed and each is listed with its lines; choose one " +
			"as `name#2`.",
	}, promptly(planRemoval))
}

func planRemoval(ctx context.Context, env tools.Env, in pyRemoveDefArgs) (tools.Plan, error) {
	p, err := openEdit(ctx, env, in.Path, in.ExpectedHash)
	if err != nil {
		return tools.Plan{}, err
	}
	change, uses, err := p.source.Remove(in.Name)
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	summary := fmt.Sprintf("py_remove_def %s: %s removed", p.Disk.Path, in.Name)
	if len(uses) > 0 {
		summary += "\nstill used in this file, now at " + atLines(uses)
	}
	return p.plan(change, in.DryRun, removalData{p.data(in.Name, change), uses}, summary)
}
