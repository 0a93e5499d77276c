package approval_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

func histories() [][]events.Payload {
	off, on := false, true
	return [][]events.Payload{
		given(begin(spawnApproval), busy("T-1", 1), events.SettingsChanged{SpawnApproval: &off}, busy("T-2", 1),
			events.SettingsChanged{SpawnApproval: &on}, busy("T-3", 1)),
		given(begin(spawnApproval, gateTimeout(60_000)), busy("T-1", 1), busy("T-2", 1),
			events.PreviewBuilt{Call: "T-1-edit", Diff: "-a"}, answer(askID("tool", 17), "yes", editing(`{"path":"b"}`)),
			answer(askID("tool", 17), "no"),
			answer(askID("interrupted", 8), "yes"), answer("A-9", "yes"), events.TicketBlocked{Ticket: "T-2"},
			events.TicketKilled{Ticket: "T-1", Attempt: 1},
			events.TimerFired{Ask: askID("step", 11), Due: tierstest.At(1000)}, tierstest.By(tierstest.Agent,
				answer("A-9", "yes"))),
		given(begin(rules(deny("*", "docs/**", "[a"), allow("*", "src/**"), ask("odd"))), editOf("src/a"),
			wants("c2", "odd", `{"to":["docs/a",{"x":"docs/b"}]}`),
			wants("c3", "rm", `{}`), wants("c4", "move_file",
				`{"src_path":"src/a","dest_path":"/x","path":"docs/x","target":"src/b"}`), shell, edit,
			events.RuleAdded{Rule: yesRule},
			wants("c5", "odd", `{}`), answer(askID("tool", 4), "no"), events.SessionClosed{Reason: "over"}, shell),
		given(begin(budgeted(10*dollar, 5*dollar)), calls("T-1", 4*dollar), calls("T-2", 5*dollar), calls("", 3*dollar),
			answer(askID("budget", 3), "no"), priced,
			calls("T-1", 4*dollar), calls("T-2", 5*dollar), calls("T-3", 6*dollar), replied(8, 4*dollar),
			events.TicketKilled{Ticket: "T-3", Attempt: 1},
			events.BudgetRaiseRequested{Budget: "session", LimitMicroDollars: 20 * dollar}, calls("T-2", 5*dollar),
			replied(9, 5*dollar), calls("", dollar)),
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	tierstest.Laws(t, approval.Decider(), histories()...)
	tierstest.SilentAfterClose(t, approval.Decider(), histories()...)
}
