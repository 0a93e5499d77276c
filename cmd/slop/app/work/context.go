package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/aggregation"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// ContextCommand returns slop context.
func ContextCommand(g *site.Flags) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "context",
		Short: "Show the context that a model gets",
		Long: `Context shows the prompts of models as Markdown: the one that the next turn of a discussion
would send, and those on record.`,
		Example: `  slop context show "what does main.go do?"`,
	}, contextShow(g))
}

// contextOptions are the flags of slop context show.
type contextOptions struct {
	session string
	parts   bool
	keep    bool
	want    wire.ContextWanted
}

func contextShow(g *site.Flags) *cobra.Command {
	var o contextOptions
	cmd := &cobra.Command{
		Use:   "show [flags] [TEXT]",
		Short: "Print the context of the next turn, or of a recorded request",
		Long: `Show prints the context of the next turn of a discussion as Markdown, exactly as its model would
get it if TEXT were sent now; without TEXT it ends before the message. With --ticket it prints
the newest recorded request for a ticket or turn. Nothing is sent or recorded.

A comment before each part gives its number, kind and tokens. A table of the parts, with their
estimated tokens and their cost as input, without and with a cache, goes to standard error if the
output is a terminal or with --parts. A dash means that the price is unknown. With --json it is
one object, as GET /api/context/preview returns it.

--keep also writes the Markdown to a new file in the project's output_dir (md_gen), with the next
number, as the button btn_md_only does.

The code that builds the prompt also builds this context. Only the codes in the fences around files
that are read for it differ, because they derive from events that do not exist yet. Passages that
match TEXT are found by its words here, even if retrieval uses vectors, which would cost money.`,
		Example: `  slop context show "what does main.go do?"
  slop context show --ticket T-003 --parts
  slop context show --json --discussion main`,
		Args: func(_ *cobra.Command, args []string) error {
			recorded := o.want.Ticket != "" || o.want.Request != ""
			switch t := o.want.Turn; {
			case len(args) > 1:
				return errors.New("put TEXT into quotes")
			case o.want.Ticket != "" && o.want.Request != "":
				return errors.New("give --ticket or --request, not both")
			case recorded && (len(args) > 0 || t.Discussion != "" || t.Tier != 0 || t.Persona != "" || t.Model != ""):
				return errors.New("TEXT and the flags of the next turn cannot be combined with --ticket or --request")
			case o.want.Attempt < 0 || o.want.Attempt > 0 && o.want.Ticket == "":
				return errors.New("--attempt must be 1 or more, and needs --ticket")
			case t.Tier < 0 || t.Tier > 4:
				return fmt.Errorf("tier must be 1 to 4, got %d", t.Tier)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.want.Turn.Text = strings.Join(args, "")
			return showContext(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "use session `ID` instead of the current one")
	f.StringVar(&o.want.Turn.Discussion, "discussion", "", "show the context of the discussion `NAME` (default: the "+
		"active one)")
	f.IntVar(&o.want.Turn.Tier, "tier", 0, "show the request for the model of tier `N`; 0 means tier 3")
	f.StringVar(&o.want.Turn.Persona, "persona", "", "show the request for the persona `NAME`")
	f.StringVar(&o.want.Turn.Model, "model", "", "show the request for the model `NAME` of the tier's provider")
	f.StringVar(&o.want.Ticket, "ticket", "", "show the newest request of `TICKET`, or of a turn")
	f.IntVar(&o.want.Attempt, "attempt", 0, "show attempt `N` at the ticket; 0 is the newest")
	f.StringVar(&o.want.Request, "request", "", "show the request of the ModelRequested event `ID`")
	f.BoolVar(&o.keep, "keep", false, "also write it to a numbered file in the project's output_dir")
	f.BoolVar(&o.parts, "parts", false, "also print the table of the parts")
	if err := cmd.RegisterFlagCompletionFunc("ticket", command.CompleteTicket(g)); err != nil {
		panic(err) // the flag was just defined
	}
	if err := cmd.RegisterFlagCompletionFunc("discussion", completeDiscussion(g)); err != nil {
		panic(err) // the flag was just defined
	}
	return cmd
}

// completeDiscussion completes the discussions of the current session of a running engine.
func completeDiscussion(g *site.Flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var out []string
		command.WhileRunning(g, cmd, args, func(ctx context.Context) error {
			return client.With(ctx, g, "", func(d client.Client, session string) error {
				set, err := client.Folded(ctx, d, session)
				if err != nil {
					return err
				}
				for _, known := range set.Discussions() {
					out = append(out, known.Name)
				}
				return nil
			})
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func showContext(ctx context.Context, g *site.Flags, o contextOptions) error {
	p, err := g.Place()
	if err != nil {
		return err
	}
	secrets, err := p.Secrets()
	if err != nil {
		return err
	}
	return client.WithSession(ctx, g, o.session, func(d client.Client, s projections.Summary) error {
		past := client.HistoryOf(ctx, d, s.Session)
		if o.want.Ticket == "" && o.want.Request == "" {
			set, err := client.Folded(ctx, d, s.Session)
			if err != nil {
				return err
			}
			if o.want.Turn, err = nextTurn(set, o.want.Turn); err != nil {
				return err
			}
		}
		made, err := aggregation.Make(ctx, aggregation.Source{Past: past, Blobs: d.Blobs(), Person: p.Person,
			Views: aggregation.Files(p, term.NewMask(secrets))}, o.want)
		if err != nil {
			return exit.Errorf(exit.Failed, "%w", err)
		}
		if o.keep {
			if err := keepContext(ctx, g, p, d, s.Session, made); err != nil {
				return err
			}
		}
		return printContext(g, o, made)
	})
}

// keepContext writes a context to a numbered file of the project, as btn_md_only does.
func keepContext(ctx context.Context, g *site.Flags, p site.Place, d client.Client, session string,
	made wire.ContextPreview) error {
	set, err := client.Folded(ctx, d, session)
	if err != nil {
		return err
	}
	folder, name := set.ProjectOutput()
	file, err := engine.KeepContext(ctx, p, folder, name, made.Markdown)
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	g.Notice("kept in %s", term.Visible(file))
	return nil
}

// nextTurn returns a turn with the discussion as it reads now.
func nextTurn(set *projections.Set, turn events.TurnRequested) (events.TurnRequested, error) {
	var known bool
	turn.Discussion = cmp.Or(turn.Discussion, set.ActiveDiscussion())
	if turn.Entries, known = set.TurnEntries(turn.Discussion); !known {
		return turn, exit.Errorf(exit.Failed, "no discussion %s", term.Visible(turn.Discussion))
	}
	turn.Retrieval = set.Settings().Retrieval.Retrieval()
	if _, known := set.Settings().Roster.Persona(turn.Persona); turn.Persona != "" && !known {
		return turn, exit.Errorf(exit.Failed, "no persona %s", term.Visible(turn.Persona))
	}
	return turn, nil
}

func printContext(g *site.Flags, o contextOptions, made wire.ContextPreview) error {
	shown := term.IsTerminal(g.Out)
	switch {
	case g.JSON:
		return g.PrintLine(made)
	case shown:
		fmt.Fprint(g.Out, term.EachVisible(made.Markdown))
	default: // it may be kept, and then has the recorded digest
		fmt.Fprint(g.Out, made.Markdown)
	}
	if !shown && !o.parts {
		return nil
	}
	rows := [][]string{append([]string{"", "PART", "NAME"}, aggregation.Figures()...)}
	for _, p := range made.Parts {
		rows = append(rows, append([]string{strconv.Itoa(p.Number), p.Kind, term.Visible(p.Name)},
			aggregation.FiguresOf(p)...))
	}
	rows = append(rows, append([]string{"", "all", term.Visible(made.Provider + "/" + made.Model)},
		aggregation.FiguresOfAll(made)...))
	term.PrintTable(g.Err, rows)
	if reason := cmp.Or(made.NoPrice, made.NoCachedPrice); reason != "" {
		g.Notice("%s", reason)
	}
	return nil
}
