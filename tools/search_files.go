package tools

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"manualslop/tools/sandbox"
)

type searchFilesArgs struct {
	Path    string `json:"path" doc:"directory to search in, relative to the workspace; . for the workspace itself" min:"1"`
	Pattern string `json:"pattern" doc:"glob relative to path, such as **/*.py or src/{a,b}/*.c" min:"1" max:"1000"`
	Ignored bool   `json:"include_ignored,omitzero" doc:"also search what .gitignore leaves out, and .git"`
}

type searchData struct {
	Path      string   `json:"path"`
	Pattern   string   `json:"pattern"`
	Files     []string `json:"files"`
	Total     int      `json:"total"`   // all that match, also those not in Files
	Ignored   int      `json:"ignored"` // files and folders that .gitignore left out
	Truncated bool     `json:"truncated"`
}

// searchFiles answers with the files whose path matches a glob.
func searchFiles() Tool {
	return Reader(Spec{
		Name: "search_files", Summary: "Find files by a glob pattern below a directory.", Effect: Reads,
		Doc: "`*` and `?` do not match a slash, `**` matches any number of folders, `{a,b}` either, `[a-z]` a range. `*.py` finds files directly in path, `**/*.py` at any depth. The answer is one path per line, relative to the workspace, in order. What .gitignore leaves out is not searched unless include_ignored is set; protected files never are.",
	}, search)
}

func search(ctx context.Context, env Env, in searchFilesArgs) (Result, error) {
	pattern, err := cleanPattern(in.Pattern)
	if err != nil {
		return Result{}, err
	}
	start, err := env.Workspace.Show(in.Path)
	if err != nil {
		return Result{}, err
	}
	data := searchData{Path: start, Pattern: pattern, Files: []string{}}
	stats, err := env.Workspace.Walk(ctx, in.Path, sandbox.WalkOptions{Gitignore: !in.Ignored}, func(e sandbox.Entry) error {
		if e.Kind != sandbox.KindFile || !doublestar.MatchUnvalidated(pattern, inside(start, e.Path)) {
			return nil
		}
		if data.Total++; len(data.Files) < env.Limits.MaxLines {
			data.Files = append(data.Files, e.Path)
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	data.Ignored = stats.Ignored
	data.Truncated = stats.Truncated || data.Total > len(data.Files)
	return Result{Text: data.text(stats, env.Limits), Data: data}, nil
}

// cleanPattern refuses patterns that are not valid or lead elsewhere.
func cleanPattern(pattern string) (string, error) {
	pattern = strings.TrimPrefix(pattern, "./")
	switch {
	case path.IsAbs(pattern) || strings.HasPrefix(pattern, `\`):
		return "", Refuse("the pattern must be relative; put the directory into path")
	case !doublestar.ValidatePattern(pattern):
		return "", Refuse("the pattern %q is not a valid glob", pattern)
	}
	for element := range strings.SplitSeq(pattern, "/") {
		if element == ".." {
			return "", Refuse("the pattern must not contain ..; put the directory into path")
		}
	}
	return pattern, nil
}

// inside gives path relative to the directory start, both as tools show them.
func inside(start, path string) string {
	if start == "." {
		return path
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, start), "/")
}

func (d searchData) text(stats sandbox.WalkStats, limits Limits) string {
	var notes []string
	if d.Total == 0 {
		notes = append(notes, fmt.Sprintf("no file below %s matches %s", d.Path, d.Pattern))
	}
	if stats.Ignored > 0 {
		notes = append(notes, fmt.Sprintf("… not searched: %s that .gitignore leaves out; include_ignored=true searches them too", entryCount(stats.Ignored)))
	}
	if stats.Truncated {
		notes = append(notes, fmt.Sprintf("… the search ended after %d entries; search in a subfolder", stats.Visited))
	}
	if stats.Unread > 0 {
		notes = append(notes, fmt.Sprintf("… %d folders could not be read", stats.Unread))
	}
	rows := make([]string, 0, len(d.Files))
	for _, file := range d.Files {
		rows = append(rows, visibleName(file))
	}
	return fitRows(rows, d.Total, notes, "files not shown; use a narrower pattern", limits)
}

// fitRows joins rows and notes, and leaves out rows at the end, with their number, until it fits.
func fitRows(rows []string, total int, notes []string, what string, limits Limits) string {
	tail := len(notes) + 1
	room := limits.MaxChars - markerChars
	for _, note := range notes {
		room -= len(note) + 1
	}
	kept := 0
	for kept < len(rows) && kept < limits.MaxLines-tail {
		if room -= len(rows[kept]) + 1; room < 0 {
			break
		}
		kept++
	}
	out := append([]string(nil), rows[:kept]...)
	if kept < total {
		out = append(out, fmt.Sprintf("… truncated: %d of %d %s", total-kept, total, what))
	}
	return strings.Join(append(out, notes...), "\n")
}
