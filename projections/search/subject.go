package search

import (
	"context"

	"manualslop/events"
)

// about is the subject of an event, even if its body does not contain it.
type about struct {
	tier   int
	ticket string
	tool   string
}

// subjects keeps the subjects of the requests and calls of sessions, so that a reply or an outcome
// can be found by its ticket. Its results depend only on the log.
type subjects struct {
	log      events.Log
	registry *events.Registry
	project  string
	open     map[string]map[string]about // by session, then by id of a request or call
}

// of returns the subject of an event, which must be decoded.
func (s *subjects) of(ctx context.Context, e *events.Event) (about, error) {
	if !linked(e) {
		return named(e), nil
	}
	known, err := s.session(ctx, e)
	if err != nil {
		return about{}, err
	}
	a := note(known, e)
	if _, over := e.Payload.(events.SessionClosed); over {
		delete(s.open, e.Session)
	}
	return a, nil
}

// linked reports whether an event refers to other events or they refer to it.
func linked(e *events.Event) bool {
	switch e.Payload.(type) {
	case events.ModelRequested, events.ModelReplied, events.ModelFailed, events.ModelApproved, events.ModelDenied,
		events.ToolRequested, events.ToolApproved, events.ToolDenied,
		events.ToolSettled, events.ToolParked, events.InterruptResolved, events.PreviewBuilt, events.HintGiven,
		events.AskRaised, events.AskSettled, events.AskAnswered, events.SessionOpened, events.SessionClosed:
		return true
	}
	return false
}

// session returns the state of an event's session. If the beginning of the session was indexed by
// an earlier run, its requests and calls are read again.
func (s *subjects) session(ctx context.Context, e *events.Event) (map[string]about, error) {
	known := s.open[e.Session]
	if known != nil {
		return known, nil
	}
	known = map[string]about{}
	_, opens := e.Payload.(events.SessionOpened)
	_, closes := e.Payload.(events.SessionClosed)
	if !opens && !closes && e.Seq > 1 {
		for _, typ := range []string{events.NameOf[events.ModelRequested](), events.NameOf[events.ToolRequested](),
			events.NameOf[events.AskRaised]()} {
			f := events.Filter{Project: s.project, Session: e.Session, Type: typ}
			for past, err := range s.log.Read(ctx, f, 1, e.Seq-1) {
				if err != nil {
					return nil, err
				}
				s.registry.Decode(&past)
				note(known, &past)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	s.open[e.Session] = known
	return known, nil
}

// note returns the subject of an event, and keeps it for later answers.
func note(known map[string]about, e *events.Event) about {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		a := about{p.Tier, p.Ticket, ""}
		known[e.ID] = a
		return a
	case events.ModelReplied:
		return known[p.Request]
	case events.ModelFailed:
		return known[p.Request]
	case events.ModelApproved:
		return known[p.Request]
	case events.ModelDenied:
		return known[p.Request]
	case events.ToolRequested:
		a := about{3, p.Ticket, p.Tool}
		known[p.Call] = a
		return a
	case events.ToolApproved:
		return about{3, p.Ticket, p.Tool}
	case events.ToolDenied:
		return about{3, p.Ticket, p.Tool}
	case events.ToolSettled:
		return about{3, known[p.Call].ticket, p.Tool}
	case events.ToolParked:
		return about{3, known[p.Call].ticket, p.Tool}
	case events.InterruptResolved:
		return about{3, p.Ticket, p.Tool}
	case events.PreviewBuilt:
		return known[p.Call]
	case events.HintGiven:
		return about{4, p.Ticket, known[p.Call].tool}
	case events.AskRaised:
		a := about{e.Tier, p.Ticket, p.Tool}
		known[p.Ask] = a
		return a
	case events.AskSettled:
		return known[p.Ask]
	case events.AskAnswered:
		return known[p.Ask]
	}
	return named(e)
}
