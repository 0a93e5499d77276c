package hookgw_test

import (
	"encoding/json"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// approve plays the approval decider for the questions of /api/ask and for the
// asks that a test raises: the first valid answer or timer settles.
func (f *fixture) approve() {
	log := f.as(events.ActorApproval)
	go func() {
		raised := map[string]string{} // gates by ask
		settled := map[string]events.AskSettled{}
		catalogue := events.Catalogue()
		_, feed, err := f.log.Watch(f.t.Context(), events.Filter{Project: project, Session: session}, 1)
		if err != nil {
			return
		}
		for e, err := range feed {
			if err != nil {
				return
			}
			catalogue.Decode(&e)
			for i, p := range decide(&e, raised, settled) {
				own, err := events.Decided(events.ActorApproval, e, i, 0, p)
				if err != nil {
					return
				}
				if _, err := log.Append(f.t.Context(), own, nil); err != nil {
					return
				}
			}
		}
	}()
}

func decide(e *events.Event, raised map[string]string, settled map[string]events.AskSettled) []events.Payload {
	settle := func(s events.AskSettled) []events.Payload {
		s.Gate = raised[s.Ask]
		settled[s.Ask] = s
		return []events.Payload{s}
	}
	switch p := e.Payload.(type) {
	case events.AskRaised:
		raised[p.Ask] = p.Gate
	case events.AskPosted:
		if raised[p.RequestID] != "" {
			return nil
		}
		raised[p.RequestID] = events.GateHTTP
		due := e.Time.Add(time.Duration(p.TimeoutMS) * time.Millisecond)
		return []events.Payload{events.AskRaised{Ask: p.RequestID, Gate: events.GateHTTP, Title: "asked by " + e.Actor,
			Args: p.Data, PostedBy: e.Actor, ExpiresAt: &due}}
	case events.AskAnswered:
		was, done := settled[p.Ask]
		switch {
		case raised[p.Ask] == "":
			return []events.Payload{events.AnswerRefused{Ask: p.Ask, AnswerID: e.ID, Author: e.Actor,
				Reason: "there is no such ask"}}
		case done:
			return []events.Payload{events.AnswerRefused{Ask: p.Ask, AnswerID: e.ID, Author: e.Actor,
				Reason: "it was settled before", SettledBy: was.By, SettledAt: &was.At}}
		case len(p.Args) > 0 && string(p.Args) == `{"bad":true}`:
			return []events.Payload{events.AnswerRefused{Ask: p.Ask, AnswerID: e.ID, Author: e.Actor,
				Reason: "the edited arguments do not fit"}}
		}
		return settle(events.AskSettled{Ask: p.Ask, Outcome: p.Decision, By: e.Actor, AnswerID: e.ID, Reason: p.Reason,
			Args: p.Args, Response: p.Response, At: e.Time})
	case events.TimerFired:
		if _, done := settled[p.Ask]; !done && raised[p.Ask] != "" {
			return settle(events.AskSettled{Ask: p.Ask, Outcome: events.Expired, By: e.Actor, AnswerID: e.ID,
				Reason: "nobody answered in time", At: e.Time})
		}
	}
	return nil
}

// raise puts a question of a gate to the person.
func (f *fixture) raise(ask, gate string) {
	f.t.Helper()
	f.put(events.ActorApproval, events.AskRaised{Ask: ask, Gate: gate, Title: "edit_file a.go", Tool: "edit_file",
		Args: json.RawMessage(`{"path":"a.go"}`)})
}

// awaitAsk waits until a question is on record and open.
func (f *fixture) awaitAsk(id string) {
	f.t.Helper()
	f.expect(events.NameOf[events.AskRaised](), func(e events.Event) bool { return e.Corr == id })
}

// awaitRaised waits until the read models show a question.
func (f *fixture) awaitRaised(id string) {
	f.t.Helper()
	require.NoError(f.t, f.models.Await(f.t.Context(), session, func(s *projections.Set) bool {
		_, ok := s.Ask(id)
		return ok
	}))
}
