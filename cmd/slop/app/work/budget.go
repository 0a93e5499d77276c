package work

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"manualslop/cmd/slop/app/sessions"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/command"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/pricing"
)

func BudgetCommand(g *site.Flags) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "budget",
		Short: "Show and raise what a session may spend",
		Long: `Budgets limit spending: [budget] session and ticket in config.toml set them for new
sessions. Each model call is checked against them before it is sent. When one is
used up, an ask of the gate budget waits for slop ask answer. Raise needs no ask,
and reopens a budget that was stopped.`,
		Example: `  slop budget show
  slop budget raise 7.50
  slop budget raise 2 --ticket T-003`,
	}, budgetShowCommand(g), budgetRaiseCommand(g))
}

// budgetLineOf is one line of slop budget show --json. A limit of 0 means no limit.
type budgetLineOf struct {
	Budget             string `json:"budget"` // session or ticket
	Ticket             string `json:"ticket,omitempty"`
	LimitMicroDollars  int64  `json:"limit_micro_dollars"`
	SpentMicroDollars  *int64 `json:"spent_micro_dollars"`  // null if part of it has no known price
	PricedMicroDollars int64  `json:"priced_micro_dollars"` // the part whose price is known
}

func budgetShowCommand(g *site.Flags) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show limits and spending of the session and of each ticket",
		Long: `Show prints what the session and each of its tickets spent, with the limit if one is
set. Tokens with an unknown price are not included in any figure; the line says so.
With --json each line is one budget.`,
		Example: `  slop budget show
  slop budget show --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sessions.WithSession(cmd.Context(), g, session, func(_ context.Context, _ client.Client,
				_ projections.Summary, set *projections.Set) error {
				return printBudgets(g, budgetsOf(set))
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "show session `ID` instead of the current one")
	return cmd
}

// budgetsOf returns the session's budget and those of its tickets that spent something or have their own limit.
func budgetsOf(set *projections.Set) []budgetLineOf {
	var all pricing.Sum
	sums := map[string]*pricing.Sum{}
	for _, l := range set.Spending() {
		used := events.Usage{Input: l.Usage.Input, Output: l.Usage.Output, CacheRead: l.Usage.CacheRead,
			CacheWrite: l.Usage.CacheWrite, CacheWriteHour: l.Usage.CacheWriteHour}
		all.Add(used, l.Price)
		if l.Ticket != "" {
			if sums[l.Ticket] == nil {
				sums[l.Ticket] = &pricing.Sum{}
			}
			sums[l.Ticket].Add(used, l.Price)
		}
	}
	limits := set.Budgets()
	for ticket := range limits.Tickets {
		if sums[ticket] == nil {
			sums[ticket] = &pricing.Sum{}
		}
	}
	out := []budgetLineOf{lineOfBudget(events.BudgetSession, "", limits.Session, all)}
	for _, ticket := range slices.Sorted(maps.Keys(sums)) {
		out = append(out, lineOfBudget(events.BudgetTicket, ticket, limits.Of(ticket), *sums[ticket]))
	}
	return out
}

func lineOfBudget(kind, ticket string, limit int64, spent pricing.Sum) budgetLineOf {
	l := budgetLineOf{Budget: kind, Ticket: ticket, LimitMicroDollars: limit, PricedMicroDollars: spent.Priced()}
	if micro, known := spent.MicroDollars(); known {
		l.SpentMicroDollars = &micro
	}
	return l
}

func printBudgets(g *site.Flags, lines []budgetLineOf) error {
	rows := [][]string{{"BUDGET", "SPENT", "LIMIT"}}
	for _, l := range lines {
		if g.JSON {
			if err := g.PrintLine(l); err != nil {
				return err
			}
			continue
		}
		name, spent, limit := l.Budget, term.Dollars(l.PricedMicroDollars), "none"
		if l.Ticket != "" {
			name = term.Visible(l.Ticket)
		}
		if l.SpentMicroDollars == nil {
			spent += " plus tokens without a known price"
		}
		if l.LimitMicroDollars > 0 {
			limit = term.Dollars(l.LimitMicroDollars)
		}
		rows = append(rows, []string{name, spent, limit})
	}
	if !g.JSON {
		term.PrintTable(g.Out, rows)
	}
	return nil
}

func budgetRaiseCommand(g *site.Flags) *cobra.Command {
	var session, ticket string
	cmd := &cobra.Command{
		Use:   "raise DOLLARS",
		Short: "Set a higher limit",
		Long: `Raise sets a higher limit, in US dollars, for the session or, with --ticket, for one
ticket. It needs no ask; a pending ask for this budget is withdrawn, and waiting
work continues. Status 1: the budget does not exist, or the limit is not higher.`,
		Example: `  slop budget raise 7.50
  slop budget raise 2 --ticket T-003`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return raiseBudget(cmd.Context(), g, session, ticket, args[0])
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "act on session `ID` instead of the current one")
	cmd.Flags().StringVar(&ticket, "ticket", "", "raise the limit of `TICKET`")
	return cmd
}

func raiseBudget(ctx context.Context, g *site.Flags, session, ticket, amount string) error {
	limit, err := limitOf(amount)
	if err != nil {
		return err
	}
	want := events.BudgetRaiseRequested{Budget: events.BudgetSession, LimitMicroDollars: limit}
	if ticket != "" {
		want.Budget, want.Ticket = events.BudgetTicket, ticket
	}
	err = sessions.WithSession(ctx, g, session, func(_ context.Context, _ client.Client, _ projections.Summary,
		set *projections.Set) error {
		now := set.Budgets().Session
		if ticket != "" {
			now = set.Budgets().Of(ticket)
		}
		switch {
		case now == 0:
			return exit.Errorf(exit.Failed, "the session has no budget of this kind: set [budget] in config.toml before it "+
				"begins")
		case want.LimitMicroDollars <= now:
			return exit.Errorf(exit.Failed, "the limit is already %s; give a higher one", term.Dollars(now))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return control(ctx, g, session, client.ControlRequest{Action: "raise_budget", Reaction: "", Payload: want})
}

// limitOf parses a limit in dollars into micro-dollars.
func limitOf(amount string) (int64, error) {
	limit, err := strconv.ParseFloat(amount, 64)
	if err != nil || !(limit > 0 && limit <= events.MaxBudget/1e6) {
		return 0, exit.Errorf(exit.Usage, "the limit must be an amount in dollars, such as 7.50, got %q; the maximum is %d", amount,
			events.MaxBudget/1_000_000)
	}
	return config.Micro(limit), nil
}
