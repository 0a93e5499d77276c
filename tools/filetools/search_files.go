package filetools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

type searchFilesArgs struct {
	Path      string `json:"path" doc:"directory to search in, relative to the workspace; . for the workspace itself" min:"1"`
	Pattern   string `json:"pattern" doc:"glob relative to path, such as **/*.py or src/{a,b}/*.c" min:"1" max:"1000"`
	Order     string `json:"order,omitzero" doc:"path (default), or newest: the files written last come first" enum:"path,newest"`
	Ignored   bool   `json:"include_ignored,omitzero" doc:"also search what .gitignore leaves out, and .git"`
	StartLine int    `json:"start_line,omitzero" doc:"line of the answer to continue from, as given at the end of a cut answer" min:"1"`
}

type searchData struct {
	Path      string   `json:"path"`
	Pattern   string   `json:"pattern"`
	Files     []string `json:"files"`     // at most 10,000
	Total     int      `json:"total"`     // number of matching files, including those not in Files
	Ignored   int      `json:"ignored"`   // number of files and folders that .gitignore excludes
	Protected int      `json:"protected"` // number of files and folders left out because of their names
	Truncated bool     `json:"truncated"`
}

// SearchFiles returns the tool that lists the files whose path matches a glob.
func SearchFiles() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "search_files", Summary: "Find files by a glob pattern below a directory.", Effect: tools.Reads | tools.Wide,
		Doc: "`*` and `?` do not match a slash, `**` matches any number of folders, `{a,b}` matches either, `[a-z]` a " +
			"range. `*.py` finds files directly in path, `**/*.py` at any depth. The answer is one path per line, relative to " +
			"the workspace, sorted. What .gitignore leaves out is not searched unless include_ignored is set; protected files " +
			"never are. With `order` newest the files written last come first.",
	}, search)
}

func search(ctx context.Context, env tools.Env, in searchFilesArgs) (tools.Result, error) {
	pattern, glob, err := cleanPattern(in.Pattern)
	if err != nil {
		return tools.Result{}, err
	}
	start, err := env.Workspace.Show(in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	var found []sandbox.Entry
	opts := sandbox.WalkOptions{Gitignore: !in.Ignored, NoSizes: in.Order != "newest"}
	stats, err := env.Workspace.Walk(ctx, in.Path, opts, func(e sandbox.Entry) error {
		if e.Kind == sandbox.KindFile && glob.Match(inside(start, e.Path)) {
			found = append(found, e)
		}
		return nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	if in.Order == "newest" {
		slices.SortStableFunc(found, func(a, b sandbox.Entry) int { return b.Modified.Compare(a.Modified) })
	}
	data := searchData{Path: start, Pattern: pattern, Files: []string{}, Total: len(found), Ignored: stats.Ignored,
		Protected: stats.Protected}
	rows := make([]string, 0, len(found))
	for _, e := range found {
		rows = append(rows, tools.VisibleName(e.Path))
		if len(data.Files) < maxTwinEntries {
			data.Files = append(data.Files, e.Path)
		}
	}
	data.Truncated = stats.Truncated || data.Total > len(data.Files)
	notes := data.notes(stats)
	if len(rows) == 0 { // the first note already says so
		rows, notes = notes[:1], notes[1:]
	}
	text, err := tools.PageRows(rows, notes, "search_files", in.StartLine, env.Limits)
	return tools.Result{Text: text, Data: data}, err
}

// cleanPattern rejects patterns that are invalid or that lead outside the start directory.
func cleanPattern(pattern string) (string, sandbox.Glob, error) {
	pattern = strings.TrimPrefix(pattern, "./")
	switch {
	case path.IsAbs(pattern) || strings.HasPrefix(pattern, `\`):
		return "", sandbox.Glob{}, tools.Refuse("the pattern must be relative; put the directory into path")
	case !doublestar.ValidatePattern(pattern):
		return "", sandbox.Glob{}, tools.Refuse("the pattern %q is not a valid glob", pattern)
	}
	for element := range strings.SplitSeq(pattern, "/") {
		if element == ".." {
			return "", sandbox.Glob{}, tools.Refuse("the pattern must not contain ..; put the directory into path")
		}
	}
	glob, err := sandbox.ParseGlob(pattern)
	if err != nil {
		return "", glob, tools.Refuse("the pattern expands to more than %d patterns; use fewer braces",
			sandbox.MaxGlobAlternatives)
	}
	return pattern, glob, nil
}

// inside returns path relative to the directory start, both as tools show them.
func inside(start, path string) string {
	if start == "." {
		return path
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, start), "/")
}

func (d searchData) notes(stats sandbox.WalkStats) []string {
	var notes []string
	if d.Total == 0 {
		notes = append(notes, fmt.Sprintf("no file below %s matches %s", d.Path, d.Pattern))
	}
	if stats.Ignored > 0 {
		notes = append(notes, fmt.Sprintf("… not searched: %s that .gitignore leaves out; include_ignored=true searches "+
			"them too", entryCount(stats.Ignored)))
	}
	if stats.Truncated {
		notes = append(notes, fmt.Sprintf("… the search ended after %d entries; search in a subfolder", stats.Visited))
	}
	if stats.Unread > 0 {
		notes = append(notes, fmt.Sprintf("… %d folders could not be read", stats.Unread))
	}
	return notes
}
