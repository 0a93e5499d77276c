package contributor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

// checked begins a ticket whose check is "go test ./a".
func checked(change ...func(*events.Settings)) []events.Payload {
	return given(opened(append(change, longRun)...),
		starts(1, func(p *events.TicketStarted) { p.Ticket.Proof = "go test ./a" }), context())
}

// theCheck is the newest call that the engine asked for itself.
func theCheck(h *tierstest.History) events.ToolRequested {
	return h.Last("ToolRequested").Payload.(events.ToolRequested)
}

// checkRuns lets the check run to an outcome.
func checkRuns(outcome string) []events.Payload {
	return given(tierstest.With(func(h *tierstest.History) events.Payload {
		c := theCheck(h)
		return events.ToolApproved{Call: c.Call, Tool: c.Tool, Args: c.Args, ArgsSHA256: events.Digest(c.Args), Generation: 1}
	}), tierstest.With(func(h *tierstest.History) events.Payload {
		c := theCheck(h)
		return events.ToolSettled{Call: c.Call, Tool: c.Tool, Outcome: outcome, Text: "it says",
			SHA256:     events.Digest([]byte("it says")),
			ArgsSHA256: events.Digest(c.Args), Generation: 1, Interpreter: "bash"}
	}))
}

func checkDenied() events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ToolDenied{Call: theCheck(h).Call, Reason: "no rule"}
	})
}

func last(events []events.Payload) (given []events.Payload, when events.Payload) {
	return events[:len(events)-1], events[len(events)-1]
}

func TestTheCheckOfATicketIsRunBeforeItIsDone(t *testing.T) {
	t.Parallel()
	done := reply("DONE: it is.")
	claimed := given(checked(), done)
	skipped := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.HintSkipped{Call: theCheck(h).Call, Reason: "disabled"}
	})
	end := func(checked string) []events.Payload {
		return given(events.TicketResolved{Ticket: "T-1", Attempt: 1, Outcome: "done", Text: "DONE: it is.",
			Checked: checked})
	}
	passes, passed := last(checkRuns(events.ToolDone))
	ownRun := given(reply("", call("run_powershell", `{"script":" go test ./a\n"}`)), approve(0))
	write := given(reply("", read), approve(0), settle(0, events.ToolDone, "ok",
		withFiles(events.FileState{Path: "b.go", Written: true, SHA256: "cd"})), reread())
	proved := given(ownRun, settle(0, events.ToolDone, "ok", inShell), reread())
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "it is asked for", Given: checked(), When: done,
			Then: given(tierstest.Check(func(t testing.TB, p events.ToolRequested) {
				t.Helper()
				require.True(t, p.Check)
				require.Equal(t, []string{"run_powershell", `{"script":"go test ./a"}`, "T-1"}, []string{p.Tool, string(p.Args),
					p.Ticket})
			}))},
		{Name: "it passes", Given: given(claimed, passes), When: passed, Then: end("passed")},
		{Name: "nothing lets it run", Given: claimed, When: checkDenied(), Then: end("not run: no rule")},
		{Name: "it fails", Given: given(claimed, checkRuns(events.ToolFailed)), When: skipped,
			Then: given(decided[events.RefreshRequested]())},
		{Name: "the model reads why", Given: given(claimed, checkRuns(events.ToolFailed), skipped), When: reread(),
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				t.Helper()
				part := p.Manifest[len(p.Manifest)-1]
				require.Equal(t, []string{"user", "program"}, []string{part.Role, part.Origin})
				require.Equal(t, "You replied DONE:, but the ticket's check fails: `go test ./a`\n", part.Prefix)
				require.Equal(t, events.Digest([]byte("it says")), part.SHA256)
			}))},
		{Name: "the contributor ran it last", Given: given(checked(), proved), When: done, Then: end("passed")},
		{Name: "the contributor changed something since", Given: given(checked(), proved, write), When: done,
			Then: given(decided[events.ToolRequested]())},
		{Name: "the contributor's own run failed", Given: given(checked(), ownRun, settle(0, events.ToolFailed, "no",
			inShell), skipHint(0), reread()), When: done, Then: given(decided[events.ToolRequested]())},
	})
}

func TestAFailingCheckBlocksATicketInTheEnd(t *testing.T) {
	t.Parallel()
	skipped := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.HintSkipped{Call: theCheck(h).Call, Reason: "disabled"}
	})
	history := checked()
	for range contributor.MaxFailedChecks {
		history = given(history, reply("DONE: it is."), checkRuns(events.ToolFailed), skipped, reread())
	}
	tierstest.Run(t, contributor.Decider(), scenarios{{
		Name: "one more", Given: given(history, reply("DONE: it is."), checkRuns(events.ToolFailed)), When: skipped,
		Then: given(events.TicketResolved{Ticket: "T-1", Attempt: 1, Outcome: "blocked", Text: "DONE: it is.",
			Reason: "its check still fails: `go test ./a`"}),
	}})
}
