package hookgw

import (
	"encoding/json"
	"errors"
	"net/http"

	"manualslop/projections"
)

// status says that the gateway answers; nothing else, because it needs no token.
func status(c *call) error {
	return c.reply(http.StatusOK, map[string]string{"status": "ok"})
}

// model answers with a read model as its whole body.
func model(name string) func(*call) error {
	return func(c *call) error {
		session, err := c.session()
		if err != nil {
			return err
		}
		var body json.RawMessage
		rerr := c.read(session, func(s *projections.Set) { body, err = s.View(name) })
		if err := errors.Join(rerr, err); err != nil {
			return err
		}
		return c.reply(http.StatusOK, body)
	}
}
