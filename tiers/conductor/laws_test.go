package conductor_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func histories() [][]events.Payload {
	more, fewer := 3, 1
	return [][]events.Payload{
		given(begin(workers(1)), planned("TR-1", "A", "B", "C"), events.SettingsChanged{MaxWorkers: &more,
			MaxRetries: &fewer}, failed("A"),
			events.TierChanged{Models: []string{"x"}}, events.SettingsChanged{MaxWorkers: &fewer}, ran("B", "C"),
			approve("A", 2), done("A", 2)),
		given(opened(retries(1)), goalSubmitted(), proposed("TR-1", "TR-2"), planned("TR-1", "A", "B < A", "C < A",
			"D < B C"),
			failed("A"), approve("A", 2), done("A", 2), ran("B", "C", "D"), planned("TR-2", "E < A"), ran("E")),
		given(begin(workers(2)), planned("TR-1", "A", "B < A", "-C", "+D"), events.PauseRequested{}, approve("A", 1),
			events.ResumeRequested{},
			events.KillRequested{Ticket: "A"}, events.BlockRequested{Ticket: "C"}, events.UnblockRequested{Ticket: "C"},
			events.RetryRequested{Ticket: "A"}),
		given(begin(workers(1)), workerAsked("Mend it"), planned("TR-1", "A", "B < A", "C < X", "D"),
			change(release("B", "A"), depend("D", "B")), change(depend("B", "D")),
			change(fresh("TR-1", "X"), remove("D"), priority("X", "high")), approve("A", 1), done("A", 1),
			workerAsked("Mend it"), change(fresh("", "E < X"), depend("C", "E"))),
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	tierstest.Laws(t, conductor.Decider(), histories()...)
	tierstest.SilentAfterClose(t, conductor.Decider(), histories()...)
}

// long plays goals of one track of a hundred tickets, everybody saying yes.
func long(t testing.TB, goals int) *tierstest.Sim {
	t.Helper()
	s := tierstest.Session(t, conductor.Decider())
	s.Script(func(e events.Event) []events.Payload {
		switch x := e.Payload.(type) {
		case events.SpawnRequested:
			return given(approve(x.Ticket, x.Attempt))
		case events.TicketStarted:
			return given(events.ModelReplied{Request: "R", Text: "ok"}, done(x.Ticket.ID, x.Attempt))
		}
		return nil
	})
	s.Say(opened())
	for g := range goals {
		s.Say(goalSubmitted())
		tr := fmt.Sprintf("TR-%d", g)
		s.Say(proposedFor(s.LastID("GoalSubmitted"), tr), planned(tr, chains(tr)...))
	}
	return s
}

func TestALongSessionCompletes(t *testing.T) {
	t.Parallel()
	s := long(t, 4)
	require.Len(t, tierstest.All[events.GoalCompleted](s.History), 4)
	require.Len(t, tierstest.All[events.TicketCompleted](s.History), 400)
	s.Restart(conductor.Decider())
}

// BenchmarkFold shows that the cost of an event does not grow with the session.
func BenchmarkFold(b *testing.B) {
	for _, goals := range []int{3, 30} {
		log := long(b, goals).Events()
		b.Run(fmt.Sprintf("events=%d", len(log)), func(b *testing.B) {
			for b.Loop() {
				m := conductor.Decider().Start()
				for i := range log {
					e := log[i]
					if _, err := m.Take(&e); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(log)), "ns/event")
		})
	}
}

// chains are a hundred tickets in chains of ten.
func chains(prefix string) []string {
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = fmt.Sprintf("%s-%d", prefix, i)
		if i%10 > 0 {
			lines[i] += fmt.Sprintf(" < %s-%d", prefix, i-1)
		}
	}
	return lines
}
