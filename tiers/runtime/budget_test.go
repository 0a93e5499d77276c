package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// paid is a script in which each reply costs what it says.
const paid = `
{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"greet\"}]","usage":{"input":10,"output":100}}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"greet the world\"}]","usage":{"input":10,"output":100}}}
{"tier":3,"ticket":"T-1","reply":{"text":"greeted","usage":{"input":10,"output":100}}}
`

func TestAGuardedRequestIsSentOnApprovalsWordAndPricedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(func(s *events.Settings) { s.Budget = &events.BudgetSettings{SessionMicroDollars: 250} })
	w.say(events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "*", MaxOutputTokens: 100, Prices: []events.ModelPrice{{ID: "p", Output: 1_000_000}}}}})
	w.start(paid)
	goal := w.say(events.GoalSubmitted{Goal: "greet"})
	asked := 0
	log := w.until(func(e *events.Event) bool {
		if p, ok := e.Payload.(events.AskRaised); ok && p.Gate == events.GateBudget {
			asked++
			w.say(events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
		}
		p, ok := e.Payload.(events.GoalCompleted)
		return ok && p.Goal == goal
	})
	require.Equal(t, 1, asked, "two replies of 100 fit 250, the third asks")
	approved, requests, cost := map[string]bool{}, 0, int64(0)
	for _, e := range log {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			require.True(t, p.Guarded)
			requests++
		case events.ModelApproved:
			require.False(t, approved[p.Request])
			approved[p.Request] = true
		case events.ModelReplied:
			require.True(t, approved[p.Request], "it was sent before approval said so")
			require.Equal(t, "p", p.Usage.Price)
			cost += *p.Usage.PricedMicroDollars
		}
	}
	require.Equal(t, 3, requests)
	require.Len(t, approved, requests)
	require.EqualValues(t, 300, cost)
}
