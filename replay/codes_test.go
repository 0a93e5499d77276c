package replay_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers"
)

// clerk is a decider for one purpose: it answers each GoalSubmitted with what
// decide gives.
func clerk(name string, decide func(cause *events.Event) []events.Payload) func() *tiers.Machine {
	type state struct{ due []events.Payload }
	return tiers.Decider[*state]{
		Name: name,
		New:  func() *state { return &state{} },
		Evolve: func(s *state, e *events.Event) *state {
			s.due = nil
			if e.Actor != name && e.Type == "GoalSubmitted" {
				s.due = decide(e)
			}
			return s
		},
		Decide: func(s *state, _ *events.Event) []events.Payload { return s.due },
	}.Start
}

// notes is a log written by hand.
type notes struct{ log []events.Event }

func (n *notes) add(t *testing.T, actor, cause string, ordinal uint64, p events.Payload) *events.Event {
	t.Helper()
	seq := uint64(len(n.log) + 1)
	e, err := events.New(events.Origin{ID: fmt.Sprintf("E%d", seq), Time: time.Unix(int64(seq), 0), Project: "p",
		Session: "s", Actor: actor, Cause: cause, N: ordinal}, p)
	require.NoError(t, err)
	e.Seq = seq
	n.log = append(n.log, e)
	return &n.log[len(n.log)-1]
}

func opened(t *testing.T) *notes {
	t.Helper()
	n := &notes{}
	n.add(t, "ada", "", 0, events.SessionOpened{Folder: "f"})
	return n
}

func requireCode(t *testing.T, want replay.Code, err error) *replay.Divergence {
	t.Helper()
	var d *replay.Divergence
	require.ErrorAs(t, err, &d)
	require.Equal(t, want, d.Code, d.Error())
	require.Contains(t, d.Error(), string(want)+" "+want.Name()+" at position ")
	return d
}

func TestCodesAreNumberedNamedAndNeverReused(t *testing.T) {
	t.Parallel()
	for i, c := range replay.Codes() {
		require.Equal(t, replay.Code(fmt.Sprintf("R%03d", i+1)), c.Code)
		require.NotEmpty(t, c.Name)
		require.Regexp(t, `^[A-Z].*\.$`, c.Meaning)
		require.Equal(t, c.Name, c.Code.Name())
	}
	require.Empty(t, replay.Code("R999").Name())
}

func TestAnEmptyRecordIsNoSession(t *testing.T) {
	t.Parallel()
	_, err := replay.Verify(nil, replay.Deciders()...)
	requireCode(t, replay.CodeNotOpened, err)
}

func TestSequencesMustIncrease(t *testing.T) {
	t.Parallel()
	for _, seqs := range [][2]uint64{{0, 1}, {2, 2}, {3, 2}} {
		n := opened(t)
		n.add(t, "ada", "", 0, events.PauseRequested{})
		n.log[0].Seq, n.log[1].Seq = seqs[0], seqs[1]
		_, err := replay.Verify(n.log)
		requireCode(t, replay.CodeSequence, err)
	}
}

func TestEventsBelongToOneSessionAndHaveAnID(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*events.Event){
		func(e *events.Event) { e.Session = "t" }, func(e *events.Event) { e.Project = "q" },
		func(e *events.Event) { e.ID = "" },
	} {
		n := opened(t)
		change(n.add(t, "ada", "", 0, events.PauseRequested{}))
		_, err := replay.Verify(n.log)
		require.Equal(t, 1, requireCode(t, replay.CodeEnvelope, err).Position)
	}
}

