package replay_test

import "manualslop/events"

// priced knows every model: a reply of ten tokens costs ten micro-dollars, and
// twelve at most.
func priced() events.ModelsOffered {
	return events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "*", MaxOutputTokens: 12,
		Prices: []events.ModelPrice{{ID: "p", Output: 1_000_000, Source: "test", AsOf: "2026-01-02"}}}}}
}

// budgetedReact answers requests that were approved. A person raises the budget
// once and stops the second time.
func budgetedReact() func(*world, *events.Event) bool {
	requests := map[string]*events.Event{}
	asked := 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			requests[e.ID] = e
			return true
		case events.ModelApproved:
			request := requests[p.Request]
			w.model(request, request.Payload.(events.ModelRequested))
			return true
		case events.AskRaised:
			if p.Gate != events.GateBudget {
				return false
			}
			if asked++; asked == 2 {
				w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.No, Reason: "enough"})
				return true
			}
		}
		return false
	}
}

// windowed knows every model: one that takes a third long result no more.
func windowed() events.ModelsOffered {
	return events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "*", ContextWindow: 20_000,
		MaxOutputTokens: 1000}}}
}
