package bus

import "github.com/nats-io/nats.go"

// NATS is the stock connection under c.
func (c *Conn) NATS() *nats.Conn { return c.nc }