func TestAnAskEndsOnlyByAnEarlierEventAboutIt(t *testing.T) {
	t.Parallel()
	settled := func(outcome, by string) events.AskSettled {
		return events.AskSettled{Ask: "K", Gate: events.GateTool, Outcome: outcome, By: "ada", AnswerID: by}
	}
	byRule := func(gate string) events.AskSettled {
		return events.AskSettled{Ask: "K", Gate: gate, Outcome: events.Yes, By: "rule", AnswerID: "E2"}
	}
	allow := events.Rule{Tool: "edit_file", Action: "allow"}
	for name, c := range map[string]struct {
		said events.Payload
		by   string
		ask  events.AskSettled
		want replay.Code
	}{
		"a yes by a yes": {events.AskAnswered{Ask: "K", Decision: events.Yes}, "ada", settled(events.Yes, "E2"),
			""},
		"a no by a no":         {events.AskAnswered{Ask: "K", Decision: events.No}, "ada", settled(events.No, "E2"), ""},
		"expired by the timer": {events.TimerFired{Ask: "K"}, events.ActorTimers, settled(events.Expired, "E2"), ""},
		"a no by a kill":       {events.SessionClosed{}, "ada", settled(events.No, "E2"), ""},
		"a yes by a no": {events.AskAnswered{Ask: "K", Decision: events.No}, "ada", settled(events.Yes, "E2"),
			replay.CodeAnswer},
		"a yes by the timer": {events.TimerFired{Ask: "K"}, events.ActorTimers, settled(events.Yes, "E2"),
			replay.CodeAnswer},
		"a yes by a close": {events.SessionClosed{}, "ada", settled(events.Yes, "E2"), replay.CodeAnswer},
		"an answer to another": {events.AskAnswered{Ask: "L", Decision: events.Yes}, "ada", settled(events.Yes, "E2"),
			replay.CodeAnswer},
		"an answer to come": {events.AskAnswered{Ask: "K", Decision: events.Yes}, "ada", settled(events.Yes, "E4"),
			replay.CodeAnswer},
		"no answer": {events.AskAnswered{Ask: "K", Decision: events.Yes}, "ada", settled(events.Yes, ""),
			replay.CodeAnswer},
		"a no by a block":          {events.BlockRequested{}, "ada", settled(events.No, "E2"), ""},
		"a no by what is to come":  {events.BlockRequested{}, "ada", settled(events.No, "E4"), replay.CodeAnswer},
		"a yes by something else":  {events.PauseRequested{}, "ada", settled(events.Yes, "E2"), replay.CodeAnswer},
		"a yes by a rule":          {events.RuleAdded{Rule: allow}, "ada", byRule(events.GateTool), ""},
		"a yes by the rules":       {events.RulesReplaced{Rules: []events.Rule{allow}}, "ada", byRule(events.GateTool), ""},
		"a start by a rule":        {events.RuleAdded{Rule: allow}, "ada", byRule(events.GateSpawn), replay.CodeAnswer},
		"a rule in ada's name":     {events.RuleAdded{Rule: allow}, "ada", settled(events.Yes, "E2"), replay.CodeAnswer},
		"a yes by a worker's rule": {events.RuleAdded{Rule: allow}, "worker-1", byRule(events.GateTool), replay.CodeAnswer},
		"an answer of a worker": {events.AskAnswered{Ask: "K", Decision: events.Yes}, "worker-1",
			settled(events.Yes, "E2"), replay.CodeAnswer},
		"an answer of the gateway": {events.AskAnswered{Ask: "K", Decision: events.Yes}, events.ActorGateway,
			settled(events.Yes, "E2"), replay.CodeAnswer},
		"an answer of the contract": {events.AskAnswered{Ask: "K", Decision: events.Yes}, events.ActorContributor,
			settled(events.Yes, "E2"), replay.CodeAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := opened(t)
			n.add(t, c.by, "", 0, c.said)
			n.log[1].Payload = nil // as a reader decodes it
			n.add(t, events.ActorApproval, "E2", 1, c.ask)
			n.add(t, "ada", "", 0, events.AskAnswered{Ask: "K", Decision: events.Yes})
			_, err := replay.Verify(n.log)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, 2, requireCode(t, c.want, err).Position)
		})
	}
}

func TestAnApprovalByAskNeedsItsYes(t *testing.T) {
	t.Parallel()
	args := json.RawMessage(`{"a":1}`)
	digest, err := events.CanonicalDigest(args)
	require.NoError(t, err)
	approved := events.ToolApproved{Call: "C", Tool: "t", Args: args, ArgsSHA256: digest, Ask: "K", By: "ada",
		Generation: 1}
	n := opened(t)
	n.add(t, "ada", "", 0, events.AskAnswered{Ask: "K", Decision: events.No})
	n.add(t, events.ActorApproval, "E2", 1, events.AskSettled{Ask: "K", Outcome: events.No, AnswerID: "E2"})
	n.add(t, events.ActorApproval, "E2", 2, approved)
	_, err = replay.Verify(n.log)
	require.Equal(t, 3, requireCode(t, replay.CodeAnswer, err).Position)
}

func TestDigestsOfDecisionsAreComputedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		actor string
		p     events.Payload
	}{
		"manifest": {events.ActorQA, events.ModelRequested{Tier: 4, Manifest: []events.Part{{Role: "user"}},
			SHA256: "ab"}},
		"continues": {events.ActorQA, events.ModelRequested{Tier: 4, Continues: "lost", Keep: 1, SHA256: "ab"}},
		"approved":  {events.ActorApproval, events.ToolApproved{Args: json.RawMessage(`{}`), ArgsSHA256: "ab"}},
		"no canonical": {events.ActorApproval, events.ToolApproved{Args: json.RawMessage(`{"a":1,"a":2}`),
			ArgsSHA256: "ab"}},
		"asked":         {events.ActorApproval, events.AskRaised{Args: json.RawMessage(`{}`), ArgsSHA256: "ab"}},
		"reply":         {events.ActorModels, events.ModelReplied{Text: "a", SHA256: "ab"}},
		"a view's text": {"worker-1", events.ContextBuilt{Views: []events.View{{Path: "a", Text: "a", SHA256: "ab"}}}},
		"a view's lack": {"worker-1", events.ContextBuilt{Views: []events.View{{Path: "a", Text: "a"}}}},
		"a view's digest": {"worker-1", events.ContextBuilt{Views: []events.View{{Path: "a", Error: "gone"},
			{Path: "b", Blob: true, SHA256: "ab"}, {Path: "c", SHA256: "ab"}}}},
	} {
		n := opened(t)
		ordinal := uint64(1)
		if c.actor == events.ActorModels {
			ordinal = 0
		}
		n.add(t, c.actor, "", ordinal, c.p)
		_, err := replay.Verify(n.log)
		require.Equal(t, 1, requireCode(t, replay.CodeDigest, err).Position, name)
	}
}

func TestADeciderThatDoesNotSettleIsNamed(t *testing.T) {
	t.Parallel()
	n := opened(t)
	n.add(t, "ada", "", 0, events.GoalSubmitted{Goal: "x"})
	_, err := replay.Verify(n.log, tiers.Decider[int]{
		Name: "lead", New: func() int { return 0 }, Evolve: func(s int, _ *events.Event) int { return s },
		Decide: func(int, *events.Event) []events.Payload { return []events.Payload{events.PauseRequested{}} },
	}.Start)
	requireCode(t, replay.CodeDecider, err)
}

func TestNoticesOfADeciderAreNoDecisions(t *testing.T) {
	t.Parallel()
	n := opened(t)
	goal := n.add(t, "ada", "", 0, events.GoalSubmitted{Goal: "x"})
	starts := clerk(events.ActorConductor, func(*events.Event) []events.Payload {
		return []events.Payload{
			events.Paused{By: "a"}}
	})
	first, err := events.Decided(events.ActorConductor, *goal, 0, 1, events.Paused{By: "a"})
	require.NoError(t, err)
	first.Seq = 3
	n.log = append(n.log, first)
	n.add(t, events.ActorConductor, "", 0, events.SessionStalled{Decider: events.ActorConductor})
	again := n.log[3]
	again.Seq = 5
	n.log = append(n.log, again)
	report, err := replay.Verify(n.log, starts)
	require.NoError(t, err)
	require.Equal(t, 2, report.Notices, "a restarted process may say it again")
	require.Equal(t, []replay.Tally{{Decider: events.ActorConductor, Decided: 1}}, report.Deciders)
}

func TestADecisionOfAnUnknownTypeNeedsANewerProgram(t *testing.T) {
	t.Parallel()
	n := opened(t)
	n.add(t, events.ActorConductor, "E1", 1, events.Paused{By: "a"})
	n.log[1].Type, n.log[1].Payload = "PausedForTea", nil
	_, err := replay.Verify(n.log, clerk(events.ActorConductor, func(*events.Event) []events.Payload { return nil }))
	requireCode(t, replay.CodeNewer, err)
	_, err = replay.Verify(n.log)
	require.NoError(t, err, "who runs no decider needs to understand nothing")
}

// TestEveryPrefixOwesOnlyWhatFollows cuts a session everywhere: what is due
// then is exactly what the decider wrote next in the whole session, and paying
// it in order makes the prefix whole.
func TestEveryPrefixOwesOnlyWhatFollows(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			history := play(4, s.script)
			for n := 1; n < len(history); n++ {
				report, err := replay.Verify(history[:n], replay.Deciders()...)
				if err == nil {
					require.Empty(t, report.Owed)
					continue
				}
				d := requireCode(t, replay.CodeOwed, err)
				require.Equal(t, n, d.Position)
				require.Equal(t, history[n-1].Seq, d.Seq)
				require.Equal(t, report.Owed[0], *d.Attempted)
				owed := map[string]int{}
				for _, o := range report.Owed {
					next := nextOf(history[n:], o.Actor, owed[o.Actor])
					owed[o.Actor]++
					require.Equal(t, next.ID, o.ID)
					require.Equal(t, string(next.Data), string(o.Data))
				}
			}
		})
	}
}

func nextOf(history []events.Event, actor string, n int) events.Event {
	own := slices.DeleteFunc(slices.Clone(history), func(e events.Event) bool { return e.Actor != actor })
	return own[n]
}
