package events

import (
	"encoding/json"
	"fmt"
	"time"

	"manualslop/events/chars"
)

// Stored is one message of the stream as the log holds it.
type Stored struct {
	Subject string
	MsgID   string // Nats-Msg-Id header; may be empty
	Seq     uint64
	Time    time.Time // the server's clock; used for a bare body only
	Body    []byte
}

// FromStored reads a stored message: an envelope, or a bare AskAnswered body,
// which is lifted, its rest read from subject and headers. Anything else comes
// back as an event of its subject's type whose payload is [Malformed], so that
// a reader can go on; only a foreign subject is an error.
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
	// our words: for people; nothing is decided on it.
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
