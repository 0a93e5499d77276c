package contributor_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

func TestARunBeginsWithItsContext(t *testing.T) {
	t.Parallel()
	wants := func(views ...events.ViewRequest) []events.Payload {
		return given(events.ContextRequested{Tier: 3, Track: "TR-1", Ticket: "T-1", Attempt: 1,
			Views: slices.Concat(tiers.RuleViews(), views)})
	}
	target := func(p *events.TicketStarted) { p.Ticket.TargetFile = "a.go" }
	requires := func(paths ...string) func(*events.TicketStarted) {
		return func(p *events.TicketStarted) { p.Ticket.ContextRequirements = paths }
	}
	raw := func(path string) events.ViewRequest { return events.ViewRequest{Path: path, View: "raw"} }
	skeleton := func(path string) events.ViewRequest {
		return events.ViewRequest{Path: path, View: "skeleton", Fallback: true}
	}
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "the tree where it names no file", Given: opened(), When: starts(1),
			Then: wants(events.ViewRequest{Path: ".", View: "tree"})},
		{Name: "the target", Given: opened(), When: starts(1, target), Then: wants(raw("a.go"))},
		{Name: "what the ticket requires, in its order", Given: opened(), When: starts(1, target, requires("c.go", "b.go")),
			Then: wants(raw("a.go"), skeleton("c.go"), skeleton("b.go"))},
		{Name: "each file once", Given: opened(), When: starts(1, target, requires("b.go", "a.go", "", "b.go")),
			Then: wants(raw("a.go"), skeleton("b.go"))},
		{Name: "nothing in a closed session", Given: given(opened(), events.SessionClosed{}), When: starts(1)},
	})
}

func TestTheFirstPrompt(t *testing.T) {
	t.Parallel()
	views := []events.View{
		{Path: ".", View: "tree", Text: "a.go", SHA256: "ab", Size: 4},
		{Path: "a.go", View: "raw", Text: "x", SHA256: "cd", Size: 1, File: &events.FileState{Path: "a.go", SHA256: "ef",
			Size: 1}},
		{Path: "b.go", View: "raw", Error: "no such file"},
	}
	builtID := tierstest.ID(4)
	tierstest.Run(t, contributor.Decider(), scenarios{
		{
			Name: "holds role, brief and the views by digest", Given: given(opened(),
				starts(1, func(p *events.TicketStarted) { p.Ticket.TargetFile = "a.go" })), When: context(views...),
			Then: given(asks(1, func(t testing.TB) []part {
				return []part{
					systemPart(t), {Role: "user", Text: "# Ticket T-1\n\nMend it\n\nTarget file: a.go\n"},
					{Role: "user", Prefix: "## . (tree)\n", SHA256: "ab", Size: 4, From: builtID, Suffix: "\n"},
					{Role: "user", Prefix: "## a.go (raw)\n", SHA256: "cd", Size: 1, From: builtID, Index: 1, Suffix: "\n"},
					{Role: "user", Text: "## b.go (raw)\nnot available: no such file\n"},
				}
			})),
		},
		{
			Name: "goes to the ladder's model with the tier's settings and the session's tools", Given: given(opened(),
				starts(2)), When: context(),
			Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				p.Manifest, p.SHA256 = nil, ""
				require.Equal(t, events.ModelRequested{StreamID: "Tier 3 (Worker): T-1", Track: "TR-1", Ticket: "T-1", Attempt: 1,
					TicketAttempt: 2, Round: 1, Tier: 3,
					Provider: "script", Model: "m1", Params: events.ModelParams{Temperature: &temperature, MaxOutputTokens: 100},
					Tools: []string{"read_file", "run_powershell"}}, p)
			})),
		},
		{Name: "is sent once", Given: round1(), When: events.ContextBuilt{Request: tierstest.FactID(events.ActorContributor,
			3, 0)}},
		{Name: "is not sent for somebody else's context", Given: given(opened(), starts(1)), When: events.ContextBuilt{
			Request: "X"}},
		{Name: "is not sent for a reply", Given: given(opened(), starts(1)), When: events.ModelReplied{
			Request: tierstest.FactID(events.ActorContributor, 3, 0), Text: "ok"}},
	})
}

func TestAWrongKindOfAnswerDoesNotUseUpTheRequest(t *testing.T) {
	t.Parallel()
	wrong := events.ModelFailed{Request: tierstest.FactID(events.ActorContributor, 3, 0)}
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "context", Given: given(opened(), starts(1), wrong), When: context(),
			Then: given(decided[events.ModelRequested]())},
	})
}

