package events

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/oklog/ulid/v2"

	"manualslop/events/chars"
)

// SpecVersion is the CloudEvents version of every envelope.
const SpecVersion = "1.0"

// Event is one immutable fact and its CloudEvents attributes.
// https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
type Event struct {
	// ID is a ULID, unique in its session; the id of a decided event is derived ([DecidedID]).
	ID string
	// Type is the name of the kind of fact, such as TicketReady.
	Type string
	// V is the schema version of Type, counted from 1.
	V int
	// Time is set by the writer; a decided event has the time of its cause.
	Time time.Time
	// Project and Session identify where it belongs; both are subject tokens.
	Project, Session string
	// Actor is the writer: the subject token that permissions check, and the
	// CloudEvents source.
	Actor string
	// Topic is the last subject token: tool name, tier, gate or "-".
	Topic string
	// Cause is the id of the event that led to this one; empty for first causes.
	Cause string
	// Corr is the ticket, track, call or ask to which it belongs; may be empty.
	Corr string
	// N counts this actor's events in the session from 1; deciders and workers only.
	N uint64
	// Tier is 1 to 4 if the event concerns a tier, else 0.
	Tier int
	// Data is the payload as stored.
	Data json.RawMessage

	// Seq is the position in the stream; 0 before the event is stored.
	Seq uint64
	// Payload is Data decoded by a [Registry]; nil until then. It is shared by all
	// readers of a process and must not be changed.
	Payload Payload
}

// Subject returns the NATS subject of the event.
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

// SchemaURN returns the name of the JSON Schema for one version of a type.
func SchemaURN(typ string, v int) string { return fmt.Sprintf("urn:slop:%s:%d", typ, v) }

// MarshalJSON writes the CloudEvents structured form.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(envelope{
		SpecVersion: SpecVersion, ID: e.ID, Source: e.Actor, Type: e.Type, Subject: e.Subject(), Time: e.Time.UTC(),
		ContentType: "application/json", DataSchema: SchemaURN(e.Type, e.V), Session: e.Session,
		Cause: e.Cause, Corr: e.Corr, V: e.V, N: e.N, Tier: e.Tier, Data: e.Data,
	})
}

// ErrEnvelope means that bytes are not an event: they are not JSON, an attribute is missing or out
// of range, or the subject contradicts the attributes.
var ErrEnvelope = errors.New("not an event")

// maxYear limits the time of an event, so that a decider can add any delay to it: RFC 3339 only
// covers years up to 9999.
const maxYear = 9000

// UnmarshalJSON reads the CloudEvents structured form. Project, session, actor, type and topic
// come from the subject; attributes that contradict it are rejected with ErrEnvelope. Seq and
// Payload are not set.
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
		return fmt.Errorf("%w: its year must be from 0 to %d", ErrEnvelope, maxYear)
	}
	*e = Event{
		ID: w.ID, Type: w.Type, V: w.V, Time: w.Time.UTC(), Project: t.Project, Session: t.Session,
		Actor: t.Actor, Topic: t.Topic, Cause: w.Cause, Corr: w.Corr, N: w.N, Tier: w.Tier, Data: w.Data,
	}
	return nil
}

// Stored is one message of the stream as stored in the log.
type Stored struct {
	Subject string
	MsgID   string // Nats-Msg-Id header; may be empty
	Seq     uint64
	Time    time.Time // the server's clock; only used for a bare body
	Body    []byte
}

// FromStored reads a stored message: an envelope, or a bare AskAnswered body, whose other
// attributes come from the subject and the headers. Anything else becomes an event of its
// subject's type with a [Malformed] payload, so that a reader can continue; only a foreign subject
// is an error.
func FromStored(m Stored) (Event, error) {
	var e Event
	err := e.UnmarshalJSON(m.Body)
	if err == nil && e.Subject() == m.Subject {
		e.Seq = m.Seq
		return e, nil
	}
	if err == nil {
		err = fmt.Errorf("%w: its subject attribute is %s", ErrEnvelope, chars.Quote(e.Subject()))
	}
	t, serr := ParseSubject(m.Subject)
	if serr != nil {
		return Event{}, serr
	}
	id := m.MsgID
	if id == "" || len(id) > MaxIDLength {
		id = LiftedID(t.Session, m.Subject, m.Seq, m.Body, m.Time)
	}
	e = Event{ID: id, Type: t.Type, V: 1, Time: m.Time.UTC(), Project: t.Project, Session: t.Session,
		Actor: t.Actor, Topic: t.Topic, Seq: m.Seq}
	if bareAnswer(t, m.Body, &e) {
		return e, nil
	}
	e.Data = json.RawMessage("null")
	// our words: text for people; no decision depends on it.
	e.Payload = Unreadable(t.Type, 1, m.Body, err.Error())
	return e, nil
}

