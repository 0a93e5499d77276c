package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manualslop/tools/sandbox"
)

type listDirectoryArgs struct {
	Path string `json:"path" doc:"directory to list, relative to the workspace; . for the workspace itself" min:"1"`
}

// entryData is one row of a listing.
type entryData struct {
	Kind string `json:"kind"` // file, dir, link or other
	Name string `json:"name"`
	Size int64  `json:"size"` // bytes of a file, else 0
}

type listData struct {
	Path      string      `json:"path"`
	Entries   []entryData `json:"entries"`
	Total     int         `json:"total"`
	Truncated bool        `json:"truncated"` // the folder holds more than Entries
}

// listDirectory answers with one row for each entry of a folder.
func listDirectory() Tool {
	return Reader(Spec{
		Name: "list_directory", Summary: "List a directory: one row `[file] name size` or `[dir] name` per entry.", Effect: Reads,
		Doc: "Directories come first, then everything else, each in order of the names. Sizes are bytes. Links and other entries appear as `[link] name` and `[other] name`. Protected files are left out.",
	}, func(ctx context.Context, env Env, in listDirectoryArgs) (Result, error) {
		shown, err := env.Workspace.Show(in.Path)
		if err != nil {
			return Result{}, err
		}
		entries, cut, err := env.Workspace.List(ctx, in.Path)
		if err != nil {
			return Result{}, err
		}
		return listing(shown, entries, cut, env.Limits), nil
	})
}

func listing(path string, entries []sandbox.Entry, cut bool, limits Limits) Result {
	slices.SortStableFunc(entries, func(a, b sandbox.Entry) int {
		if (a.Kind == sandbox.KindDirectory) == (b.Kind == sandbox.KindDirectory) {
			return 0
		}
		if a.Kind == sandbox.KindDirectory {
			return -1
		}
		return 1
	})
	data := listData{Path: path, Entries: []entryData{}, Total: len(entries), Truncated: cut}
	rows := make([]string, 0, len(entries))
	for _, e := range entries {
		row := fmt.Sprintf("[%s] %s", e.Kind, visibleName(e.Name))
		if e.Kind == sandbox.KindFile {
			row += fmt.Sprintf(" %d", e.Size)
		}
		rows = append(rows, row)
		if len(data.Entries) < limits.MaxLines {
			data.Entries = append(data.Entries, entryData{Kind: e.Kind.String(), Name: e.Name, Size: e.Size})
		}
	}
	data.Truncated = cut || len(data.Entries) < len(entries)
	text := strings.Join(rows, "\n")
	if len(rows) == 0 {
		text = "(empty directory)"
	}
	if cut {
		text += "\n… the directory holds more entries than can be listed"
	}
	return Result{Text: text, Data: data}
}

// visibleName keeps a name on one line.
func visibleName(name string) string {
	if strings.ContainsAny(name, "\r\n") {
		return fmt.Sprintf("%q", name)
	}
	return name
}
