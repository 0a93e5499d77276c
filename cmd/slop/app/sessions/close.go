package sessions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/team"
	"manualslop/projections"
)

func sessionCloseCommand(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "close [ID]",
		Short: "Give up a session",
		Long: `Close ends a session whose goal you give up: no model is called for it, none of its
calls starts, and none of its asks waits for you. Running work is stopped: a model
call in progress, a script with every process that it started. Text received until
then is recorded. Only an undo or a merge in progress finishes. The record stays,
and so do the changes in your files, which you can undo. Every engine of the project
works on all open sessions, whatever it was started for. Without an ID it is the
current session. Status 1: the session is already closed.`,
		Example:           `  slop sessions close 7QK2M4`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteSession(g, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return keepIf(cmd.Context(), g, append(args, "")[0], client.KeepRequest{Path: "/api/sessions/close",
				Body: struct{}{}, Payload: events.SessionClosed{Reason: team.ClosedByHand}}, stillOpen)
		},
	}
}

// stillOpen returns an error if the session is closed.
func stillOpen(s projections.Summary) error {
	if s.Closed != nil {
		return exit.Errorf(exit.Failed, "session %s is already closed: %s", s.Session, term.Clock(*s.Closed))
	}
	return nil
}

// maxNamedSessions limits the sessions that a notice names.
const maxNamedSessions = 5

// TellOthers prints which sessions other than that of a run are open: every engine works on all open sessions, and
// that costs money.
func TellOthers(ctx context.Context, g *site.Flags, log events.Log, project, session string) error {
	open, err := engine.OpenSessions(ctx, log, project)
	if err != nil {
		return err
	}
	if notice := othersNotice(engine.Without(open, session)); notice != "" {
		g.Notice("%s", notice)
	}
	return nil
}

// othersNotice names open sessions, newest first; empty if there are none.
func othersNotice(open []string) string {
	if len(open) == 0 {
		return ""
	}
	slices.Reverse(open)
	names := strings.Join(open[:min(len(open), maxNamedSessions)], ", ")
	if more := len(open) - maxNamedSessions; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("these sessions are still open and keep spending: %s\n`slop sessions` shows their state, `slop sessions "+
		"close ID` gives one up, `slop ask list --session ID` lists its asks", names)
}