func TestTheLastWordEndsTheRun(t *testing.T) {
	t.Parallel()
	cut := tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ModelReplied{Request: h.LastID("ModelRequested"), Text: "It is", Finish: "max_tokens"}
	})
	say := func(text, outcome, reason string) tierstest.Scenario {
		return tierstest.Scenario{Name: text, Given: round1(), When: reply(text), Then: given(ends(outcome, text, reason))}
	}
	long := "BLOCKED: x" + strings.Repeat("é", contributor.MaxReason)
	tierstest.Run(t, contributor.Decider(), scenarios{
		say("DONE: it is.", "done", ""),
		say("**DONE:** it is.", "done", ""),
		say("# Done: it is.", "done", ""),
		say("<think>BLOCKED: perhaps</think>\nDONE: it is.", "done", ""),
		say("DONE\nIt is.", "done", ""),
		say("BLOCKED: no such file", "blocked", "no such file"),
		say("BLOCKED no such file\nI looked.", "blocked", "no such file"),
		say(" \nBLOCKED:  why \nmore", "blocked", "why"),
		say("BLOCKED:\nno such file\nmore", "blocked", "no such file"),
		say("BLOCKED", "blocked", ""),
		say("BLOCKED.", "blocked", "."),
		say("**BLOCKED**: why", "blocked", "why"),
		say("blocked: why", "blocked", "why"),
		{Name: "a long reason is cut between characters", Given: round1(), When: reply(long),
			Then: given(ends("blocked", long, "x"+strings.Repeat("é", contributor.MaxReason/2-1)+"…"))},
		{Name: "a reply that was cut off", Given: round1(), When: cut,
			Then: given(ends("blocked", "It is", "the reply was cut off at its limit of 100 tokens"))},
		{Name: "nothing comes after it", Given: given(round1(), reply("DONE: it is.")), When: reply("It is not.")},
		{Name: "nothing comes of a second reply", Given: given(round1(), reply("", read)), When: reply("DONE: it is.")},
	})
}

func TestACutReplyWithCallsStillRunsThem(t *testing.T) {
	t.Parallel()
	cut := tierstest.With(func(h *tierstest.History) events.Payload {
		id := h.LastID("ModelRequested")
		return events.ModelReplied{Request: id, Finish: "max_tokens", Calls: []events.ToolCall{{ID: events.CallID(id, 0),
			Name: "read_file", Args: json.RawMessage(`{}`)}}}
	})
	tierstest.Run(t, contributor.Decider(), scenarios{{Name: "calls", Given: round1(), When: cut,
		Then: given(decided[events.ToolRequested]())}})
}

func TestAFailedModelIsAskedAgain(t *testing.T) {
	t.Parallel()
	again := func(attempt, n int, wait time.Duration) events.Payload {
		return tierstest.Check(func(t testing.TB, p events.ModelRequested) {
			t.Helper()
			require.Equal(t, attempt, p.Attempt)
			require.Equal(t, 1, p.TicketAttempt)
			require.Equal(t, tierstest.At(n).Add(wait), *p.NotBefore)
			require.Equal(t, []part{systemPart(t), briefPart}, p.Manifest)
		})
	}
	after := func(ms int64) events.Payload {
		return tierstest.With(func(h *tierstest.History) events.Payload {
			return events.ModelFailed{Request: h.LastID("ModelRequested"), Kind: events.ModelRateLimited, RetryAfterMS: ms}
		})
	}
	overloaded := failed(events.ModelOverloaded)
	blocked := func(kind string) []events.Payload { return given(ends("blocked", "", "model "+kind+": oh")) }
	table := scenarios{
		{Name: "after a quarter of a second", Given: round1(), When: overloaded,
			Then: given(again(2, 5, 250*time.Millisecond))},
		{Name: "then after half a second", Given: given(round1(), overloaded), When: overloaded,
			Then: given(again(3, 6, 500*time.Millisecond))},
		{Name: "not a fourth time", Given: given(round1(), overloaded, overloaded), When: overloaded,
			Then: blocked("overloaded")},
		{Name: "when the provider says", Given: round1(), When: after(7000), Then: given(again(2, 5, 7*time.Second))},
		{Name: "at most a minute later", Given: round1(), When: after(60_001), Then: given(again(2, 5, time.Minute))},
		{Name: "a reply to the second attempt goes on", Given: given(round1(), overloaded), When: reply("DONE: it is."),
			Then: given(ends("done", "DONE: it is.", ""))},
		{
			Name: "a reply to the first attempt does not count any more", Given: given(round1(), overloaded),
			When: events.ModelReplied{Request: tierstest.FactID(events.ActorContributor, 4, 0), Text: "DONE: it is."},
		},
		{Name: "the next round begins at the first attempt", Given: given(round1(), overloaded, reply("", read), ran(0, "x")),
			When: reread(), Then: given(tierstest.Check(func(t testing.TB, p events.ModelRequested) {
				require.Equal(t, 1, p.Attempt)
				require.Nil(t, p.NotBefore)
			}))},
	}
	for _, kind := range []string{events.ModelNetwork, events.ModelIncomplete, events.ModelRateLimited} {
		table = append(table, tierstest.Scenario{Name: kind, Given: round1(), When: failed(kind),
			Then: given(again(2, 5, 250*time.Millisecond))})
	}
	for _, kind := range []string{events.ModelAuth, events.ModelRefused, events.ModelInvalidRequest, events.ModelExhausted,
		events.ModelCancelled, "odd"} {
		table = append(table, tierstest.Scenario{Name: kind, Given: round1(), When: failed(kind), Then: blocked(kind)})
	}
	tierstest.Run(t, contributor.Decider(), table)
}