func bareAnswer(t Tokens, body []byte, e *Event) bool {
	var a AskAnswered
	if t.Type != a.EventType().Name || json.Unmarshal(body, &a) != nil || a.Ask == "" {
		return false
	}
	data, err := json.Marshal(a)
	if err != nil {
		return false
	}
	e.Data, e.Corr = data, a.Ask
	return true
}

// Optional methods by which a payload sets envelope attributes.
type (
	topical    interface{ EventTopic() string }
	tiered     interface{ EventTier() int }
	correlated interface{ EventCorr() string }
)

// Origin holds the attributes that the writer of an event provides.
type Origin struct {
	ID               string
	Time             time.Time
	Project, Session string
	Actor            string
	Cause            string
	N                uint64
}

// New returns an event with a payload; topic, tier and corr are taken from the payload.
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

// Attributes returns the envelope attributes that are derived from a payload: the topic ("-" if
// its type has none), corr and the tier.
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

// Decided returns the event of the index-th fact that decider decided on cause, with a derived id
// and the cause's time.
func Decided(decider string, cause Event, index int, n uint64, p Payload) (Event, error) {
	return New(Origin{
		ID: DecidedID(decider, cause, index), Time: cause.Time, Project: cause.Project, Session: cause.Session,
		Actor: decider, Cause: cause.ID, N: n,
	}, p)
}

// MaxIDLength limits the length of identifiers from outside.
const MaxIDLength = 128

// DecidedID returns the id of the index-th fact that decider decided on cause: a ULID with the
// time of the cause and the first 80 bits of SHA-256(decider, cause id, index). Every process
// computes the same id.
func DecidedID(decider string, cause Event, index int) string {
	h := sha256.New()
	h.Write([]byte(decider))
	h.Write([]byte{0})
	h.Write([]byte(cause.ID))
	h.Write([]byte{0})
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(index))
	h.Write(n[:])
	var id ulid.ULID
	var sum [sha256.Size]byte
	copy(id[6:], h.Sum(sum[:0]))
	if err := id.SetTime(timestamp(cause.Time)); err != nil {
		panic("events: " + err.Error()) // timestamp stays in range, so this cannot fail
	}
	return id.String()
}

// timestamp returns a time as the 48 bits of a ULID; times before 1970 give 0.
func timestamp(t time.Time) uint64 {
	ms := t.UnixMilli()
	if ms < 0 {
		return 0
	}
	return min(uint64(ms), ulid.MaxTime())
}

// CallID returns the id of the index-th tool call of a model reply: the id of its ModelRequested,
// a dash, and the index.
func CallID(request string, index int) string { return request + "-" + strconv.Itoa(index) }

// LiftedID returns the id for a bare body without one: a ULID of time t with the first bits of the
// SHA-256 of session, subject, stream sequence and body.
func LiftedID(session, subject string, seq uint64, body []byte, t time.Time) string {
	h := sha256.New()
	for _, s := range []string{session, subject, strconv.FormatUint(seq, 10)} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	h.Write(body)
	var id ulid.ULID
	copy(id[6:], h.Sum(nil))
	if err := id.SetTime(timestamp(t)); err != nil {
		panic("events: " + err.Error())
	}
	return id.String()
}

// Digest returns the SHA-256 of b in lower-case hexadecimal.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// SameBody reports whether a recorded body equals a decided one. Both are compared as canonical
// JSON, after an older version was lifted, so that the encoder and version used at the time do not
// matter.
func SameBody(recorded, decided *Event) bool {
	if recorded.V == decided.V && bytes.Equal(recorded.Data, decided.Data) {
		return true
	}
	was, err := BodyToday(recorded, decided.V)
	if err != nil {
		return false
	}
	is, err := Canonical(decided.Data)
	return err == nil && bytes.Equal(was, is)
}

// BodyToday returns the body of a decoded event in the given version of its type as canonical
// JSON; an older body is lifted.
func BodyToday(e *Event, version int) ([]byte, error) {
	body := e.Data
	if e.V != version {
		lifted, err := json.Marshal(e.Payload)
		if err != nil {
			return nil, err
		}
		body = lifted
	}
	return Canonical(body)
}
