package hookgw

// status says that the gateway answers; nothing else, because it needs no token.
func status(c *call) error {
	return c.replyFixed(fixedOK)
}
