package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/projections"
)

func sessionCloseCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "close [ID]",
		Short: "Give up a session",
		Long: `Close ends a session whose goal is given up: no model is asked for it any more, no
call of it begins, and nothing of it waits for you. What runs is stopped: a model in the middle of its
answer, a script with everything that it started. What it said until then is on record. Only an undo and
a merge come to their end. Its record and what it changed in your files stay, and can be undone.
Every engine of the project goes on with each open session, whatever it was
started for. Without an ID it is the current session. Status 1: it is closed
already.`,
		Example:           `  slop sessions close 7QK2M4`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: g.completeSession(cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.keepIf(cmd.Context(), append(args, "")[0], keepRequest{"/api/sessions/close", struct{}{}, events.SessionClosed{Reason: hookgw.ClosedByHand}}, stillOpen)
		},
	}
}

// stillOpen is an error where nobody works on a session any more.
func stillOpen(s projections.Summary) error {
	if s.Closed != nil {
		return failed(exitFailed, "session %s is closed already: %s", s.Session, clock(*s.Closed))
	}
	return nil
}

// maxNamedSessions bounds how many sessions a notice names.
const maxNamedSessions = 5

// tellOthers says which sessions go on beside the one of a run: every engine
// works on all that are open, and that costs.
func (g *globals) tellOthers(ctx context.Context, log events.Log, project, session string) error {
	open, err := openSessions(ctx, log, project)
	if err != nil {
		return err
	}
	if notice := othersNotice(without(open, session)); notice != "" {
		g.notice("%s", notice)
	}
	return nil
}

// othersNotice names sessions that are open, newest first; empty where there are none.
func othersNotice(open []string) string {
	if len(open) == 0 {
		return ""
	}
	slices.Reverse(open)
	names := strings.Join(open[:min(len(open), maxNamedSessions)], ", ")
	if more := len(open) - maxNamedSessions; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("also open, and gone on with at its cost: %s\n`slop sessions` lists what they are at, `slop sessions close ID` gives one up, `slop ask list --session ID` shows what it asks", names)
}
