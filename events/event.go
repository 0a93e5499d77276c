package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"manualslop/events/chars"
)

// SpecVersion is the CloudEvents version of every envelope.
const SpecVersion = "1.0"

// Event is one immutable fact and its CloudEvents attributes.
// https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
type Event struct {
	// ID is a ULID, unique in its session; a decided event's is derived ([DecidedID]).
	ID string
	// Type names the kind of fact, such as TicketReady.
	Type string
	// V is the schema version of Type, from 1.
	V int
	// Time was decided by the writer; a decided event carries its cause's time.
	Time time.Time
	// Project and Session say where it belongs; both are subject tokens.
	Project, Session string
	// Actor is who wrote it: the subject token that permissions pin, and the
	// CloudEvents source.
	Actor string
	// Topic is the last subject token: tool name, tier, gate or "-".
	Topic string
	// Cause is the id of the event that led to this one; empty for first causes.
	Cause string
	// Corr is the ticket, track, call or ask that it belongs to; may be empty.
	Corr string
	// N counts this actor's events in the session from 1; deciders and workers only.
	N uint64
	// Tier is 1 to 4 where one is concerned, else 0.
	Tier int
	// Data is the payload as it was stored.
	Data json.RawMessage

	// Seq is the position on the stream, 0 before the event is stored.
	Seq uint64
	// Payload is Data decoded by a [Registry]; nil until then. Shared by all
	// readers of a process: nobody may change it.
	Payload Payload
}

// Subject is the NATS subject of the event.
func (e Event) Subject() string {
	return Subject(e.Project, e.Session, e.Actor, e.Type, e.Topic)
}

// envelope is the wire form of Event.
type envelope struct {
	SpecVersion string          `json:"specversion"`
	ID          string          `json:"id"`
	Source      string          `json:"source"`
	Type        string          `json:"type"`
	Subject     string          `json:"subject"`
	Time        time.Time       `json:"time"`
	ContentType string          `json:"datacontenttype,omitempty"`
	DataSchema  string          `json:"dataschema,omitempty"`
	Session     string          `json:"session"`
	Cause       string          `json:"cause,omitempty"`
	Corr        string          `json:"corr,omitempty"`
	V           int             `json:"v"`
	N           uint64          `json:"n,omitempty"`
	Tier        int             `json:"tier,omitempty"`
	Data        json.RawMessage `json:"data"`
}

// SchemaURN names the JSON Schema of one version of a type.
func SchemaURN(typ string, v int) string { return fmt.Sprintf("urn:slop:%s:%d", typ, v) }

// MarshalJSON writes the CloudEvents structured form.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(envelope{
		SpecVersion: SpecVersion, ID: e.ID, Source: e.Actor, Type: e.Type, Subject: e.Subject(), Time: e.Time.UTC(),
		ContentType: "application/json", DataSchema: SchemaURN(e.Type, e.V), Session: e.Session,
		Cause: e.Cause, Corr: e.Corr, V: e.V, N: e.N, Tier: e.Tier, Data: e.Data,
	})
}

// ErrEnvelope says that bytes are not an event: not JSON, an attribute missing
// or out of its range, or a subject that contradicts the attributes.
var ErrEnvelope = errors.New("not an event")

// maxYear bounds the time of an event, so that a decider may add any wait to it
// and still write it down: RFC 3339 ends with the year 9999.
const maxYear = 9000

// UnmarshalJSON reads the CloudEvents structured form. The subject decides
// project, session, actor, type and topic; attributes that contradict it are
// refused with ErrEnvelope. Seq and Payload stay unset.
func (e *Event) UnmarshalJSON(b []byte) error {
	var w envelope
	if err := Unmarshal(b, &w); err != nil {
		return fmt.Errorf("%w: %w", ErrEnvelope, err)
	}
	return e.fromEnvelope(&w)
}

func (e *Event) fromEnvelope(w *envelope) error {
	t, err := ParseSubject(w.Subject)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrEnvelope, err)
	case w.SpecVersion != SpecVersion:
		return fmt.Errorf("%w: specversion %s, want %s", ErrEnvelope, chars.Quote(w.SpecVersion), chars.Quote(SpecVersion))
	case w.ID == "" || len(w.ID) > MaxIDLength:
		return fmt.Errorf("%w: id missing or over %d characters", ErrEnvelope, MaxIDLength)
	case w.Source != t.Actor, w.Type != t.Type, w.Session != t.Session:
		return fmt.Errorf("%w: source, type or session differ from subject %s", ErrEnvelope, chars.Quote(w.Subject))
	case w.V < 1:
		return fmt.Errorf("%w: v %d is not a version", ErrEnvelope, w.V)
	case w.Tier < 0 || w.Tier > 4:
		return fmt.Errorf("%w: tier %d is not 1 to 4", ErrEnvelope, w.Tier)
	case w.Time.UTC().Year() < 0 || w.Time.UTC().Year() > maxYear:
		return fmt.Errorf("%w: its time is not of the years 0 to %d", ErrEnvelope, maxYear)
	}
	*e = Event{
		ID: w.ID, Type: w.Type, V: w.V, Time: w.Time.UTC(), Project: t.Project, Session: t.Session,
		Actor: t.Actor, Topic: t.Topic, Cause: w.Cause, Corr: w.Corr, N: w.N, Tier: w.Tier, Data: w.Data,
	}
	return nil
}
