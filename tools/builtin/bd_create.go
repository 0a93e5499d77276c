package builtin

import (
	"context"
	_ "embed" // for the tool's documentation

	"manualslop/tools"
	"manualslop/tools/beads"
)

//go:embed bd_create.md
var bdCreateDoc string

type bdCreateArgs struct {
	Title       string `json:"title" doc:"one line, at most 500 characters" min:"1"`
	Description string `json:"description" doc:"what is to be done and why; may be empty"`
}

// bdCreate returns the tool that creates a bead. It has no plan, and an interrupted call is not repeated
// automatically, because that could create a second bead.
func bdCreate() tools.Tool {
	return tools.Outside(tools.Spec{
		Name: "bd_create", Summary: "Create a bead (ticket) in the project's Beads database.", Effect: tools.Writes,
		Doc: bdCreateDoc,
	}, func(ctx context.Context, env tools.Env, in bdCreateArgs) (tools.Result, error) {
		return withBeads(ctx, env, func(t beads.Tracker) ([]beads.Bead, error) {
			made, err := t.Create(ctx, in.Title, in.Description)
			return []beads.Bead{made}, err
		})
	})
}
