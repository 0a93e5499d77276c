package hookgw

import "manualslop/events"

// ClosedByHand is the reason of a session that a person closed.
const ClosedByHand = "closed by hand"

// postClose ends a session that is open.
func postClose(c *call) error {
	session, err := c.openSession()
	if err != nil {
		return err
	}
	_, err = c.say(session, events.SessionClosed{Reason: ClosedByHand})
	return c.done(err)
}
