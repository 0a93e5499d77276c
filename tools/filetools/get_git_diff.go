package filetools

import (
	"context"
	_ "embed" // for the tool's documentation
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"manualslop/tools"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

//go:embed get_git_diff.md
var getGitDiffDoc string

type getGitDiffArgs struct {
	Path         string `json:"path" doc:"file or directory; deleted files too"`
	BaseRev      string `json:"base_rev,omitzero" doc:"older side: a commit, branch or tag; default HEAD"`
	HeadRev      string `json:"head_rev,omitzero" doc:"newer side; default the working tree"`
	Staged       bool   `json:"staged,omitzero" doc:"compare what is staged instead of the working tree"`
	StatOnly     bool   `json:"stat_only,omitzero" doc:"only the list of changed files with their counts"`
	ContextLines int    `json:"context_lines,omitzero" doc:"unchanged lines around each change; default 3" min:"1" max:"100"`
	StartLine    int    `json:"start_line,omitzero" doc:"first line of the answer to show, for long answers" min:"1"`
}

// gitDiffData is the structured result of a diff.
type gitDiffData struct {
	Path    string     `json:"path"`
	Base    string     `json:"base"`
	Head    string     `json:"head"`
	Files   []git.File `json:"files"`
	Added   int        `json:"added"`
	Removed int        `json:"removed"`
	Hidden  int        `json:"hidden,omitempty"` // number of changed files that are protected or inaccessible
}

// GetGitDiff returns the tool that shows changes in a git repository.
func GetGitDiff() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "get_git_diff", Summary: "Show what changed in a file or directory, between commits or against the working " +
			"tree.",
		Effect: tools.Reads | tools.Wide, Doc: getGitDiffDoc,
	}, gitDiff)
}

func gitDiff(ctx context.Context, env tools.Env, in getGitDiffArgs) (tools.Result, error) {
	shown, err := env.Workspace.Show(in.Path)
	if err != nil {
		return tools.Result{}, err
	}
	request := git.Request{
		Path: absolute(env, shown), Base: in.BaseRev, Head: in.HeadRev, Staged: in.Staged, StatOnly: in.StatOnly, Context: -1,
		Show: func(path string, tree bool) (string, bool) { return showChanged(ctx, env, path, tree) },
	}
	if in.ContextLines > 0 {
		request.Context = in.ContextLines
	}
	if request.Dir, err = nearestDirectory(env, shown); err != nil {
		return tools.Result{}, err
	}
	program, found := env.Git()
	if !found {
		return tools.Result{}, tools.Refuse("git is not installed on this machine; compare with read_file instead")
	}
	_, missing := env.Workspace.Stat(shown)
	diff, err := program.Diff(ctx, request)
	var problem *git.Problem
	if errors.As(err, &problem) {
		return tools.Result{}, tools.Refuse("%s", tools.OneLine(problem.Text, 500))
	}
	if err != nil {
		return tools.Result{}, err
	}
	if errors.Is(missing, fs.ErrNotExist) && !diff.Known {
		return tools.Result{}, tools.Refuse("%s exists neither in the workspace nor in %s; call search_files to find it",
			tools.VisibleName(shown), diff.Base)
	}
	return showDiff(env, shown, diff, in)
}

// absolute returns the real path for a result of Show.
func absolute(e tools.Env, shown string) string {
	if full := filepath.FromSlash(shown); filepath.IsAbs(full) {
		return full
	}
	return filepath.Join(e.Workspace.Primary(), filepath.FromSlash(shown))
}

// nearestDirectory returns the path itself if it is a directory, or the nearest existing directory above it.
func nearestDirectory(e tools.Env, shown string) (string, error) {
	for name := shown; ; name = path.Dir(name) {
		entry, err := e.Workspace.Stat(name)
		switch {
		case err == nil && entry.Kind == sandbox.KindDirectory:
			return absolute(e, name), nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		case name == "." || name == "/" || path.Dir(name) == name:
			return e.Workspace.Primary(), nil
		}
	}
}

// showChanged returns the displayed name of a changed file. It returns false if the file must not be shown
// because it is protected, outside the workspace, or a second name of a protected file.
func showChanged(ctx context.Context, e tools.Env, path string, tree bool) (string, bool) {
	shown, err := e.Workspace.Show(path)
	if err != nil || strings.Contains(path, `\`) && filepath.Separator == '/' {
		return "", false
	}
	if tree {
		if entry, err := e.Workspace.Stat(shown); err == nil && entry.Kind == sandbox.KindFile {
			if _, err := e.ReadFile(ctx, shown); errors.Is(err, sandbox.ErrDenied) {
				return "", false
			}
		}
	}
	return shown, true
}

func showDiff(e tools.Env, shown string, diff git.Diff, in getGitDiffArgs) (tools.Result, error) {
	data := gitDiffData{Path: shown, Base: diff.Base, Head: diff.Head, Files: diff.Files, Hidden: diff.Hidden}
	for _, f := range diff.Files {
		data.Added += f.Added
		data.Removed += f.Removed
	}
	head := fmt.Sprintf("%s against %s: %s, +%d −%d\n", diff.Head, diff.Base, counted(len(diff.Files), "file"), data.Added,
		data.Removed)
	if len(diff.Files) == 0 {
		head = fmt.Sprintf("no change in %s: %s against %s\n", shown, diff.Head, diff.Base)
	}
	if diff.Hidden > 0 {
		head += fmt.Sprintf("(%s not shown: protected or out of reach)\n", counted(diff.Hidden, "changed file"))
	}
	text := head + diff.Patch
	if in.StatOnly || in.StartLine > 1 || !tools.Fits(text, e.Limits) {
		text = head + statTable(diff.Files) + diff.Patch
	}
	return tools.Paged(strings.TrimSuffix(text, "\n"), data, "get_git_diff", in.StartLine, e.Limits)
}

// statTable formats one line per file.
func statTable(files []git.File) string {
	var b strings.Builder
	for _, f := range files {
		name := tools.VisibleName(f.Path)
		if f.OldPath != "" {
			name = tools.VisibleName(f.OldPath) + " → " + name
		}
		change := fmt.Sprintf("+%d −%d", f.Added, f.Removed)
		if f.Binary {
			change = "binary"
		}
		fmt.Fprintf(&b, "  %s %s %s\n", f.Status, name, change)
	}
	return b.String()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
