package app

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers"
)

// maxFailedCalls is how many failed calls are named to choose from.
const maxFailedCalls = 5

func patchCommand(g *globals) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "patch [CALL]",
		Short: "Have tier 4 propose a patch for a failed shell call",
		Long: `Patch shows tier 4 the output of a failed shell call, the newest one where none is
named, and the files that it seems to be about, and has it write a unified diff
that mends the failure. The diff comes as an ask (slop ask list) that shows what
it would change; with a yes all of it is applied, or nothing. slop undo takes it
back. Where no patch comes, a PatchSkipped event says why. The ids of calls stand
in slop watch. Status 1: there is no such failed call.`,
		Example: `  slop patch
  slop patch 01K2X8D4T0Q4V7N2C5M3B9R6ZY-0`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: g.completeFailedCall,
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.patch(cmd.Context(), session, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	return cmd
}

func (g *globals) patch(ctx context.Context, session, call string) error {
	err := g.withHistory(ctx, session, func(_ desk, s projections.Summary, past []events.Event) error {
		var err error
		session = s.Session
		call, err = failedCall(past, call)
		return err
	})
	if err != nil {
		return err
	}
	g.notice("tier 4 reads call %s; its patch comes as an ask (slop ask list)", visible(call))
	return g.control(ctx, session, controlRequest{"patch", "", events.PatchRequested{Call: call}})
}

// failedCalls are the shell calls that failed, newest first, with their outcomes.
func failedCalls(past []events.Event) []events.ToolSettled {
	var out []events.ToolSettled
	for _, e := range past {
		if p, ok := e.Payload.(events.ToolSettled); ok && tiers.WantsHint(p) {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// failedCall is the failed call of this id, the newest one for none.
func failedCall(past []events.Event, id string) (string, error) {
	all := failedCalls(past)
	if len(all) == 0 {
		return "", failed(exitFailed, "no shell call of this session failed, so there is nothing to mend")
	}
	if id == "" {
		return all[0].Call, nil
	}
	var names []string
	for _, c := range all {
		if c.Call == id {
			return id, nil
		}
		if len(names) < maxFailedCalls && !slices.Contains(names, c.Call) {
			names = append(names, c.Call)
		}
	}
	return "", failed(exitFailed, "no shell call %q failed in this session; the newest that did: %s", visible(id), visible(strings.Join(names, ", ")))
}

// completeFailedCall proposes the failed calls of the current session of a
// running engine.
func (g *globals) completeFailedCall(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	g.whileRunning(cmd, args, func(ctx context.Context) error {
		return g.withHistory(ctx, "", func(_ desk, _ projections.Summary, past []events.Event) error {
			for _, c := range failedCalls(past) {
				out = append(out, cobra.CompletionWithDesc(c.Call, visible(oneLine(firstOf(c.Stderr, c.Text)))))
			}
			return nil
		})
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}
