package app

import (
	"context"

	"github.com/spf13/cobra"

	"manualslop/events"
	"manualslop/projections"
)

// controlCommand makes a command by which a person controls a session.
func controlCommand(g *globals, cmd *cobra.Command, request func(args []string) controlRequest) *cobra.Command {
	var session string
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return g.control(cmd.Context(), session, request(args))
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	return cmd
}

// control sends a request and says what came of it.
func (g *globals) control(ctx context.Context, session string, want controlRequest) error {
	return g.withDesk(ctx, session, func(d desk, session string) error { return g.controlAt(ctx, d, session, want) })
}

func (g *globals) controlAt(ctx context.Context, d desk, session string, want controlRequest) error {
	pending, err := d.control(ctx, session, want)
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	state := "ok"
	if pending {
		state = "accepted"
		g.notice("the request is on record; the conductor has not answered yet")
	}
	if g.json {
		return g.printLine(map[string]string{"status": state})
	}
	g.printf("%s\n", state)
	return nil
}

func pauseCommand(g *globals) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "pause",
		Short: "Start no more tickets",
		Long: `Pause starts no further ticket until slop resume. Tickets at work finish, and
asks can be answered meanwhile. Status 1: the session was paused already.`,
		Example: `  slop pause`,
		Args:    cobra.NoArgs,
	}, func([]string) controlRequest { return controlRequest{"pause", "Paused", events.PauseRequested{}} })
}

func resumeCommand(g *globals) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:     "resume",
		Short:   "End a pause",
		Long:    `Resume lets tickets start again after slop pause. Status 1: nothing was paused.`,
		Example: `  slop resume`,
		Args:    cobra.NoArgs,
	}, func([]string) controlRequest { return controlRequest{"resume", "Resumed", events.ResumeRequested{}} })
}

func killCommand(g *globals) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "kill TICKET",
		Short: "End a ticket's running attempt",
		Long: `Kill ends the running attempt of a ticket: its calls are cancelled, what they
started is killed, its asks are settled as a no, and the ticket is blocked until
slop retry. Status 1: there is no such ticket, or it is not running.`,
		Example:           `  slop kill T-003`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: g.completeTicket,
	}, func(a []string) controlRequest {
		return controlRequest{"kill", "TicketBlocked", events.KillRequested{Ticket: a[0]}}
	})
}

func retryCommand(g *globals) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "retry TICKET",
		Short: "Try a blocked ticket again",
		Long: `Retry gives a blocked ticket another attempt, which starts clean and with the
next model of the tier's ladder. Status 1: the ticket is not blocked, or waits
for another one that is.`,
		Example:           `  slop retry T-003`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: g.completeTicket,
	}, func(a []string) controlRequest {
		return controlRequest{"retry", "TicketRetried", events.RetryRequested{Ticket: a[0]}}
	})
}

func blockCommand(g *globals) *cobra.Command {
	var reason string
	cmd := controlCommand(g, &cobra.Command{
		Use:   "block TICKET",
		Short: "Block a ticket by hand",
		Long: `Block keeps a ticket that has not started from starting, and with it every ticket
that depends on it. Only slop unblock undoes it. Status 1: it has started.`,
		Example:           `  slop block T-003 --reason "waits for the new API"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: g.completeTicket,
	}, func(a []string) controlRequest {
		return controlRequest{"block", "TicketBlocked", events.BlockRequested{Ticket: a[0], Reason: reason}}
	})
	cmd.Flags().StringVar(&reason, "reason", "", "say why in `TEXT`")
	return cmd
}

func unblockCommand(g *globals) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "unblock TICKET",
		Short: "Put a blocked ticket back to todo",
		Long: `Unblock puts a blocked ticket back to todo, whoever blocked it. Status 1: the
ticket is not blocked, or waits for another one that is.`,
		Example:           `  slop unblock T-003`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: g.completeTicket,
	}, func(a []string) controlRequest {
		return controlRequest{"unblock", "TicketUnblocked", events.UnblockRequested{Ticket: a[0]}}
	})
}

// completeTicket proposes the tickets of the current session of a running engine.
func (g *globals) completeTicket(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	g.whileRunning(cmd, args, func(ctx context.Context) error {
		return g.withSession(ctx, "", func(_ context.Context, _ desk, _ projections.Summary, set *projections.Set) error {
			for _, t := range set.Tickets() {
				out = append(out, cobra.CompletionWithDesc(t.ID, visible(t.Status+": "+oneLine(t.Description))))
			}
			return nil
		})
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// whileRunning reads what can be proposed for the first argument where an engine
// runs; the store is not opened for a proposal.
func (g *globals) whileRunning(cmd *cobra.Command, args []string, read func(context.Context) error) {
	p, err := g.place()
	if err != nil || len(args) > 0 || g.remote(p) {
		return
	}
	if _, err := findEngine(p.data); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	_ = read(ctx) // what cannot be read is not proposed
}
