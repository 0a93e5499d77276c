package tools

import (
	"context"
	_ "embed" // for the long text
)

//go:embed read_file.md
var readFileDoc string

type readFileArgs struct {
	Path      string `json:"path" doc:"file to read, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"first line to show, counted from 1; default 1" min:"1"`
	EndLine   int    `json:"end_line,omitzero" doc:"last line to show, inclusive; default the last" min:"1"`
	Info      bool   `json:"info,omitzero" doc:"also say size, lines, line ends, encoding and SHA-256, in a last line"`
}

// readFile answers with the text of a file.
func readFile() Tool {
	return Reader(Spec{
		Name: "read_file", Summary: "Read the text of a file.", Effect: Reads, Doc: readFileDoc,
	}, func(ctx context.Context, env Env, in readFileArgs) (Result, error) {
		return slice{tool: "read_file", path: in.Path, from: in.StartLine, to: in.EndLine, info: in.Info}.read(ctx, env)
	})
}
