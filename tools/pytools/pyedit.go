package pytools

import (
	"context"
	"errors"
	"fmt"
	"path"

	"manualslop/tools"
	"manualslop/tools/abandon"
	"manualslop/tools/document"
	"manualslop/tools/python"
	"manualslop/tools/python/edit"
	"manualslop/tools/sandbox"
)

// pythonEdit is a Python file that parses, ready for a structural edit.
type pythonEdit struct {
	tools.TextFile
	source edit.Source
}

// pyEditData is the structured result of a structural edit. Line numbers refer to the edited file.
type pyEditData struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	StartLine int    `json:"start_line"` // first line of the new text; for a pure removal, the line after it
	EndLine   int    `json:"end_line"`   // last line of the new text; for a pure removal, start_line-1
}

// openEdit reads a Python file for a structural edit. It rejects files that are not Python, whose content is not
// the expected one, or that do not parse.
func openEdit(ctx context.Context, env tools.Env, path, expected string) (pythonEdit, error) {
	doc, err := tools.ReadDocument(ctx, env, path)
	if err != nil {
		return pythonEdit{}, err
	}
	if !document.IsPython(doc.Disk.Path, doc.Disk.Data) {
		return pythonEdit{}, tools.Refuse("not a python file: %s", doc.Disk.Path)
	}
	if err := doc.CheckHash(expected); err != nil {
		return pythonEdit{}, err
	}
	if doc.Undecodable != nil {
		return pythonEdit{}, tools.Refuse("%s does not parse (%s); repair it with edit_file first", doc.Disk.Path,
			doc.Undecodable)
	}
	source, err := edit.Open(doc.Disk.Path, doc.Text)
	if err != nil {
		return pythonEdit{}, refused(err)
	}
	if source.IndentUnit() == "" {
		source.Unit, err = projectUnit(ctx, env, doc.Disk.Path)
	}
	return pythonEdit{doc, source}, err
}

// promptly makes a planner return as soon as the context ends, even while it does work that cannot be
// interrupted, such as parsing a large file. The work then runs to its end and its result is discarded.
func promptly[In any](plan func(context.Context, tools.Env, In) (tools.Plan, error)) func(context.Context, tools.Env,
	In) (tools.Plan, error) {
	return func(ctx context.Context, env tools.Env, in In) (tools.Plan, error) {
		return abandon.WhenDone(ctx, func() (tools.Plan, error) { return plan(ctx, env, in) })
	}
}

// refused converts an error of package edit to a refusal for the model.
func refused(err error) error {
	var problem *edit.Error
	if errors.As(err, &problem) {
		return tools.Refuse("%s", problem.Text)
	}
	return err
}

// plan returns the plan for one change of the file.
func (p pythonEdit) plan(change edit.Change, dryRun bool, data any, summary string) (tools.Plan, error) {
	written, err := p.Change(change.Splices...)
	if err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{Changes: []tools.Change{written}, DryRun: dryRun, Data: data, Summary: summary}, nil
}

func (p pythonEdit) data(name string, change edit.Change) pyEditData {
	return pyEditData{Path: p.Disk.Path, Name: name, StartLine: change.Start, EndLine: change.End}
}

// replaced says that something was replaced and gives the lines of the new text.
func replaced(what string, change edit.Change) string {
	if len(change.Splices) == 0 {
		return fmt.Sprintf("%s already has this content in %s", what, linesOf(change))
	}
	return fmt.Sprintf("%s replaced, now %s", what, linesOf(change))
}

// linesOf returns the lines of the new text, as text.
func linesOf(change edit.Change) string {
	if change.Start == change.End {
		return fmt.Sprintf("line %d", change.Start)
	}
	return fmt.Sprintf("lines %d–%d", change.Start, change.End)
}

// atLines formats line numbers: "line 3", "lines 3, 5".
func atLines(lines []int) string {
	if len(lines) == 1 {
		return "line " + tools.JoinNumbers(lines)
	}
	return "lines " + tools.JoinNumbers(lines)
}

// Limits of the search for a project's unit of indentation.
const (
	unitFiles   = 50
	unitEntries = 5_000
)

// projectUnit returns one level of indentation for a file without any: one space if most of the project's Python
// files use that, otherwise four.
func projectUnit(ctx context.Context, env tools.Env, file string) (string, error) {
	single, seen := 0, 0
	folder := path.Dir(file)
	for _, options := range []sandbox.WalkOptions{{MaxDepth: 1, MaxEntries: unitEntries}, {MaxEntries: unitEntries,
		Gitignore: true}} {
		_, err := env.Workspace.Walk(ctx, folder, options, func(e sandbox.Entry) error {
			if e.Kind != sandbox.KindFile || e.Path == file || !document.IsPython(e.Path, nil) {
				return nil
			}
			if seen == unitFiles {
				return nil
			}
			unit, err := unitOf(ctx, env, e.Path)
			if unit != "" {
				seen++
			}
			if unit == " " {
				single++
			}
			return err
		})
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil && seen == 0 {
			break
		}
		folder = "."
	}
	if single*2 > seen {
		return " ", nil
	}
	return "    ", nil
}

// unitOf returns the indentation unit of a file, or "" if the file cannot be read or has no indentation.
func unitOf(ctx context.Context, env tools.Env, path string) (string, error) {
	file, err := env.Workspace.ReadFile(ctx, path)
	if err != nil {
		return "", ctx.Err()
	}
	doc, _ := tools.DecodeFile(path, file.Data)
	return python.Parse(doc.Text).IndentUnit(), nil
}
