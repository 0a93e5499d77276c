package events

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// Optional methods by which a payload fills envelope attributes.
type (
	topical interface{ EventTopic() string }
	tiered  interface{ EventTier() int }
)

// Origin is what the writer of an event brings to it.
type Origin struct {
	ID               string
	Time             time.Time
	Project, Session string
	Actor            string
	Cause            string
	N                uint64
}

// New wraps a payload into an event; topic, tier and corr come from the payload.
func New(o Origin, p Payload) (Event, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return Event{}, fmt.Errorf("encode %s: %w", p.EventType().Name, err)
	}
	t := p.EventType()
	e := Event{
		ID: o.ID, Type: t.Name, V: t.Version, Time: o.Time.UTC(), Project: o.Project, Session: o.Session, Actor: o.Actor,
		Cause: o.Cause, N: o.N, Data: data, Payload: p,
	}
	e.Topic, e.Corr, e.Tier = Attributes(p)
	return e, nil
}

// Attributes are the envelope attributes that follow from a payload: the topic
// ("-" where its type has none), what it belongs to, and the tier.
func Attributes(p Payload) (topic, corr string, tier int) {
	topic = "-"
	if x, ok := p.(topical); ok {
		topic = x.EventTopic()
	}
	if x, ok := p.(tiered); ok {
		tier = x.EventTier()
	}
	return topic, correlation(p), tier
}

// Decided wraps the index-th fact that decider decided on cause: derived id,
// the cause's time.
func Decided(decider string, cause Event, index int, n uint64, p Payload) (Event, error) {
	return New(Origin{
		ID: DecidedID(decider, cause, index), Time: cause.Time, Project: cause.Project, Session: cause.Session,
		Actor: decider, Cause: cause.ID, N: n,
	}, p)
}

// correlation is the ask, call, ticket, track or goal that a payload belongs
// to, the most particular one.
func correlation(p Payload) string {
	switch x := p.(type) {
	case ToolRequested:
		return x.Call
	case ToolApproved:
		return x.Call
	case ToolDenied:
		return x.Call
	case PreviewRequested:
		return x.Call
	case PreviewBuilt:
		return x.Call
	case ToolSettled:
		return x.Call
	case ToolParked:
		return x.Call
	case InterruptResolved:
		return x.Call
	case HintGiven:
		return x.Call
	case HintSkipped:
		return x.Call
	case AskRaised:
		return x.Ask
	case AskAnswered:
		return x.Ask
	case AskSettled:
		return x.Ask
	case AnswerRefused:
		return x.Ask
	case AskPosted:
		return x.RequestID
	case TimerFired:
		return x.Ask
	case ModelRequested:
		return cmp.Or(x.Call, x.Ticket, x.Track, x.Goal)
	case ModelReplied:
		return x.Request
	case ModelFailed:
		return x.Request
	case ContextRequested:
		return cmp.Or(x.Ticket, x.Track, x.Goal)
	case ContextBuilt:
		return x.Request
	case FilesUpdated:
		return x.Ticket
	}
	return correlationOfWork(p)
}

func correlationOfWork(p Payload) string {
	switch x := p.(type) {
	case TicketReady:
		return x.Ticket
	case SpawnRequested:
		return x.Ticket
	case TicketStarted:
		return x.Ticket.ID
	case TicketResolved:
		return x.Ticket
	case TicketCompleted:
		return x.Ticket
	case TicketBlocked:
		return x.Ticket
	case TicketUnblocked:
		return x.Ticket
	case TicketRetried:
		return x.Ticket
	case TicketKilled:
		return x.Ticket
	case StepRequested:
		return x.Ticket
	case SpawnApproved:
		return x.Ticket
	case SpawnDenied:
		return x.Ticket
	case StepApproved:
		return x.Ticket
	case StepDenied:
		return x.Ticket
	case RefreshRequested:
		return x.Ticket
	case TicketsPlanned:
		return x.Track
	case TrackStarted:
		return x.Track.ID
	case TrackCompleted:
		return x.Track
	case TrackBlocked:
		return x.Track
	case TracksProposed:
		return x.Goal
	case GoalCompleted:
		return x.Goal
	case GoalFailed:
		return x.Goal
	}
	return ""
}
