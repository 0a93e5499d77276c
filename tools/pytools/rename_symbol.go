package pytools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/python/project"
	"manualslop/tools/sandbox"
)

//go:embed rename_symbol.md
var renameSymbolDoc string

type renameSymbolArgs struct {
	Path         string `json:"path" doc:"Python file that defines the name, relative to the workspace" min:"1"`
	Name         string `json:"name" doc:"what to rename, as a dotted path in the file: f, A, A.m, X, f.local, f.parameter; name#2 picks one of several" min:"1" max:"500"`
	NewName      string `json:"new_name" doc:"the new name, without dots" min:"1" max:"200"`
	ExpectedHash string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that the file at path must have now" max:"64"`
	DryRun       bool   `json:"dry_run,omitzero" doc:"show the changes and write nothing"`
}

// RenameSymbol returns the tool that renames a Python name in all files that use it.
func RenameSymbol() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "rename_symbol", Summary: "Rename a Python function, class, method, attribute, variable or parameter in " +
			"every file that uses it.", Effect: tools.Writes | tools.Wide,
		Doc: renameSymbolDoc,
	}, planRename)
}

func planRename(ctx context.Context, env tools.Env, in renameSymbolArgs) (tools.Plan, error) {
	if !project.ValidName(in.Name) || strings.Contains(in.Name, ":") {
		return tools.Plan{}, tools.Refuse("%q is not a name in a file; give f, A.m or f.parameter as py_get_code_outline "+
			"shows it", tools.OneLine(in.Name, 100))
	}
	tree, err := ReadTree(ctx, env, in.Path)
	if err != nil {
		return tools.Plan{}, err
	}
	if !tree.isFile {
		return tools.Plan{}, tools.Refuse("%s is a directory; path must be the Python file that defines the name", tree.at)
	}
	file := tree.files[tree.at]
	if err := tools.CheckHash(file.Path, sandbox.Digest(file.Data), in.ExpectedHash); err != nil {
		return tools.Plan{}, err
	}
	found, err := tree.Rename(ctx, project.RenameQuery{Path: tree.at, Name: in.Name, New: in.NewName})
	if err != nil {
		return tools.Plan{}, renameRefusal(err)
	}
	found.Warnings = append(found.Warnings, tree.Warnings...)
	plan := tools.Plan{DryRun: in.DryRun, Data: found, Summary: renameSummary(in, found)}
	for _, f := range found.Files {
		disk := tree.files[f.Path]
		disk.SHA256 = sandbox.Digest(disk.Data)
		doc, source := tools.DecodeFile(f.Path, disk.Data)
		change, err := tools.TextFile{Document: doc, Disk: disk, Undecodable: source}.Change(f.Splices...)
		if err != nil {
			return tools.Plan{}, err
		}
		plan.Changes = append(plan.Changes, change)
	}
	return plan, nil
}

func renameRefusal(err error) error {
	var refused *project.RenameError
	var ambiguous *project.AmbiguousError
	switch {
	case errors.As(err, &refused):
		return tools.Refuse("%s; nothing was changed", refused)
	case errors.As(err, &ambiguous):
		var list []string
		for _, d := range ambiguous.Candidates {
			list = append(list, d.String())
		}
		return tools.Refuse("%q is ambiguous: %s; pick one with name#2", ambiguous.Name, strings.Join(list, ", "))
	}
	return Refusal(err, "call py_get_code_outline with include_variables to see what the file defines")
}

// renameSummary describes what is renamed and lists the places that a user should check.
func renameSummary(in renameSymbolArgs, r project.Renaming) string {
	var b strings.Builder
	fmt.Fprintf(&b, "rename_symbol %s: %s %s is now %s, %s in %s", r.Target.Path, r.Target.Kind, r.Target.Name, r.New,
		tools.Count(r.Count, "occurrence"), tools.FileCount(len(r.Files)))
	for _, w := range r.Warnings {
		b.WriteString("\nwarning: " + tools.OneLine(w, 500))
	}
	writePlaces(&b, "possible uses on objects of unknown type, not renamed", r.Possible, 30)
	writePlaces(&b, "mentions in strings and comments, not renamed", r.Mentions, 10)
	return b.String()
}

func writePlaces(b *strings.Builder, title string, places []project.Place, most int) {
	if len(places) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s (%d):", title, len(places))
	for _, p := range places[:min(len(places), most)] {
		fmt.Fprintf(b, "\n  %s:%d: %s", tools.VisibleName(p.Path), p.Line, tools.OneLine(p.Text, 160))
	}
	if more := len(places) - most; more > 0 {
		fmt.Fprintf(b, "\n  … and %d more; py_find_usages lists them", more)
	}
}
