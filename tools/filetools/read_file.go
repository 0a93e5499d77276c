// Package filetools provides the tools that read, find and edit files as text.
package filetools

import (
	"context"
	_ "embed" // for the tool's documentation

	"manualslop/tools"
)

//go:embed read_file.md
var readFileDoc string

type readFileArgs struct {
	Path      string `json:"path" doc:"file to read, relative to the workspace" min:"1"`
	StartLine int    `json:"start_line,omitzero" doc:"first line to show, counted from 1; default 1" min:"1"`
	EndLine   int    `json:"end_line,omitzero" doc:"last line to show, inclusive; default the last" min:"1"`
	Info      bool   `json:"info,omitzero" doc:"also report size, lines, line ends, encoding and SHA-256, in a last line"`
}

// ReadFile returns the tool that shows the text of a file.
func ReadFile() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "read_file", Summary: "Read the text of a file.", Effect: tools.Reads, Doc: readFileDoc,
	}, func(ctx context.Context, env tools.Env, in readFileArgs) (tools.Result, error) {
		return slice{tool: "read_file", path: in.Path, from: in.StartLine, to: in.EndLine, info: in.Info}.read(ctx, env)
	})
}