func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	noLimit := opened(func(s *events.Settings) { s.Tiers[0].MaxRounds = 0 })
	forty := given(noLimit, starts(1), context())
	for range contributor.DefaultMaxRounds - 1 {
		forty = append(forty, aRound()...)
	}
	last := given(reply("", read), ran(0, "text"))
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "the last one is sent", Given: given(round1(), aRound(), reply("", read), ran(0, "text")), When: reread(),
			Then: given(decided[events.ModelRequested]())},
		{Name: "its last word counts", Given: given(round1(), aRound(), aRound()), When: reply("DONE: it is."),
			Then: given(ends("done", "DONE: it is.", ""))},
		{Name: "no other comes", Given: given(round1(), aRound(), aRound(), last), When: reread(),
			Then: given(ends("blocked", "", "no end after 3 rounds"))},
		{Name: "forty where the settings do not say", Given: forty, When: reply("DONE: it is."),
			Then: given(ends("done", "DONE: it is.", ""))},
		{Name: "not forty-one", Given: given(forty, last), When: reread(),
			Then: given(ends("blocked", "", "no end after 40 rounds"))},
	})
}

// TestStepMode is about steps that show nothing, and of which calls have none: those of decisions 2.
func TestStepMode(t *testing.T) {
	t.Parallel()
	older := func(change ...func(*events.Settings)) []events.Payload { return decidesAs(2, opened(change...)) }
	olderRound1 := given(older(stepMode), starts(1), context())
	waits := func(round int) events.Payload {
		return events.StepRequested{Ticket: "T-1", Attempt: 1, Round: round, Summary: "round " + string(rune('0'+round)) +
			" of T-1 goes to m1"}
	}
	yes := func(round int) events.Payload {
		return events.StepApproved{Ticket: "T-1", Attempt: 1, Round: round}
	}
	no := events.StepDenied{Ticket: "T-1", Attempt: 1, Round: 1, Reason: "enough", By: "ada"}
	final := events.TicketResolved{Ticket: "T-1", Attempt: 1, Outcome: "blocked", Reason: "step refused by ada: enough",
		Final: true}
	ofTheTicket := starts(1, func(p *events.TicketStarted) { p.Ticket.StepMode = true })
	sent := given(decided[events.ModelRequested]())
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "of the session", Given: given(older(stepMode), starts(1)), When: context(), Then: given(waits(1))},
		{Name: "of the ticket", Given: given(older(), ofTheTicket), When: context(), Then: given(waits(1))},
		{Name: "turned on", Given: given(older(), starts(1), events.StepModeSet{On: true}), When: context(),
			Then: given(waits(1))},
		{Name: "turned off", Given: given(older(stepMode), starts(1), events.StepModeSet{}), When: context(), Then: sent},
		{Name: "turned off, but not of the ticket", Given: given(older(), ofTheTicket, events.StepModeSet{}),
			When: context(), Then: given(waits(1))},
		{Name: "turned off while it waits", Given: olderRound1, When: events.StepModeSet{}},
		{Name: "yes", Given: olderRound1, When: yes(1), Then: sent},
		{Name: "yes twice", Given: given(olderRound1, yes(1)), When: yes(1)},
		{Name: "yes to another round", Given: olderRound1, When: yes(2)},
		{Name: "yes to another attempt", Given: olderRound1, When: events.StepApproved{Ticket: "T-1", Attempt: 2,
			Round: 1}},
		{Name: "yes to another ticket", Given: olderRound1, When: events.StepApproved{Ticket: "T-2", Attempt: 1,
			Round: 1}},
		{Name: "the next round waits again", Given: given(olderRound1, yes(1), reply("", read), ran(0, "x")),
			When: reread(), Then: given(waits(2))},
		{Name: "another attempt at the model does not wait", Given: given(olderRound1, yes(1)),
			When: failed(events.ModelNetwork), Then: sent},
		{Name: "no ends the run for good", Given: olderRound1, When: no, Then: given(final)},
		{Name: "no after yes", Given: given(olderRound1, yes(1)), When: no},
		{Name: "yes after no", Given: given(olderRound1, no), When: yes(1)},
	})
}
