package work

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/sessions"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers"
)

// maxFailedCalls is the number of failed calls that an error lists to choose from.
const maxFailedCalls = 5

func PatchCommand(g *site.Flags) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "patch [CALL]",
		Short: "Have tier 4 propose a patch for a failed shell call",
		Long: `Patch shows tier 4 the output of a failed shell call, by default the newest, and the
files that it seems to be about, and has it write a unified diff that fixes the
failure. The diff arrives as an ask (slop ask list) that shows what it would change;
if you approve it, all of it is applied or nothing. slop undo reverts it. If no patch
is proposed, a PatchSkipped event gives the reason. slop watch shows the ids of calls.
Status 1: the call does not exist or did not fail.`,
		Example: `  slop patch
  slop patch 01K2X8D4T0Q4V7N2C5M3B9R6ZY-0`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFailedCall(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			return askForPatch(cmd.Context(), g, session, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	return cmd
}

func askForPatch(ctx context.Context, g *site.Flags, session, call string) error {
	err := sessions.WithHistory(ctx, g, session, func(_ client.Client, s projections.Summary, past []events.Event) error {
		var err error
		session = s.Session
		call, err = failedCall(past, call)
		return err
	})
	if err != nil {
		return err
	}
	g.Notice("tier 4 reads call %s; its patch comes as an ask (slop ask list)", term.Visible(call))
	return control(ctx, g, session, client.ControlRequest{Action: "patch", Reaction: "", Payload: events.PatchRequested{
		Call: call}})
}

// failedCalls returns the shell calls that failed, newest first, with their outcomes.
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

// failedCall returns the failed call with this id or, without an id, the newest one.
func failedCall(past []events.Event, id string) (string, error) {
	all := failedCalls(past)
	if len(all) == 0 {
		return "", exit.Errorf(exit.Failed, "no shell call of this session failed, so there is nothing to fix")
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
	return "", exit.Errorf(exit.Failed, "no failed shell call %q in this session; the newest failed calls: %s",
		term.Visible(id), term.Visible(strings.Join(names, ", ")))
}

// completeFailedCall completes the failed calls of the current session of a running engine.
func completeFailedCall(g *site.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var out []string
		command.WhileRunning(g, cmd, args, func(ctx context.Context) error {
			return sessions.WithHistory(ctx, g, "", func(_ client.Client, _ projections.Summary, past []events.Event) error {
				for _, c := range failedCalls(past) {
					out = append(out, cobra.CompletionWithDesc(c.Call, term.Visible(term.OneLine(term.FirstOf(c.Stderr, c.Text)))))
				}
				return nil
			})
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
