package hookgw

import "net/http"

// status says that the gateway answers; nothing else, because it needs no token.
func status(c *call) error {
	return c.reply(http.StatusOK, map[string]string{"status": "ok"})
}
