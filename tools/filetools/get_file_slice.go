package filetools

import (
	"context"

	"manualslop/tools"
)

type getFileSliceArgs struct {
	Path      string `json:"path" doc:"file to read, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line" doc:"first line, counted from 1" min:"1"`
	EndLine   int    `json:"end_line" doc:"last line, inclusive" min:"1"`
	Info      bool   `json:"info,omitzero" doc:"also report size, lines, line ends, encoding and SHA-256, in a last line"`
}

// GetFileSlice returns the tool that shows a range of lines.
func GetFileSlice() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "get_file_slice", Summary: "Read a range of lines of a file (1-based, inclusive).", Effect: tools.Reads,
		Doc: "The answer is the unchanged text of the lines. If the file ends before end_line, a last line says how many " +
			"lines it has. As in read_file, long lines are cut in the middle, and encodings are named; info=true adds the " +
			"file's size, line ends and SHA-256.",
	}, func(ctx context.Context, env tools.Env, in getFileSliceArgs) (tools.Result, error) {
		return slice{tool: "get_file_slice", path: in.Path, from: in.StartLine, to: in.EndLine, info: in.Info}.read(ctx, env)
	})
}
