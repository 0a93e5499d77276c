package tierstest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/conductor"
	"manualslop/tiers/contributor"
	"manualslop/tiers/lead"
	"manualslop/tiers/planner"
	"manualslop/tiers/qa"
	"manualslop/tiers/tierstest"
)

func everyDecider() []tierstest.Starter {
	return []tierstest.Starter{
		conductor.Decider(), planner.Decider(), lead.Decider(), contributor.Decider(), qa.Decider(), approval.Decider(),
	}
}

// world plays models, workers and a person. Each contributor writes one file
// in its first round and is done in its second, unless its ticket is in fails.
type world struct {
	plans    map[string]string // reply of tier 1 by goal text, of tier 2 by track
	fails    map[string]int    // attempts at a ticket that give up
	asks     int
	held     []events.Payload // outcomes that wait, newest first, in lazy worlds
	lazy     bool
	requests int
}

func (w *world) script(e events.Event) []events.Payload {
	out := w.outcome(e)
	if !w.lazy {
		return out
	}
	w.held = slices.Insert(w.held, 0, out...)
	return nil
}

func (w *world) outcome(e events.Event) []events.Payload {
	switch x := e.Payload.(type) {
	case events.ContextRequested:
		b := events.ContextBuilt{Request: e.ID}
		for _, v := range x.Views {
			b.Views = append(b.Views, events.View{Path: v.Path, View: v.View, Text: "x", SHA256: events.Digest([]byte("x")),
				Size: 1})
		}
		return []events.Payload{b}
	case events.ModelRequested:
		w.requests++
		return []events.Payload{w.reply(e.ID, x)}
	case events.PreviewRequested:
		return []events.Payload{events.PreviewBuilt{Call: x.Call, Diff: "-a\n+b\n"}}
	case events.AskRaised:
		w.asks++
		return []events.Payload{events.AskAnswered{Ask: x.Ask, Decision: events.Yes}}
	case events.ToolApproved:
		return []events.Payload{events.ToolSettled{Call: x.Call, Tool: x.Tool, Outcome: events.ToolDone, Text: "ok",
			SHA256:     events.Digest([]byte("ok")),
			ArgsSHA256: x.ArgsSHA256, Generation: x.Generation}}
	case events.RefreshRequested:
		return []events.Payload{events.FilesUpdated{Request: e.ID, Ticket: x.Ticket}}
	}
	return nil
}

func (w *world) reply(id string, r events.ModelRequested) events.Payload {
	m := events.ModelReplied{Request: id, Finish: "stop", Text: "DONE: all."}
	switch {
	case r.Tier == 1:
		goal := r.Manifest[len(r.Manifest)-1].Text
		for _, text := range slices.Sorted(maps.Keys(w.plans)) {
			if strings.HasPrefix(goal, "# Goal\n\n"+text) {
				m.Text = w.plans[text]
			}
		}
	case r.Tier == 2:
		m.Text = w.plans[r.Track]
	case r.TicketAttempt <= w.fails[r.Ticket]:
		m.Text = "BLOCKED: it does not build"
	case r.Round == 1:
		m.Text, m.Finish = "", "tool_calls"
		m.Calls = []events.ToolCall{{ID: events.CallID(id, 0), Name: "write", Args: json.RawMessage(`{"path":"a.go"}`)}}
	}
	m.SHA256 = events.Digest([]byte(m.Text))
	return m
}

// play runs a session with every decider; a lazy world holds its outcomes back
// and gives the newest first.
func play(t *testing.T, w *world, said ...events.Payload) *tierstest.Sim {
	t.Helper()
	s := tierstest.Session(t, everyDecider()...)
	s.Script(w.script)
	s.Say(
		events.SessionOpened{Settings: events.Settings{MaxWorkers: 2, MaxRetries: 2, SpawnApproval: true,
			Tiers: []events.TierSettings{
				{Tier: 1, Provider: "script", Models: []string{"p"}}, {Tier: 2, Provider: "script", Models: []string{"l"}},
				{Tier: 3, Provider: "script", Models: []string{"w0", "w1", "w2"}, MaxRounds: 5}, {Tier: 4, Provider: "script",
					Models: []string{"q"}},
			}}},
		events.ToolsOffered{Tools: []events.ToolOffer{{Name: "write", Effect: "writes",
			Schema: json.RawMessage(`{"type":"object"}`)}}},
	)
	for _, p := range said {
		s.Say(p)
		for len(w.held) > 0 {
			next := w.held[0]
			w.held = w.held[1:]
			s.Say(next)
		}
	}
	return s
}

