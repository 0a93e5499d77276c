package pytools

import (
	"context"
	"fmt"
	"strings"

	"manualslop/tools"
	"manualslop/tools/document"
	"manualslop/tools/python/outline"
)

type pyGetSkeletonArgs struct {
	Path              string `json:"path" doc:"Python file, relative to the workspace" min:"1"`
	PublicOnly        bool   `json:"public_only,omitzero" doc:"leave out names that are not in __all__ or, if it is missing, that begin with an underscore"`
	Comments          bool   `json:"comments,omitzero" doc:"keep the comments directly above definitions"`
	MaxDocstringLines int    `json:"max_docstring_lines,omitzero" doc:"shorten docstrings to at most this many lines; default: not shortened" min:"1"`
	StartLine         int    `json:"start_line,omitzero" doc:"line of the answer to continue from, for long answers" min:"1"`
}

type skeletonData struct {
	Path        string   `json:"path"`
	Skeleton    string   `json:"skeleton"`
	Lines       int      `json:"lines"`        // lines of the skeleton
	SourceLines int      `json:"source_lines"` // lines of the file
	Warnings    []string `json:"warnings"`
}

// PyGetSkeleton returns the tool that shows the signatures and docstrings of a file.
func PyGetSkeleton() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "py_get_skeleton", Summary: "Show a Python file without the bodies: imports, constants, signatures and " +
			"docstrings; bodies are replaced with `...`.", Effect: tools.Reads,
		Doc: "Use it to learn how to use a module without reading it whole. The answer is valid Python: imports, " +
			"decorators, constants and class attributes stay (long values become `...`), if and try stay where they hold " +
			"definitions or imports. Functions inside functions are left out. " +
			"For line numbers call `py_get_code_outline`. A file with syntax errors is shown as far as possible, below a " +
			"comment `# warning: line 3: …`.",
	}, func(ctx context.Context, env tools.Env, in pyGetSkeletonArgs) (tools.Result, error) {
		f, err := ReadPython(ctx, env, in.Path)
		if err != nil {
			return tools.Result{}, err
		}
		options := outline.SkeletonOptions{Comments: in.Comments, PublicOnly: in.PublicOnly,
			MaxDocstringLines: in.MaxDocstringLines}
		text, err := tools.Within(ctx, len(f.Text), func() string { return outline.Skeleton(f.File, options) })
		if err != nil {
			return tools.Result{}, err
		}
		if text == "" {
			text = fmt.Sprintf("# %s: no imports, constants, classes or functions\n", tools.OneLine(f.Disk.Path, 1_000))
		}
		data := skeletonData{Path: f.Disk.Path, Warnings: f.Warnings(), SourceLines: len(f.Lines)}
		for i := len(data.Warnings) - 1; i >= 0; i-- {
			text = "# warning: " + tools.OneLine(data.Warnings[i], 500) + "\n" + text
		}
		data.Skeleton, data.Lines = text, len(document.Lines(text))
		return tools.Paged(strings.TrimSuffix(text, "\n"), data, "py_get_skeleton", in.StartLine, env.Limits)
	})
}
