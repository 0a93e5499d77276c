package hookclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrTooLong means that the gateway sent more than a client accepts.
var ErrTooLong = errors.New("the answer is too long")

// ErrTimeout means that a polling method did not see the expected state in time.
var ErrTimeout = errors.New("timed out")

// ErrUnreachable means that no gateway answered at the address.
var ErrUnreachable = errors.New("the gateway is not responding")

// Error is an error answer of the gateway.
type Error struct {
	// Status is the HTTP status.
	Status int `json:"-"`
	// Message says what is wrong, Hint what to do.
	Message string `json:"error"`
	Hint    string `json:"hint"`
	// SettledBy, SettledAt and Outcome say how an ask was already settled.
	SettledBy string     `json:"settled_by"`
	SettledAt *time.Time `json:"settled_at"`
	Outcome   string     `json:"outcome"`
	// Body is the whole answer.
	Body []byte `json:"-"`
}

// Error returns the message and what to do about it.
func (e *Error) Error() string {
	switch {
	case e.Message == "":
		return fmt.Sprintf("the gateway answered with status %d", e.Status)
	case e.Hint == "":
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// StatusOf returns the HTTP status of an error answer, or 0 for any other error.
func StatusOf(err error) int {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// refusal parses an error answer.
func refusal(res *http.Response) error {
	raw, err := readBounded(res.Body)
	out := &Error{}
	if err != nil || json.Unmarshal(raw, out) != nil {
		out = &Error{}
	}
	out.Status, out.Body = res.StatusCode, raw
	return out
}
