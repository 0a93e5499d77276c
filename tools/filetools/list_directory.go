package filetools

import (
	"context"
	"fmt"
	"slices"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// maxTwinEntries limits the entries in the structured result of a listing, a tree or a search.
const maxTwinEntries = 10_000

type listDirectoryArgs struct {
	Path      string `json:"path" doc:"directory to list, relative to the workspace; . for the workspace itself" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, as given at the end of a cut answer" min:"1"`
}

// entryData is one row of a listing.
type entryData struct {
	Kind   string `json:"kind"` // file, dir, link or other
	Name   string `json:"name"`
	Size   int64  `json:"size"`             // size of a file in bytes, otherwise 0
	Target string `json:"target,omitempty"` // target of a link, or a phrase in parentheses
}

type listData struct {
	Path      string      `json:"path"`
	Entries   []entryData `json:"entries"` // at most 10,000
	Total     int         `json:"total"`
	Protected int         `json:"protected"` // number of entries left out because of their names
	Truncated bool        `json:"truncated"` // the folder has more entries than Entries
}

// ListDirectory returns the tool that lists a folder, one row per entry.
func ListDirectory() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "list_directory", Summary: "List a directory: one row `[file] name size` or `[dir] name` per entry.",
		Effect: tools.Reads,
		Doc: "Directories come first, then everything else, both sorted by name. Sizes are bytes. Links appear " +
			"as `[link] name -> target` and are not followed, other entries as `[other] name`. Protected files are left out " +
			"and counted in a last line. To see the content of subfolders, use `get_tree`.",
	}, func(ctx context.Context, env tools.Env, in listDirectoryArgs) (tools.Result, error) {
		shown, err := env.Workspace.Show(in.Path)
		if err != nil {
			return tools.Result{}, err
		}
		found, err := env.Workspace.List(ctx, in.Path)
		if err != nil {
			return tools.Result{}, err
		}
		return listing(shown, found, in.StartLine, env.Limits)
	})
}

func listing(path string, found sandbox.Listing, startLine int, limits tools.Limits) (tools.Result, error) {
	entries := found.Entries
	slices.SortStableFunc(entries, func(a, b sandbox.Entry) int {
		if (a.Kind == sandbox.KindDirectory) == (b.Kind == sandbox.KindDirectory) {
			return 0
		}
		if a.Kind == sandbox.KindDirectory {
			return -1
		}
		return 1
	})
	data := listData{Path: path, Entries: []entryData{}, Total: len(entries), Protected: found.Protected}
	rows := make([]string, 0, len(entries))
	for _, e := range entries {
		rows = append(rows, listRow(e))
		if len(data.Entries) < maxTwinEntries {
			data.Entries = append(data.Entries, entryData{Kind: e.Kind.String(), Name: e.Name, Size: e.Size, Target: e.Target})
		}
	}
	data.Truncated = found.Truncated || len(data.Entries) < len(entries)
	if len(rows) == 0 {
		rows = append(rows, "(empty directory)")
	}
	var notes []string
	if found.Protected > 0 {
		notes = append(notes, fmt.Sprintf("… left out: %d protected", found.Protected))
	}
	if found.Truncated {
		notes = append(notes, "… the directory holds more entries than can be listed")
	}
	text, err := tools.PageRows(rows, notes, "list_directory", startLine, limits)
	return tools.Result{Text: text, Data: data}, err
}

func listRow(e sandbox.Entry) string {
	row := fmt.Sprintf("[%s] %s", e.Kind, tools.VisibleName(e.Name))
	switch e.Kind {
	case sandbox.KindFile:
		row += fmt.Sprintf(" %d", e.Size)
	case sandbox.KindLink:
		row += " -> " + tools.VisibleName(e.Target)
	}
	return row
}
