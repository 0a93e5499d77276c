package bus

import (
	"fmt"

	"manualslop/events"
)

// stored is a message of a stream as the server gave it out.
type stored struct {
	events.Stored
	// copied tells that the server put the message into the stream itself. It
	// sends its answers to whatever reply subject a request names, also to one
	// that the asker may not publish; so permissions pin the author of such a
	// message to nobody. The server marks what it copies out of a stream.
	copied bool
}

// fromStored decodes a message of the log. A copied one is malformed, under an
// id of its own: it has its place in the order and never counts. Only a foreign
// subject is an error.
func fromStored(m stored) (events.Event, error) {
	if !m.copied {
		return events.FromStored(m.Stored)
	}
	raw := m.Body
	m.MsgID, m.Body = "", nil
	e, err := events.FromStored(m.Stored)
	if err != nil {
		return events.Event{}, err
	}
	e.Payload = events.Unreadable(e.Type, 1, raw, fmt.Sprintf("%s did not publish it: the server copied it here", e.Actor))
	return e, nil
}
