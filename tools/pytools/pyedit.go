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

// pythonEdit is a Python file that parses, ready for an edit of its structure.
type pythonEdit struct {
	tools.TextFile
	source edit.Source
}

// pyEditData is the structured detail of an edit by structure. Lines are those of the file afterwards.
type pyEditData struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	StartLine int    `json:"start_line"` // of the new text; where text was only removed, the line that follows
	EndLine   int    `json:"end_line"`   // start_line-1 where text was only removed
}

// openEdit reads a Python file for an edit of its structure. It refuses other files, a file that is
// not the expected one, and one that does not parse.
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

// promptly makes a planner whose work cannot be interrupted, such as parsing a
// large file, return as soon as the context ends. The work goes on to its end
// and is discarded.
func promptly[In any](plan func(context.Context, tools.Env, In) (tools.Plan, error)) func(context.Context, tools.Env,
	In) (tools.Plan, error) {
	return func(ctx context.Context, env tools.Env, in In) (tools.Plan, error) {
		return abandon.WhenDone(ctx, func() (tools.Plan, error) { return plan(ctx, env, in) })
	}
}

// refused words an error of package edit for a model.
func refused(err error) error {
	var problem *edit.Error
	if errors.As(err, &problem) {
		return tools.Refuse("%s", problem.Text)
	}
	return err
}

// plan makes a plan of one change of the file.
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

// replaced says that something was replaced, and where the new text is.
func replaced(what string, change edit.Change) string {
	if len(change.Splices) == 0 {
		return fmt.Sprintf("%s already has this content in %s", what, linesOf(change))
	}
	return fmt.Sprintf("%s replaced, now %s", what, linesOf(change))
}

// linesOf returns where new text is.
func linesOf(change edit.Change) string {
	if change.Start == change.End {
		return fmt.Sprintf("line %d", change.Start)
	}
	return fmt.Sprintf("lines %d–%d", change.Start, change.End)
}

// atLines lists line numbers: "line 3", "lines 3, 5".
func atLines(lines []int) string {
	if len(lines) == 1 {
		return "line " + tools.JoinNumbers(lines)
	}
	return "lines " + tools.JoinNumbers(lines)
}

// Bounds of the search for the indentation that a project uses.
const (
	unitFiles   = 50
	unitEntries = 5_000
)

// projectUnit is one level of indentation for a file that shows none: one blank where most of the
// project's Python files have that, else four.
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

// unitOf returns the indentation unit of a file, empty if it cannot be read or
// shows none.
func unitOf(ctx context.Context, env tools.Env, path string) (string, error) {
	file, err := env.Workspace.ReadFile(ctx, path)
	if err != nil {
		return "", ctx.Err()
	}
	doc, _ := tools.DecodeFile(path, file.Data)
	return python.Parse(doc.Text).IndentUnit(), nil
}
