package builtin

import (
	"context"
	_ "embed" // for the tool's documentation

	"manualslop/tools"
	"manualslop/tools/beads"
)

//go:embed bd_ready.md
var bdReadyDoc string

type bdReadyArgs struct {
	StartLine int `json:"start_line,omitzero" doc:"first line of the answer to show, for long answers" min:"1"`
}

// bdReady returns the tool that lists the beads that can be worked on.
func bdReady() tools.Tool {
	return tools.Reader(tools.Spec{
		Name: "bd_ready", Summary: "List the beads (tickets) that are ready: open, and not blocked by another.",
		Effect: tools.Reads, Doc: bdReadyDoc,
	}, func(ctx context.Context, env tools.Env, in bdReadyArgs) (tools.Result, error) {
		result, err := withBeads(ctx, env, func(t beads.Tracker) ([]beads.Bead, error) { return t.Ready(ctx) })
		if err != nil {
			return tools.Result{}, err
		}
		return tools.Paged(result.Text, result.Data, "bd_ready", in.StartLine, env.Limits)
	})
}
