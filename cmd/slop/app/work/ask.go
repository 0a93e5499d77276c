// Package work implements the commands that show what a session did, and those with which a user answers, controls
// and undoes it.
package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/events/policy/commands"
	"manualslop/projections"
	"manualslop/tiers/approval"
)

// maxEdit bounds an edited payload in bytes.
const maxEdit = events.MaxArgs

func AskCommand(g *site.Flags) *cobra.Command {
	cmd := listsAsks(g, &cobra.Command{
		Use:   "ask",
		Short: "List asks that wait for you, and answer them",
		Long: `Ask is your inbox: the tool calls, steps, starts and questions of programs that wait
for you. An answer is one event in the log. The first answer counts; everyone else
is told who gave it and when. Without a command, ask lists what is waiting, as slop
ask list does.

It uses the engine of the data folder, or a bus with --nats URL
--creds FILE. Ids may be abbreviated to a unique beginning or end.`,
		Example: `  slop ask
  slop ask show 7QK2M4
  slop ask answer 7QK2M4 yes
  slop ask answer 7QK2M4 no --reason "not that file"`,
	})
	cmd.AddCommand(askListCommand(g), askShowCommand(g), askAnswerCommand(g))
	return cmd
}

func askListCommand(g *site.Flags) *cobra.Command {
	return listsAsks(g, &cobra.Command{
		Use:   "list",
		Short: "List what waits for you, oldest first",
		Long: `List prints one line per ask: its id, shortened as far as it stays unique, how long
it has waited, its gate, its ticket and what it is about. With --json each line is
the whole ask as GET /api/asks returns it. It uses the running engine, or opens the
store if no engine is running.`,
		Example: `  slop ask list
  slop ask list --all --json`,
	})
}

// listsAsks makes a command list the asks of a session.
func listsAsks(g *site.Flags, cmd *cobra.Command) *cobra.Command {
	var session string
	var all bool
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return withOpenedAsks(cmd.Context(), g, session, client.OpenRecord, func(ctx context.Context, d client.Client,
			session string, asks []client.Ask) error {
			if err := printAsks(g, asks, all, time.Now()); err != nil {
				return err
			}
			open := slices.ContainsFunc(asks, client.Ask.Open)
			if b, alone := d.(*client.Bus); open && alone && b.Conns.Server != nil {
				g.Notice("no engine is running; answer with `slop run --resume`, or start `slop serve`")
			}
			return tellOtherAsks(ctx, g, d, session)
		})
	}
	cmd.Flags().StringVar(&session, "session", "", "use session `ID` instead of the current one")
	cmd.Flags().BoolVar(&all, "all", false, "list settled asks too")
	return cmd
}

// withAsks calls fn with the asks of a session and a client of their engine.
func withAsks(ctx context.Context, g *site.Flags, session string, f func(ctx context.Context, d client.Client,
	session string, asks []client.Ask) error) error {
	return withOpenedAsks(ctx, g, session, client.Open, f)
}

func withOpenedAsks(ctx context.Context, g *site.Flags, session string, open func(context.Context, *site.Flags,
	site.Place) (client.Client, error), f func(ctx context.Context, d client.Client, session string,
	asks []client.Ask) error) error {
	return client.WithOpened(ctx, g, session, open, func(d client.Client, s projections.Summary) error {
		asks, err := d.Asks(ctx, s.Session)
		if err != nil {
			return err
		}
		return f(ctx, d, s.Session, asks)
	})
}

// printAsks prints the inbox.
func printAsks(g *site.Flags, asks []client.Ask, all bool, now time.Time) error {
	short := client.ShortIDs(askIDs(asks))
	rows := [][]string{{"ID", "AGE", "GATE", "TICKET", "TITLE"}}
	for _, a := range asks {
		switch {
		case !all && !a.Open():
		case g.JSON:
			if err := g.PrintLine(a); err != nil {
				return err
			}
		default:
			title := term.OneLine(a.Title)
			if a.Settled != nil {
				title += " [" + a.Settled.Outcome + " by " + a.Settled.By + "]"
			}
			rows = append(rows, []string{term.Visible(short[a.RequestID]), term.Age(now.Sub(a.RaisedAt)), a.Gate,
				term.Visible(term.OrDash(a.Ticket)), term.Visible(title)})
		}
	}
	switch {
	case g.JSON:
	case len(rows) == 1:
		g.Printf("nothing waits for you\n")
	default:
		term.PrintTable(g.Out, rows)
	}
	return nil
}

// tellOtherAsks prints the number of asks that wait in other open sessions.
func tellOtherAsks(ctx context.Context, g *site.Flags, d client.Client, session string) error {
	list, _, err := d.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.Session != session && s.Closed == nil && s.PendingAsks > 0 {
			g.Notice("%d more in session %s: slop ask list --session %s", s.PendingAsks, s.Session, s.Session)
		}
	}
	return nil
}

