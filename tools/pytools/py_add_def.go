package pytools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"io/fs"

	"manualslop/tools"
	"manualslop/tools/python/edit"
)

//go:embed py_add_def.md
var pyAddDefDoc string

type pyAddDefArgs struct {
	Path         string `json:"path" doc:"Python file, relative to the workspace; it must exist" min:"1"`
	Name         string `json:"name" doc:"dotted path of the new definition: f for the module, A.m to put m into class A; or only where it goes: A for class A, empty for the module"`
	NewContent   string `json:"new_content" doc:"the definition, with its decorators and body; its name is the last part of name" min:"1"`
	AnchorType   string `json:"anchor_type,omitzero" doc:"where it goes in its block; default bottom" enum:"top,bottom,before,after"`
	AnchorSymbol string `json:"anchor_symbol,omitzero" doc:"for before and after: dotted path of a class or function in the same block"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// PyAddDef returns the tool that adds a definition.
func PyAddDef() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "py_add_def", Summary: "Add a Python class, function or method at a named place in a file.",
		Effect: tools.Writes, Doc: pyAddDefDoc,
	}, promptly(planAddition))
}

func planAddition(ctx context.Context, env tools.Env, in pyAddDefArgs) (tools.Plan, error) {
	p, err := openEdit(ctx, env, in.Path, in.ExpectedHash)
	if errors.Is(err, fs.ErrNotExist) {
		return tools.Plan{}, tools.Refuse("%s does not exist; create it with set_file_slice (start_line=1, end_line=0), or "+
			"give the path of an existing file", in.Path)
	}
	if err != nil {
		return tools.Plan{}, err
	}
	path, change, err := p.source.Add(in.Name, in.NewContent, edit.Anchor{Type: in.AnchorType, Symbol: in.AnchorSymbol})
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	return p.plan(change, in.DryRun, p.data(path, change),
		fmt.Sprintf("py_add_def %s: %s added as %s", p.Disk.Path, path, linesOf(change)))
}
