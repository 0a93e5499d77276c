package events

import (
	"encoding/json"
	"fmt"
	"time"
)

// Optional methods by which a payload fills envelope attributes.
type (
	topical    interface{ EventTopic() string }
	tiered     interface{ EventTier() int }
	correlated interface{ EventCorr() string }
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
	if x, ok := p.(correlated); ok {
		corr = x.EventCorr()
	}
	return topic, corr, tier
}

// Decided wraps the index-th fact that decider decided on cause: derived id,
// the cause's time.
func Decided(decider string, cause Event, index int, n uint64, p Payload) (Event, error) {
	return New(Origin{
		ID: DecidedID(decider, cause, index), Time: cause.Time, Project: cause.Project, Session: cause.Session,
		Actor: decider, Cause: cause.ID, N: n,
	}, p)
}
