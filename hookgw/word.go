package hookgw

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

// decode reads the body, its secrets masked, into want. Members that want does
// not have are refused.
func (c *call) decode(want any, example string) error {
	dec := json.NewDecoder(bytes.NewReader(c.gw.mask(c.body)))
	dec.DisallowUnknownFields()
	err := dec.Decode(want)
	if err == nil {
		if _, rest := dec.Token(); !errors.Is(rest, io.EOF) {
			err = rest
		}
	}
	if err != nil {
		return problem.Refuse(http.StatusBadRequest, "the body does not fit: "+clip(err.Error(), 200), "Send "+example+".")
	}
	return nil
}

// refusal looks up why an event changed nothing; empty where it did.
type refusal func(s *projections.Set, id string) string

// word publishes what the person says, and is an error where a read model took
// no notice of it, because something came in between.
func (c *call) word(session string, p events.Payload, why refusal) (events.Event, error) {
	e, err := c.say(session, p)
	if err != nil {
		return e, err
	}
	return e, c.counts(session, e.ID, why)
}

// counts is an error where a read model refused an event. One that has stopped
// refuses nothing: the event is on record, and counts when the model goes on.
func (c *call) counts(session, id string, why refusal) error {
	reason := ""
	err := c.read(session, func(s *projections.Set) { reason = why(s, id) })
	var stopped *projections.StoppedError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	if reason != "" {
		return problem.Refuse(http.StatusConflict, reason, "Nothing was changed; read the state and send it again.")
	}
	return nil
}

// statusAnswer is the answer of a write that has nothing else to tell.
type statusAnswer struct {
	Status string `json:"status"`
}

// hintedAnswer is that of a write that is on record and that nobody has
// answered yet.
type hintedAnswer struct {
	Status string `json:"status"`
	Hint   string `json:"hint"`
}
