package team

import (
	"manualslop/events"
	"manualslop/hookgw/core"
)

// ClosedByHand is the close reason of a session that a user closed.
const ClosedByHand = "closed by hand"

// postClose closes an open session.
func postClose(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	_, err = c.PublishAsPerson(session, events.SessionClosed{Reason: ClosedByHand})
	return c.Done(err)
}
