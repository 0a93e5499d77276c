package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"manualslop/events"
)

// maxEdit bounds an edited payload in bytes.
const maxEdit = events.MaxArgs

func askCommand(g *globals) *cobra.Command {
	return group(&cobra.Command{
		Use:   "ask",
		Short: "What waits for you, and your answers",
		Long: `Ask is the inbox: the tool calls, steps, starts and questions of programs that
wait for a person. Answering is one event on the log; whoever answers first
counts, and everybody else is told who that was and when.

It speaks to the engine of the data folder, or over a bus with --nats URL
--creds FILE. Ids may be abbreviated to a unique beginning or end.`,
		Example: `  slop ask list
  slop ask show 7QK2M4
  slop ask answer 7QK2M4 yes
  slop ask answer 7QK2M4 no --reason "not that file"`,
	}, askListCommand(g), askShowCommand(g), askAnswerCommand(g))
}

func askListCommand(g *globals) *cobra.Command {
	var session string
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "What waits for you, oldest first",
		Long: `List prints one line an ask: its id, shortened as far as it stays unique, how
long it waits, its gate, its ticket and what it is about. With --json each line
is the whole ask as GET /api/asks gives it.`,
		Example: `  slop ask list
  slop ask list --all --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withAsks(cmd.Context(), session, func(ctx context.Context, d desk, session string, asks []askLine) error {
				if err := g.printAsks(asks, all, time.Now()); err != nil {
					return err
				}
				return g.tellOtherAsks(ctx, d, session)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "look into session `ID` instead of the current one")
	cmd.Flags().BoolVar(&all, "all", false, "list settled asks too")
	return cmd
}

// withAsks hands over the asks of a session, and the desk that they lie on.
func (g *globals) withAsks(ctx context.Context, session string, f func(ctx context.Context, d desk, session string, asks []askLine) error) error {
	return g.withDesk(ctx, session, func(d desk, session string) error {
		asks, err := d.asks(ctx, session)
		if err != nil {
			return err
		}
		return f(ctx, d, session, asks)
	})
}

// printAsks prints the inbox.
func (g *globals) printAsks(asks []askLine, all bool, now time.Time) error {
	short := shortIDs(askIDs(asks))
	rows := [][]string{{"ID", "AGE", "GATE", "TICKET", "TITLE"}}
	for _, a := range asks {
		switch {
		case !all && !a.Open():
		case g.json:
			if err := g.printLine(a); err != nil {
				return err
			}
		default:
			title := oneLine(a.Title)
			if a.Settled != nil {
				title += " [" + a.Settled.Outcome + " by " + a.Settled.By + "]"
			}
			rows = append(rows, []string{visible(short[a.RequestID]), age(now.Sub(a.RaisedAt)), a.Gate, visible(orDash(a.Ticket)), visible(title)})
		}
	}
	switch {
	case g.json:
	case len(rows) == 1:
		g.printf("nothing waits for you\n")
	default:
		printTable(g.out, rows)
	}
	return nil
}

// tellOtherAsks says where else asks wait: in sessions that are open too.
func (g *globals) tellOtherAsks(ctx context.Context, d desk, session string) error {
	list, _, err := d.sessions(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.Session != session && s.Closed == nil && s.PendingAsks > 0 {
			g.notice("%d more in session %s: slop ask list --session %s", s.PendingAsks, s.Session, s.Session)
		}
	}
	return nil
}

func askIDs(asks []askLine) []string {
	ids := make([]string, len(asks))
	for i, a := range asks {
		ids[i] = a.RequestID
	}
	return ids
}

func orDash(s string) string { return firstOf(s, "-") }

// findAsk is the ask that a word means.
func findAsk(asks []askLine, word string) (askLine, error) {
	id, err := expandID("ask", word, askIDs(asks))
	if err != nil {
		return askLine{}, err
	}
	for _, a := range asks {
		if a.RequestID == id {
			return a, nil
		}
	}
	return askLine{}, failed(exitFailed, "there is no ask %q", word)
}

// askAnswerOptions are the flags of slop ask answer.
type askAnswerOptions struct{ session, edit, reason string }

func askAnswerCommand(g *globals) *cobra.Command {
	var o askAnswerOptions
	cmd := &cobra.Command{
		Use:   "answer ID yes|no",
		Short: "Answer an ask",
		Long: `Answer says yes or no to an ask. With --edit the answer is yes to another
payload: the JSON in FILE, or on standard input for "-", takes the place of what
was asked; it must fit the tool's schema, and rules that deny hold for it too.

Status 1 means that the answer did not count: the ask is unknown, the payload
does not fit, or somebody else was first, who is then named. Status 3: the answer is on
record, and nobody has counted it yet, because approval does not run.`,
		Example: `  slop ask answer 7QK2M4 yes
  slop ask answer 7QK2M4 no --reason "use the helper instead"
  slop ask show 7QK2M4 --json | jq .args > args.json
  slop ask answer 7QK2M4 yes --edit args.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 || args[1] != events.Yes && args[1] != events.No {
				return errors.New("give the ID of an ask, and yes or no")
			}
			if o.edit != "" && args[1] != events.Yes {
				return errors.New("--edit comes only with yes")
			}
			return nil
		},
		ValidArgsFunction: g.completeAnswer,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := answer{Approved: args[1] == events.Yes, Reason: o.reason}
			var err error
			if given.Args, err = g.readEdit(o.edit); err != nil {
				return err
			}
			return g.withAsks(cmd.Context(), o.session, func(ctx context.Context, d desk, session string, asks []askLine) error {
				return g.answerAsk(ctx, d, session, asks, args[0], given)
			})
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "look into session `ID` instead of the current one")
	cmd.Flags().StringVar(&o.edit, "edit", "", "answer yes to the payload in `FILE`, - for standard input")
	cmd.Flags().StringVar(&o.reason, "reason", "", "say why in `TEXT`; a no hands it to the model")
	return cmd
}

func (g *globals) answerAsk(ctx context.Context, d desk, session string, asks []askLine, word string, given answer) error {
	a, err := findAsk(asks, word)
	if err != nil {
		return err
	}
	if s := a.Settled; s != nil {
		return failed(exitFailed, "%w", &settledError{ask: a.RequestID, outcome: s.Outcome, by: s.By, at: s.At})
	}
	pending, err := d.answer(ctx, session, a, given)
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	said := events.No
	if given.Approved {
		said = events.Yes
	}
	state := "ok"
	var uncounted error
	if pending {
		state = "accepted"
		uncounted = failed(exitWaiting, "the answer is on record, and nobody has counted it; is approval running? `slop doctor` tells")
	}
	if g.json {
		return errors.Join(g.printLine(map[string]string{"status": state, "ask": a.RequestID, "decision": said}), uncounted)
	}
	g.printf("%s: %s\n", visible(a.RequestID), said)
	return uncounted
}

// readEdit reads the payload that --edit names; none without the flag.
func (g *globals) readEdit(file string) (json.RawMessage, error) {
	var in io.Reader = g.in
	switch file {
	case "":
		return nil, nil
	case "-":
	default:
		f, err := os.Open(file)
		if err != nil {
			return nil, failed(exitUsage, "--edit: %w", err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxEdit+1))
	switch {
	case err != nil:
		return nil, failed(exitUsage, "--edit: %w", err)
	case len(raw) > maxEdit:
		return nil, failed(exitUsage, "--edit: the payload is over the limit of %d bytes", maxEdit)
	case !json.Valid(raw):
		return nil, failed(exitUsage, "--edit: %s holds no JSON", fmt.Sprintf("%q", file))
	}
	return raw, nil
}
