package tiers

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"manualslop/events"
)

// OpenRequest is a request whose outcome a session still waits for.
type OpenRequest struct {
	// Key is what the outcome refers to: a call, an ask, or the id of the event.
	Key string
	// ID, Type and Session are those of the requesting event.
	ID, Type, Session string
	// Asked is the sequence of that event. Seq is the sequence of the event that a pool delivers;
	// 0 until a decider has approved the request.
	Asked, Seq uint64
	// Pool is the kind of the pool; empty for a request that only waits for a time.
	Pool string
	// Subject is a tool, a ticket, a path or the gate of an ask.
	Subject string
	// Generation counts the approvals of a call.
	Generation int
	// At is the time of the request.
	At time.Time
	// Due is when an ask expires, or the earliest time at which a model is called again.
	Due *time.Time
	// Returned is how often the request was redelivered, and ReturnedAt when that was last
	// recorded.
	Returned   int
	ReturnedAt time.Time
}

// Asked returns the request that an event makes of an effect; nil if it makes none. Requests and
// their outcomes are defined only by this function, [Outcomes] and [Answered].
func Asked(e *events.Event) *OpenRequest {
	r := OpenRequest{Key: e.ID, ID: e.ID, Type: e.Type, Session: e.Session, Asked: e.Seq, Seq: e.Seq, At: e.Time}
	switch p := e.Payload.(type) {
	case events.ToolApproved:
		r.Key, r.Pool, r.Subject, r.Generation = "call "+p.Call, events.PoolTools, p.Tool, p.Generation
	case events.WorkspaceRequested:
		r.Pool, r.Subject = events.PoolTools, p.Ticket
	case events.MergeRequested:
		r.Pool, r.Subject = events.PoolTools, p.Ticket
	case events.PreviewRequested:
		r.Pool, r.Subject = events.PoolShort, p.Tool
	case events.ContextRequested:
		r.Pool, r.Subject = events.PoolShort, cmp.Or(p.Ticket, p.Track)
	case events.ContextInjectionRequested:
		r.Pool, r.Subject = events.PoolShort, p.Path
	case events.RefreshRequested:
		r.Pool, r.Subject = events.PoolShort, p.Ticket
	case events.ModelRequested:
		r.Pool, r.Subject, r.Due = events.PoolModels, cmp.Or(p.Ticket, p.Track), p.NotBefore
		if p.Guarded {
			r.Seq = 0 // the pool delivers ModelApproved
		}
	case events.AskRaised:
		if p.ExpiresAt == nil {
			return nil
		}
		r.Key, r.Subject, r.Due = "ask "+p.Ask, p.Gate, p.ExpiresAt
	default:
		return nil
	}
	return &r
}

// Answered returns the key of the request whose outcome an event is, and the highest generation to
// which it applies. The key is empty if the event is not an outcome.
func Answered(e *events.Event) (key string, generation int) {
	const every = math.MaxInt
	switch p := e.Payload.(type) {
	case events.ToolSettled:
		return "call " + p.Call, p.Generation
	case events.ToolParked:
		return "call " + p.Call, every
	case events.PreviewBuilt:
		return e.Cause, every // a call may have several
	case events.ContextBuilt:
		return p.Request, every
	case events.FilesUpdated:
		return p.Request, every
	case events.WorkspacePrepared:
		return p.Request, every
	case events.MergeSettled:
		return p.Request, every
	case events.ModelReplied:
		return p.Request, every
	case events.ModelFailed:
		return p.Request, every
	case events.ModelDenied:
		return p.Request, every
	case events.AskSettled:
		return "ask " + p.Ask, every
	}
	return "", 0
}

// Outcomes returns the types of the events that can settle a worker's request.
func Outcomes(asked events.Payload) (types []string) {
	var outcomes []events.Payload
	switch asked.(type) {
	case events.ToolApproved:
		outcomes = []events.Payload{events.ToolSettled{}, events.ToolParked{}}
	case events.PreviewRequested:
		outcomes = []events.Payload{events.PreviewBuilt{}}
	case events.ContextRequested, events.ContextInjectionRequested:
		outcomes = []events.Payload{events.ContextBuilt{}}
	case events.RefreshRequested:
		outcomes = []events.Payload{events.FilesUpdated{}}
	case events.WorkspaceRequested:
		outcomes = []events.Payload{events.WorkspacePrepared{}}
	case events.MergeRequested:
		outcomes = []events.Payload{events.MergeSettled{}}
	}
	for _, p := range outcomes {
		types = append(types, p.EventType().Name)
	}
	return types
}

// Settles reports whether an event is an outcome of the request.
func (r *OpenRequest) Settles(e *events.Event) bool {
	key, generation := Answered(e)
	return key == r.Key && generation >= r.Generation
}

// OpenRequests is the fold of a session's requests without an outcome.
type OpenRequests struct {
	// Open holds the requests by key.
	Open map[string]OpenRequest
	// Closed reports whether the session is closed.
	Closed bool
	// Returned is the sequence of the newest RequestReturned.
	Returned uint64
}

// Fold folds the next event of the session.
func (q *OpenRequests) Fold(e *events.Event) {
	if asked := Asked(e); asked != nil {
		if q.Open == nil {
			q.Open = map[string]OpenRequest{}
		}
		q.Open[asked.Key] = *asked
		q.release(asked.Key)
		return
	}
	preview := events.PreviewRequested{}.EventType().Name
	if _, parked := e.Payload.(events.ToolParked); parked && q.Open[e.Cause].Type == preview {
		delete(q.Open, e.Cause) // approval takes it as a preview that failed
		return
	}
	if key, generation := Answered(e); key != "" {
		if open, waits := q.Open[key]; waits && generation >= open.Generation {
			delete(q.Open, key)
		}
		return
	}
	switch p := e.Payload.(type) {
	case events.ModelApproved:
		if open, waits := q.Open[p.Request]; waits {
			open.Seq = e.Seq
			q.Open[p.Request] = open
		}
	case events.RequestReturned:
		q.Returned = e.Seq
		if open, waits := q.Open[p.Key]; waits {
			open.Returned, open.ReturnedAt = open.Returned+1, e.Time
			q.Open[p.Key] = open
		}
	case events.SessionClosed:
		q.Closed = true
		// order-independent: each key is handled separately
		for key := range q.Open {
			q.release(key)
		}
	}
}

// OfRequests reports whether Fold uses events with this payload.
func OfRequests(p events.Payload) bool {
	switch p.(type) {
	case events.ModelApproved, events.RequestReturned, events.SessionClosed:
		return true
	}
	e := &events.Event{Payload: p, Cause: "a request"} // the outcome of a preview names its request so
	key, _ := Answered(e)
	return key != "" || Asked(e) != nil
}

// release makes a request of a closed session deliverable although no decider will approve it any
// more, so that its effect can report that it was cancelled.
func (q *OpenRequests) release(key string) {
	if open := q.Open[key]; q.Closed && open.Seq == 0 {
		open.Seq = open.Asked
		q.Open[key] = open
	}
}

// List returns the open requests in stream order.
func (q *OpenRequests) List() []OpenRequest {
	return slices.SortedFunc(maps.Values(q.Open), func(a, b OpenRequest) int {
		return cmp.Or(cmp.Compare(a.Asked, b.Asked), cmp.Compare(a.Key, b.Key))
	})
}
