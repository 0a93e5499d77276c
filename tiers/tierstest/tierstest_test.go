package tierstest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/tierstest"
)

// echo pauses when asked to, and resumes once somebody else has said that a
// ticket is ready; it names whom it heard.
type echo struct{ by, closed string }

func echoDecider() tiers.Decider[echo] {
	return tiers.Decider[echo]{
		Name: events.ActorConductor,
		New:  func() echo { return echo{} },
		Evolve: func(s echo, e *events.Event) echo {
			switch e.Payload.(type) {
			case events.PauseRequested:
				s.by = e.Actor
			case events.Paused:
				s.by = ""
			case events.SessionClosed:
				s.closed = e.ID
			}
			return s
		},
		Decide: func(s echo, _ *events.Event) []events.Payload {
			if s.by == "" || s.closed != "" {
				return nil
			}
			return []events.Payload{events.Paused{By: s.by}}
		},
	}
}

// follower answers Paused with StepApproved, under another name.
func follower() tiers.Decider[string] {
	return tiers.Decider[string]{
		Name: events.ActorApproval,
		New:  func() string { return "" },
		Evolve: func(s string, e *events.Event) string {
			switch e.Payload.(type) {
			case events.Paused:
				return e.ID
			case events.StepApproved:
				return ""
			}
			return s
		},
		Decide: func(s string, _ *events.Event) []events.Payload {
			if s == "" {
				return nil
			}
			return []events.Payload{events.StepApproved{By: s}}
		},
	}
}

func TestScenarioComparesTheDecisionOnWhenOnly(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, echoDecider(), []tierstest.Scenario{
		{Name: "typical actor", When: events.PauseRequested{}, Then: []events.Payload{events.Paused{By: tierstest.Person}}},
		{
			Name: "another actor", Given: []events.Payload{events.PauseRequested{}},
			When: tierstest.By("bob", events.PauseRequested{}), Then: []events.Payload{events.Paused{By: "bob"}},
		},
		{Name: "nothing", When: events.ResumeRequested{}},
		{
			Name: "computed and checked", Given: []events.Payload{events.PauseRequested{}},
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				return tierstest.By(h.Last("Paused").Payload.(events.Paused).By+"2", events.PauseRequested{})
			}),
			Then: []events.Payload{tierstest.Check(func(t testing.TB, p events.Paused) { require.Equal(t, "ada2", p.By) })},
		},
	})
}

func TestIdsAndTimesAreCounted(t *testing.T) {
	t.Parallel()
	h := tierstest.Play(t, echoDecider(), events.ResumeRequested{}, events.PauseRequested{})
	require.Len(t, h.Events(), 3)
	require.Equal(t, tierstest.ID(2), h.LastID("PauseRequested"))
	require.Equal(t, tierstest.At(2), h.Last("Paused").Time)
	require.Equal(t, tierstest.FactID(events.ActorConductor, 2, 0), h.LastID("Paused"))
	require.Equal(t, []events.Paused{{By: "ada"}}, tierstest.All[events.Paused](h))
}

func TestEveryTypeHasAnActor(t *testing.T) {
	t.Parallel()
	for _, d := range events.Catalogue().Defs() {
		h := tierstest.Play(t, follower(), d.Sample)
		require.True(t, events.ValidToken(h.Events()[0].Actor), "%s is written by %q", d.Type.Name, h.Events()[0].Actor)
	}
}

func TestLawsHoldForAPureDecider(t *testing.T) {
	t.Parallel()
	history := []events.Payload{events.PauseRequested{}, events.ResumeRequested{},
		tierstest.By("bob", events.PauseRequested{})}
	tierstest.Laws(t, echoDecider(), history)
	tierstest.SilentAfterClose(t, echoDecider(), history)
}

func TestSessionFeedsMachinesAndScriptUntilQuiet(t *testing.T) {
	t.Parallel()
	s := tierstest.Session(t, echoDecider(), follower())
	asked := 0
	s.Script(func(e events.Event) []events.Payload {
		if e.Type != "StepApproved" || asked == 2 {
			return nil
		}
		asked++
		return []events.Payload{events.PauseRequested{}}
	})
	s.Say(events.PauseRequested{})
	require.Len(t, tierstest.All[events.Paused](s.History), 3)
	require.Len(t, tierstest.All[events.StepApproved](s.History), 3)
	s.Restart(echoDecider(), follower())
	s.SayAtOnce(events.PauseRequested{}, events.PauseRequested{})
	var types []string
	for _, e := range s.Events()[len(s.Events())-6:] {
		types = append(types, e.Type)
	}
	require.Equal(t, []string{"PauseRequested", "PauseRequested", "Paused", "Paused", "StepApproved", "StepApproved"},
		types)
}
