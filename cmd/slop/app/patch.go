package app

import (
	"github.com/spf13/cobra"

	"manualslop/events"
)

func patchCommand(g *globals) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "patch CALL",
		Short: "Have tier 4 propose a patch for a failed shell call",
		Long: `Patch shows tier 4 the output of a failed shell call and the files that it seems
to be about, and has it write a unified diff that mends the failure. The diff
comes as an ask (slop ask list) that shows what it would change; with a yes all
of it is applied, or nothing. slop undo takes it back. Where no patch comes, a
PatchSkipped event says why. The ids of calls stand in slop watch.`,
		Example: `  slop patch 01K2X8D4T0Q4V7N2C5M3B9R6ZY-0`,
		Args:    cobra.ExactArgs(1),
	}, func(a []string) controlRequest {
		return controlRequest{"patch", "", events.PatchRequested{Call: a[0]}}
	})
}
