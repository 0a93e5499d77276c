package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// Decode reads the body, its secrets masked, into want. Members that want does
// not have are refused.
func (c *Call) Decode(want any, example string) error {
	dec := json.NewDecoder(bytes.NewReader(c.Core.Mask(c.Body)))
	dec.DisallowUnknownFields()
	err := dec.Decode(want)
	if err == nil {
		if _, rest := dec.Token(); !errors.Is(rest, io.EOF) {
			err = rest
		}
	}
	if err != nil {
		return problem.Refuse(http.StatusBadRequest, "the body does not fit: "+Clip(err.Error(), 200), "Send "+example+".")
	}
	return nil
}

// Refusal looks up why an event changed nothing; empty where it did.
type Refusal func(s *projections.Set, id string) string

// Word publishes what the person says, and is an error where a read model took
// no notice of it, because something came in between.
func (c *Call) Word(session string, p events.Payload, why Refusal) (events.Event, error) {
	e, err := c.Say(session, p)
	if err != nil {
		return e, err
	}
	return e, c.Counts(session, e.ID, why)
}

// Counts is an error where a read model refused an event. One that has stopped
// refuses nothing: the event is on record, and counts when the model goes on.
func (c *Call) Counts(session, id string, why Refusal) error {
	reason := ""
	err := c.Read(session, func(s *projections.Set) { reason = why(s, id) })
	var stopped *projections.StoppedError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	if reason != "" {
		return problem.Refuse(http.StatusConflict, reason, "Nothing was changed; read the state and send it again.")
	}
	return nil
}

// StatusAnswer is the answer of a write that has nothing else to tell.
type StatusAnswer struct {
	Status string `json:"status"`
}

// HintedAnswer is that of a write that is on record and that nobody has
// answered yet.
type HintedAnswer struct {
	Status string `json:"status"`
	Hint   string `json:"hint"`
}
