package term

import (
	"fmt"

	"manualslop/events"
)

// budgetLine reports that most of a budget is spent.
func budgetLine(x events.BudgetWarned) string {
	whose := "the session"
	if x.Ticket != "" {
		whose = x.Ticket
	}
	return fmt.Sprintf("budget: %s of %s of %s spent", Dollars(x.SpentMicroDollars), Dollars(x.LimitMicroDollars),
		whose)
}

// shortenedLine reports what was left out of a conversation.
func shortenedLine(x events.ConversationShortened) string {
	whose := x.Ticket
	if x.Tier != 0 {
		whose = fmt.Sprintf("tier %d, %s", x.Tier, x.EventCorr())
	}
	return fmt.Sprintf("  %s: conversation shortened before round %d: %d results and %d views cut or left out, %d "+
		"rounds dropped (%d to %d tokens)",
		whose, x.Round, len(x.Shortened), len(x.Views), len(x.DroppedRounds), x.Before, x.After)
}

// Dollars formats micro-dollars.
func Dollars(micro int64) string { return fmt.Sprintf("$%.4f", float64(micro)/1e6) }

// Cost formats an amount in micro-dollars, part of which may have no known price.
func Cost(micro int64, unpriced bool) string {
	switch {
	case unpriced && micro == 0:
		return "cost unknown"
	case unpriced:
		return Dollars(micro) + " and more"
	case micro == 0:
		return "$0"
	}
	return Dollars(micro)
}
