package pytools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/python/edit"
)

//go:embed py_move_def.md
var pyMoveDefDoc string

type pyMoveDefArgs struct {
	SrcPath          string `json:"src_path" doc:"Python file that holds the definition, relative to the workspace" min:"1"`
	DestPath         string `json:"dest_path" doc:"Python file to move it to; may be the same file, and is created if it does not exist" min:"1"`
	Name             string `json:"name" doc:"dotted path of the class or function in src_path; name#2 picks the second of several" min:"1"`
	DestName         string `json:"dest_name,omitzero" doc:"dotted path in dest_path, such as g or B.m; default the same as name"`
	AnchorType       string `json:"anchor_type,omitzero" doc:"where it goes in its new block; default bottom" enum:"top,bottom,before,after"`
	AnchorSymbol     string `json:"anchor_symbol,omitzero" doc:"for before and after: dotted path of a class or function in the same block of dest_path"`
	CarryImports     bool   `json:"carry_imports,omitzero" doc:"also put the imports that the moved code needs into dest_path"`
	ExpectedHash     string `json:"expected_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that src_path must have now" max:"64"`
	ExpectedDestHash string `json:"expected_dest_hash,omitzero" doc:"SHA-256 in hex (at least 8 digits) that dest_path must have now" max:"64"`
	DryRun           bool   `json:"dry_run,omitzero" doc:"show the changes and write nothing"`
}

// moveData is the structured result of a move.
type moveData struct {
	Source      pyEditData  `json:"source"`
	Destination pyEditData  `json:"destination"`
	SourceUses  []int       `json:"source_uses"`      // lines of src_path that still use the old name
	DestUses    []int       `json:"destination_uses"` // lines of dest_path that still use the old name
	Imports     []edit.Need `json:"imports"`          // imports that dest_path lacked
	Names       []string    `json:"names"`            // other names of src_path that the moved code uses
	Clashes     []string    `json:"clashes"`          // names in the moved code that dest_path binds to something else
}

// PyMoveDef returns the tool that moves a definition.
func PyMoveDef() tools.Tool {
	return tools.Writer(tools.Spec{
		Name: "py_move_def", Summary: "Move a Python class, function or method to another place or file.",
		Effect: tools.Writes, Doc: pyMoveDefDoc,
	}, promptly(planMove))
}

func planMove(ctx context.Context, env tools.Env, in pyMoveDefArgs) (tools.Plan, error) {
	source, err := openEdit(ctx, env, in.SrcPath, in.ExpectedHash)
	if err != nil {
		return tools.Plan{}, err
	}
	to := edit.Relocation{
		Name: in.Name, NewName: in.DestName, CarryImports: in.CarryImports,
		Anchor: edit.Anchor{Type: in.AnchorType, Symbol: in.AnchorSymbol},
	}
	shown, err := env.Workspace.Show(in.DestPath)
	if err != nil {
		return tools.Plan{}, err
	}
	if shown == source.Disk.Path {
		return planMoveWithin(source, to, in)
	}
	dest, create, err := openDestination(ctx, env, shown, source, in)
	if err != nil {
		return tools.Plan{}, err
	}
	to.Together = path.Dir(shown) == path.Dir(source.Disk.Path)
	moved, err := edit.Move(source.source, dest.source, to)
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	changes, err := moveChanges(source, dest, create, moved)
	if err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{
		Changes: changes, DryRun: in.DryRun, Summary: moveSummary(source.Disk.Path, shown, in.Name, moved),
		Data: moveDetails(source.Disk.Path, shown, in.Name, moved),
	}, nil
}

func planMoveWithin(source pythonEdit, to edit.Relocation, in pyMoveDefArgs) (tools.Plan, error) {
	if err := source.CheckHash(in.ExpectedDestHash); err != nil {
		return tools.Plan{}, err
	}
	moved, err := source.source.MoveWithin(to)
	if err != nil {
		return tools.Plan{}, refused(err)
	}
	file := source.Disk.Path
	return source.plan(moved.Destination, in.DryRun, moveDetails(file, file, in.Name, moved), moveSummary(file, file,
		in.Name, moved))
}

