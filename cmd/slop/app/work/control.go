package work

import (
	"context"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/events"
)

// controlCommand returns a command with which a user controls a session.
func controlCommand(g *site.Flags, cmd *cobra.Command,
	request func(args []string) client.ControlRequest) *cobra.Command {
	var session string
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return control(cmd.Context(), g, session, request(args))
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	return cmd
}

// control sends a request and prints its outcome.
func control(ctx context.Context, g *site.Flags, session string, want client.ControlRequest) error {
	return client.With(ctx, g, session, func(d client.Client, session string) error {
		return controlAt(ctx, g, d, session,
			want)
	})
}

func controlAt(ctx context.Context, g *site.Flags, d client.Client, session string, want client.ControlRequest) error {
	pending, err := d.Control(ctx, session, want)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	state := "ok"
	if pending {
		state = "accepted"
		g.Notice("the request is recorded; the conductor has not answered yet")
	}
	if g.JSON {
		return g.PrintLine(map[string]string{"status": state})
	}
	g.Printf("%s\n", state)
	return nil
}

func PauseCommand(g *site.Flags) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "pause",
		Short: "Start no more tickets",
		Long: `Pause starts no further ticket until slop resume. Running tickets finish, and asks
can be answered meanwhile. Status 1: the session is already paused.`,
		Example: `  slop pause`,
		Args:    cobra.NoArgs,
	}, func([]string) client.ControlRequest {
		return client.ControlRequest{Action: "pause", Reaction: events.NameOf[events.Paused](),
			Payload: events.PauseRequested{}}
	})
}

func ResumeCommand(g *site.Flags) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "resume",
		Short: "End a pause",
		Long: `Resume lets tickets start again after slop pause. Status 1: the session is not
paused.`,
		Example: `  slop resume`,
		Args:    cobra.NoArgs,
	}, func([]string) client.ControlRequest {
		return client.ControlRequest{Action: "resume", Reaction: events.NameOf[events.Resumed](),
			Payload: events.ResumeRequested{}}
	})
}

func KillCommand(g *site.Flags) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "kill TICKET",
		Short: "End a ticket's running attempt",
		Long: `Kill ends the running attempt of a ticket: its calls are cancelled, the processes
that they started are killed, its asks are answered with no, and the ticket is
blocked until slop retry. Status 1: the ticket does not exist or is not running.`,
		Example:           `  slop kill T-003`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.CompleteTicket(g),
	}, func(a []string) client.ControlRequest {
		return client.ControlRequest{Action: "kill", Reaction: events.NameOf[events.TicketBlocked](),
			Payload: events.KillRequested{Ticket: a[0]}}
	})
}

func RetryCommand(g *site.Flags) *cobra.Command {
	var note string
	cmd := controlCommand(g, &cobra.Command{
		Use:   "retry TICKET",
		Short: "Try a blocked ticket again",
		Long: `Retry gives a blocked ticket another attempt, which starts clean and with the next
model of the tier's ladder. With --note the model reads a note, as with slop note.
Status 1: the ticket is not blocked, or it waits for a ticket that is.`,
		Example:           `  slop retry T-003`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.CompleteTicket(g),
	}, func(a []string) client.ControlRequest {
		return client.ControlRequest{Action: "retry", Reaction: events.NameOf[events.TicketRetried](),
			Payload: events.RetryRequested{Ticket: a[0], Note: note}}
	})
	noteFlag(cmd, &note)
	return cmd
}

func BlockCommand(g *site.Flags) *cobra.Command {
	var reason string
	cmd := controlCommand(g, &cobra.Command{
		Use:   "block TICKET",
		Short: "Block a ticket",
		Long: `Block prevents a ticket from starting, and with it every ticket that depends on it.
Only slop unblock undoes it. Status 1: it has started.`,
		Example:           `  slop block T-003 --reason "waits for the new API"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.CompleteTicket(g),
	}, func(a []string) client.ControlRequest {
		return client.ControlRequest{Action: "block", Reaction: events.NameOf[events.TicketBlocked](),
			Payload: events.BlockRequested{Ticket: a[0], Reason: reason}}
	})
	cmd.Flags().StringVar(&reason, "reason", "", "give the reason in `TEXT`")
	return cmd
}

func UnblockCommand(g *site.Flags) *cobra.Command {
	var note string
	cmd := controlCommand(g, &cobra.Command{
		Use:   "unblock TICKET",
		Short: "Put a blocked ticket back to todo",
		Long: `Unblock puts a blocked ticket back to todo, whoever blocked it. With --note the
model reads a note, as with slop note. Status 1: the ticket is not blocked, or it waits
for a ticket that is.`,
		Example:           `  slop unblock T-003`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: command.CompleteTicket(g),
	}, func(a []string) client.ControlRequest {
		return client.ControlRequest{Action: "unblock", Reaction: events.NameOf[events.TicketUnblocked](),
			Payload: events.UnblockRequested{Ticket: a[0], Note: note}}
	})
	noteFlag(cmd, &note)
	return cmd
}

func noteFlag(cmd *cobra.Command, note *string) {
	cmd.Flags().StringVar(note, "note", "", "give `TEXT` to the model as a note")
}

func NoteCommand(g *site.Flags) *cobra.Command {
	return controlCommand(g, &cobra.Command{
		Use:   "note TICKET TEXT",
		Short: "Give a note to the model that works on a ticket",
		Long: `Note adds a note to a ticket. A running attempt sends it with its next request to the
model; an attempt that was about to end continues. If the ticket has not started, waits
for an answer or is blocked, the note is kept: each later attempt begins with all notes.

A note may have up to 4096 bytes, a ticket up to 32 notes. Status 1: the ticket does
not exist or is completed.`,
		Example:           `  slop note T-003 "use the v2 API, the old one goes away"`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: command.CompleteTicket(g),
	}, func(a []string) client.ControlRequest {
		return client.ControlRequest{Action: "note", Reaction: events.NameOf[events.TicketNoted](),
			Payload: events.NoteRequested{Ticket: a[0], Note: a[1]}}
	})
}
