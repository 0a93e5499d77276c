package filetools

import (
	"context"
	_ "embed" // for the tool's documentation
	"fmt"

	"manualslop/tools"
)

//go:embed edit_file.md
var editFileDoc string

type editFileArgs struct {
	Path          string `json:"path" doc:"file to change, relative to the workspace" min:"1"`
	OldString     string `json:"old_string" doc:"the exact text to replace, with its indentation; it must occur once unless replace_all or expected_count is set" min:"1"`
	NewString     string `json:"new_string" doc:"the text that takes its place; empty removes it"`
	ReplaceAll    bool   `json:"replace_all,omitzero" doc:"replace every occurrence"`
	ExpectedCount int    `json:"expected_count,omitzero" doc:"how often old_string occurs; all occurrences are replaced, and none if there are more or fewer" min:"1"`
	ExpectedHash  string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file must have now" max:"64"`
	Force         bool   `json:"force,omitzero" doc:"write a Python file even if it would not parse"`
	DryRun        bool   `json:"dry_run,omitzero" doc:"show the change and write nothing"`
}

// editData is the structured result of a text edit.
type editData struct {
	Replacements int         `json:"replacements"`
	Lines        []int       `json:"lines"`          // lines where the replaced texts began, at most 100
	Ranges       []lineRange `json:"ranges"`         // lines of the new texts, at most 100
	Note         string      `json:"note,omitempty"` // how the text was found if it does not occur exactly
}

// EditFile returns the tool that replaces an exact text.
func EditFile() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "edit_file", Summary: "Replace an exact text in a file.", Effect: tools.Writes, Doc: editFileDoc,
	}, planEdit)
}

func planEdit(ctx context.Context, env tools.Env, in editFileArgs) (tools.Plan, error) {
	doc, err := tools.ReadDocument(ctx, env, in.Path)
	if err != nil {
		return tools.Plan{}, err
	}
	if err := doc.CheckHash(in.ExpectedHash); err != nil {
		return tools.Plan{}, err
	}
	made, err := textEdit{in.OldString, in.NewString, in.ReplaceAll, in.ExpectedCount}.on(doc.Disk.Path, doc.Text)
	if err != nil {
		return tools.Plan{}, err
	}
	next, err := doc.Edited(made.splices)
	if err != nil {
		return tools.Plan{}, err
	}
	made.in(next.Text)
	change, err := doc.ChangeTo(next, in.Force)
	if err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{
		Changes: []tools.Change{change}, DryRun: in.DryRun, Data: made.data(),
		Summary: fmt.Sprintf("edit_file %s: %s", doc.Disk.Path, made),
	}, nil
}