func askIDs(asks []client.Ask) []string {
	ids := make([]string, len(asks))
	for i, a := range asks {
		ids[i] = a.RequestID
	}
	return ids
}

// findAsk returns the ask with the given id or abbreviation. The word step is the oldest open step: a step lets
// requests and calls go on to their own gates, and runs nothing.
func findAsk(asks []client.Ask, word string) (client.Ask, error) {
	if word == events.GateStep {
		for _, a := range asks {
			if a.Gate == events.GateStep && a.Open() {
				return a, nil
			}
		}
		return client.Ask{}, exit.Errorf(exit.Failed, "no step waits for you in this session")
	}
	id, err := client.ExpandID("ask", word, askIDs(asks))
	if err != nil {
		return client.Ask{}, err
	}
	for _, a := range asks {
		if a.RequestID == id {
			return a, nil
		}
	}
	return client.Ask{}, exit.Errorf(exit.Failed, "no ask %q in this session", word)
}

// askAnswerOptions are the flags of slop ask answer.
type askAnswerOptions struct {
	session, edit, reason, text, scope string
	rule                               []string
}

// rules reports whether the answer makes a rule.
func (o askAnswerOptions) rules() bool { return len(o.rule) > 0 || o.scope != "" }

func askAnswerCommand(g *site.Flags) *cobra.Command {
	var o askAnswerOptions
	cmd := &cobra.Command{
		Use:   "answer ID [yes|no]",
		Short: "Answer an ask",
		Long: `Answer answers an ask with yes or no. With --edit you approve other arguments: the JSON
in FILE, or on standard input for "-", replaces the payload. It must match the tool's
schema, and deny rules apply to it too. For the start of a ticket it can contain
the prompt and the files; for a step, the texts of messages or the calls with their
arguments, as slop ask show --json prints them; calls that are left out do not run.
Instead of the ID of a step you may write step: the oldest one waiting.
With --text you answer a model's question: the text, or the number of a choice.

With --rule the answer is yes to this ask and to everything that PATTERN covers from now
on: a command for run_powershell, a path for tools with files. --scope limits the rule to
the ticket or the session (default); config writes it into your configuration file.
--rule "" covers every call of a tool without files. Without
--rule, --scope prints the proposed rule, the other open asks that it would settle, and
the command that records it; nothing is answered, status 1. The rule also settles the
other open asks that it covers. A rule that would leave this ask open is an error, and
nothing is answered.

Status 1: the answer was not accepted, because the ask is unknown, the payload is not
valid, or somebody else answered first (the error names them). Status 3: the answer is
recorded but not settled yet, because approval is not running.`,
		Example: `  slop ask answer 7QK2M4 yes
  slop ask answer 7QK2M4 no --reason "use the helper instead"
  slop ask show 7QK2M4 --json | jq .args > args.json
  slop ask answer 7QK2M4 yes --edit args.json
  slop ask answer step yes
  slop ask answer 7QK2M4 --text "the v2 API"
  slop ask answer 7QK2M4 --rule "go test *" --scope ticket`,
		Args: func(_ *cobra.Command, args []string) error {
			if o.text != "" {
				if len(args) != 1 || o.edit != "" || o.rules() {
					return errors.New("give --text only with the ID of an ask")
				}
				return nil
			}
			if o.rules() {
				if len(args) != 1 && (len(args) != 2 || args[1] != events.Yes) || o.edit != "" {
					return errors.New("--rule and --scope need the ID of an ask; they cannot be combined with no or --edit")
				}
				return nil
			}
			if len(args) != 2 || args[1] != events.Yes && args[1] != events.No {
				return errors.New("give the ID of an ask, and yes or no")
			}
			if o.edit != "" && args[1] != events.Yes {
				return errors.New("--edit can only be used with yes")
			}
			return nil
		},
		ValidArgsFunction: completeAnswer(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			open := client.Open
			given := client.Answer{Approved: o.text != "" || o.rules() || args[1] == events.Yes, Reason: o.reason}
			if o.rules() {
				given.Rule = &client.RuleWanted{Patterns: o.rule, Scope: o.scope}
				if len(o.rule) == 1 && o.rule[0] == "" {
					given.Rule.Patterns = []string{}
				}
				open = client.OpenSameVersion
			}
			var err error
			if given.Args, err = readEdit(g, o.edit); err != nil {
				return err
			}
			return withOpenedAsks(cmd.Context(), g, o.session, open, func(ctx context.Context, d client.Client, session string,
				asks []client.Ask) error {
				return answerAsk(ctx, g, d, session, asks, args[0], given, o.text)
			})
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "use session `ID` instead of the current one")
	cmd.Flags().StringVar(&o.edit, "edit", "", "answer yes to the payload in `FILE`, - for standard input")
	cmd.Flags().StringVar(&o.text, "text", "", "answer a model's question with `TEXT`")
	cmd.Flags().StringArrayVar(&o.rule, "rule", nil, "answer yes, also to everything that `PATTERN` covers from now on")
	cmd.Flags().StringVar(&o.scope, "scope", "", "`SCOPE` of the rule: ticket, session or config")
	cmd.Flags().StringVar(&o.reason, "reason", "", "record `TEXT` as the reason; the model sees it if the answer is no")
	return cmd
}

func answerAsk(ctx context.Context, g *site.Flags, d client.Client, session string, asks []client.Ask, word string,
	given client.Answer, text string) error {
	a, err := findAsk(asks, word)
	if err != nil {
		return err
	}
	if text != "" {
		given.Args = term.AnswerTo(a.Args, text)
	}
	if s := a.Settled; s != nil {
		return exit.Errorf(exit.Failed, "%w", &client.SettledError{Ask: a.RequestID, Outcome: s.Outcome, By: s.By, At: s.At})
	}
	if given.Rule != nil {
		if err := checkShown(ctx, g, d, session, a, *given.Rule); err != nil {
			return err
		}
	}
	pending, made, err := d.Answer(ctx, session, a, given)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	said := events.No
	if given.Approved {
		said = events.Yes
	}
	state := "ok"
	var uncounted error
	if pending {
		state = "accepted"
		uncounted = exit.Errorf(exit.Waiting, "the answer is recorded but not settled yet; check with `slop doctor` that "+
			"approval is running")
	}
	if g.JSON {
		return errors.Join(g.PrintLine(map[string]string{"status": state, "ask": a.RequestID, "decision": said}), uncounted)
	}
	g.Printf("%s: %s\n", term.Visible(a.RequestID), said)
	if made != nil {
		g.Printf("from now on: %s (%s)\n", term.Visible(approval.RuleText(*made)), term.Visible(made.Source))
	}
	return uncounted
}

// checkShown prints the proposed rule and what it settles. It returns an error unless the user gave the patterns.
func checkShown(ctx context.Context, g *site.Flags, d client.Client, session string, a client.Ask,
	want client.RuleWanted) error {
	proposed, err := client.ProposeRule(ctx, d, session, a, want)
	if err != nil {
		return exit.Errorf(exit.Failed, "the rule cannot be created: %w", err)
	}
	if want.Patterns != nil && len(want.Patterns) == len(proposed.Rule.Args) {
		return nil
	}
	if g.JSON {
		if err := g.PrintLine(proposed); err != nil {
			return err
		}
	} else {
		g.Printf("proposed: %s\n", term.Visible(approval.RuleText(proposed.Rule)))
		for _, other := range proposed.Settles {
			g.Printf("also settles: %s %s\n", term.Visible(other.RequestID), term.Visible(term.OneLine(other.Title)))
		}
	}
	record := "slop" + g.Where() + " ask answer " + a.RequestID + " --session " + session
	for _, pattern := range proposed.Rule.Args {
		record += " --rule " + commands.Quote(pattern)
	}
	if len(proposed.Rule.Args) == 0 {
		record += " --rule ''"
	}
	if want.Scope != "" {
		record += " --scope " + want.Scope
	}
	return exit.Errorf(exit.Failed, "nothing was answered; record this rule with `%s`", record)
}

// readEdit reads the payload that --edit names, or returns nil without the flag.
func readEdit(g *site.Flags, file string) (json.RawMessage, error) {
	var in io.Reader = g.In
	switch file {
	case "":
		return nil, nil
	case "-":
	default:
		f, err := os.Open(file)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "--edit: %w", err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxEdit+1))
	switch {
	case err != nil:
		return nil, exit.Errorf(exit.Usage, "--edit: %w", err)
	case len(raw) > maxEdit:
		return nil, exit.Errorf(exit.Usage, "--edit: the payload is over the limit of %d bytes", maxEdit)
	case !json.Valid(raw):
		return nil, exit.Errorf(exit.Usage, "--edit: %s must contain JSON", fmt.Sprintf("%q", file))
	}
	return raw, nil
}

// completeAsk completes the ids of open asks.
func completeAsk(g *site.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		ctx, cancel := context.WithTimeout(cmd.Context(), command.CompletionTime)
		defer cancel()
		// Without an engine there is nothing to complete.
		_ = withAsks(ctx, g, "", func(_ context.Context, _ client.Client, _ string, asks []client.Ask) error {
			for _, a := range asks {
				if a.Open() {
					out = append(out, cobra.CompletionWithDesc(a.RequestID, term.Visible(term.OneLine(a.Title))))
				}
			}
			return nil
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeAnswer completes an id, then yes and no.
func completeAnswer(g *site.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return []string{events.Yes, events.No}, cobra.ShellCompDirectiveNoFileComp
		}
		return completeAsk(g)(cmd, args, word)
	}
}
