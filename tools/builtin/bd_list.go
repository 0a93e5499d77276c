package builtin

import (
	"context"
	_ "embed" // for the tool's documentation

	"manualslop/tools"
	"manualslop/tools/beads"
)

//go:embed bd_list.md
var bdListDoc string

type bdListArgs struct {
	StartLine int `json:"start_line,omitzero" doc:"first line of the answer to show, for long answers" min:"1"`
}

// bdList returns the tool that lists all beads.
func bdList() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "bd_list", Summary: "List all beads (tickets) of the project's Beads database.", Effect: tools.Reads,
		Doc: bdListDoc,
	}, func(ctx context.Context, env tools.Env, in bdListArgs) (tools.Result, error) {
		result, err := withBeads(ctx, env, func(t beads.Tracker) ([]beads.Bead, error) { return t.List(ctx) })
		if err != nil {
			return tools.Result{}, err
		}
		return tools.Paged(result.Text, result.Data, "bd_list", in.StartLine, env.Limits)
	})
}