func tracks(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"id":"TR-%d","description":"track %d"}`, i+1, i+1))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func diamond(prefix string) string {
	item := func(id, deps string) string {
		return fmt.Sprintf(`{"id":%q,"description":"do %s","depends_on":[%s]}`, prefix+id, id, deps)
	}
	quote := func(id string) string { return fmt.Sprintf("%q", prefix+id) }
	return "Here:\n```json\n[" + strings.Join([]string{
		item("a", ""), item("b", quote("a")), item("c", quote("a")), item("d", quote("b")+","+quote("c")),
	}, ",") + "]\n```"
}

func TestAGoalGoesThroughEveryTier(t *testing.T) {
	t.Parallel()
	for _, lazy := range []bool{false, true} {
		t.Run(fmt.Sprintf("lazy=%v", lazy), func(t *testing.T) {
			t.Parallel()
			w := &world{lazy: lazy, plans: map[string]string{"Mend": tracks(2), "TR-1": diamond("x-"), "TR-2": diamond("y-")}}
			s := play(t, w, events.GoalSubmitted{Goal: "Mend it"})
			require.Len(t, tierstest.All[events.GoalCompleted](s.History), 1)
			require.Equal(t, []events.TrackCompleted{{Track: "TR-1"}, {Track: "TR-2"}},
				tierstest.All[events.TrackCompleted](s.History))
			require.Len(t, tierstest.All[events.TicketCompleted](s.History), 8)
			require.Equal(t, 16, w.asks, "each ticket asks for its start and for its write")
			require.Equal(t, 1+2+16, w.requests)
			neverMoreThan(t, s.Events(), 2)
			s.Restart(everyDecider()...)
		})
	}
}

// neverMoreThan checks how many tickets are between start and end at once.
func neverMoreThan(t *testing.T, log []events.Event, limit int) {
	t.Helper()
	running := 0
	for _, e := range log {
		switch e.Payload.(type) {
		case events.TicketStarted:
			running++
		case events.TicketCompleted, events.TicketBlocked, events.TicketRetried:
			running--
		}
		require.LessOrEqual(t, running, limit)
	}
}

func TestAFailingTicketIsRetriedThenBlockedThenRevived(t *testing.T) {
	t.Parallel()
	w := &world{plans: map[string]string{"Mend": tracks(1), "TR-1": diamond("x-")}, fails: map[string]int{"x-a": 3}}
	s := play(t, w, events.GoalSubmitted{Goal: "Mend it"})
	require.Len(t, tierstest.All[events.GoalFailed](s.History), 1)
	require.Empty(t, tierstest.All[events.GoalCompleted](s.History))
	var models []string
	for _, p := range tierstest.All[events.TicketStarted](s.History) {
		models = append(models, p.Model)
	}
	require.Equal(t, []string{"w0", "w1", "w2"}, models)
	s.Say(events.RetryRequested{Ticket: "x-a"})
	require.Len(t, tierstest.All[events.GoalCompleted](s.History), 1)
	require.Len(t, tierstest.All[events.TicketCompleted](s.History), 4)
	s.Restart(everyDecider()...)
}

func TestGoalsQueue(t *testing.T) {
	t.Parallel()
	w := &world{plans: map[string]string{"First": tracks(1), "Second": `[{"description":"more"}]`, "TR-1": diamond("x-"),
		"TR-2": diamond("y-")}}
	s := tierstest.Session(t, everyDecider()...)
	s.Script(w.script)
	s.SayAtOnce(events.SessionOpened{Settings: events.Settings{MaxWorkers: 4}},
		events.ToolsOffered{Tools: []events.ToolOffer{{Name: "write", Effect: "writes",
			Schema: json.RawMessage(`{"type":"object"}`)}}},
		events.GoalSubmitted{Goal: "First"}, events.GoalSubmitted{Goal: "Second"})
	require.Equal(t, []events.GoalCompleted{{Goal: tierstest.ID(3)}, {Goal: tierstest.ID(4)}},
		tierstest.All[events.GoalCompleted](s.History))
	s.Restart(everyDecider()...)
}