// openDestination reads the destination file, or returns an empty one to create.
func openDestination(ctx context.Context, env tools.Env, shown string, source pythonEdit,
	in pyMoveDefArgs) (dest pythonEdit, create bool, err error) {
	dest, err = openEdit(ctx, env, in.DestPath, in.ExpectedDestHash)
	if !errors.Is(err, fs.ErrNotExist) {
		dest.source.LineEnd = document.LineEnd(source.Text, source.source.Lines, 0)
		return dest, false, err
	}
	if err := tools.CheckHash(shown, "", in.ExpectedDestHash); err != nil {
		return dest, false, err
	}
	if !document.IsPython(shown, nil) {
		return dest, false, tools.Refuse("not a python file: %s", shown)
	}
	dest.source, err = edit.Open(shown, "")
	if err != nil {
		return dest, false, refused(err)
	}
	dest.source.LineEnd = document.LineEnd(source.Text, source.source.Lines, 0)
	dest.source.Unit, err = projectUnit(ctx, env, shown)
	return dest, true, err
}

// moveChanges returns the changes of the destination and of the source.
func moveChanges(source, dest pythonEdit, create bool, moved edit.Moved) ([]tools.Change, error) {
	left, err := source.Change(moved.Source.Splices...)
	if err != nil {
		return nil, err
	}
	for _, splice := range moved.Destination.Splices {
		if !utf8.ValidString(splice.New) {
			return nil, tools.Refuse("the definition has bytes that are not characters in %s (%s), so it cannot move to "+
				"another file", source.Disk.Path, source.Encoding)
		}
	}
	if create {
		return []tools.Change{tools.Create(dest.source.Path, []byte(moved.Destination.Result), 0), left}, nil
	}
	arrived, err := dest.Change(moved.Destination.Splices...)
	return []tools.Change{arrived, left}, err
}

func moveDetails(from, to, name string, moved edit.Moved) moveData {
	return moveData{
		Source:      pyEditData{from, name, moved.Source.Start, moved.Source.End},
		Destination: pyEditData{to, moved.Path, moved.Destination.Start, moved.Destination.End},
		SourceUses:  moved.SourceUses, DestUses: moved.DestinationUses, Imports: moved.Imports, Names: moved.Names,
		Clashes: moved.Clashes,
	}
}

// moveSummary describes the new location of the definition and what remains to be done.
func moveSummary(from, to, name string, moved edit.Moved) string {
	lines := []string{fmt.Sprintf("py_move_def %s: %s moved to %s as %s, now %s", from, name, to, moved.Path,
		linesOf(moved.Destination))}
	if len(moved.SourceUses) > 0 {
		lines = append(lines, fmt.Sprintf("still used as %s in %s, now at %s", name, from, atLines(moved.SourceUses)))
	}
	if from != to && len(moved.DestinationUses) > 0 {
		lines = append(lines, fmt.Sprintf("used as %s in %s, now at %s", name, to, atLines(moved.DestinationUses)))
	}
	var carried, lacking []string
	for _, need := range moved.Imports {
		if need.Carried {
			carried = append(carried, need.Statement)
		} else {
			lacking = append(lacking, need.Statement)
		}
	}
	if len(carried) > 0 {
		lines = append(lines, fmt.Sprintf("imports added to %s: %s", to, strings.Join(carried, "; ")))
	}
	if len(lacking) > 0 {
		lines = append(lines, fmt.Sprintf("imports that %s lacks: %s", to, strings.Join(lacking, "; ")))
	}
	if len(moved.Names) > 0 {
		lines = append(lines, fmt.Sprintf("names from %s that the moved code uses but %s lacks: %s", from, to,
			strings.Join(moved.Names, ", ")))
	}
	if len(moved.Clashes) > 0 {
		lines = append(lines, fmt.Sprintf("names that the moved code uses but %s binds to something other than %s: %s", to,
			from, strings.Join(moved.Clashes, ", ")))
	}
	return strings.Join(lines, "\n")
}
