package builtin

import (
	"context"
	_ "embed" // for the tool's documentation

	"manualslop/tools"
	"manualslop/tools/beads"
)

//go:embed bd_update.md
var bdUpdateDoc string

type bdUpdateArgs struct {
	BeadID string `json:"bead_id" doc:"the id, as bd_list shows it" min:"1"`
	Status string `json:"status" doc:"open, in_progress, blocked, deferred, closed, or a status of the project's own" min:"1"`
}

// bdUpdate returns the tool that changes a bead's status.
func bdUpdate() tools.Tool {
	return tools.Outside(tools.Spec{
		Name: "bd_update", Summary: "Change the status of a bead (ticket).", Effect: tools.Writes, Doc: bdUpdateDoc,
	}, func(ctx context.Context, env tools.Env, in bdUpdateArgs) (tools.Result, error) {
		return withBeads(ctx, env, func(t beads.Tracker) ([]beads.Bead, error) {
			changed, err := t.Update(ctx, in.BeadID, in.Status)
			return []beads.Bead{changed}, err
		})
	})
}
