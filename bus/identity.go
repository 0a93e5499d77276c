package bus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"manualslop/events"
)

// identity is which log a connection reads. A server that comes back may have
// another store, whose positions mean other events.
type identity struct {
	mu      sync.Mutex
	created time.Time // of the stream; zero before it was asked for
	link    uint64    // the connection over which that was asked last
}

// sameLog makes sure, once for each time that the connection was made, that the
// stream is the one that it found first; events.ErrReplaced. A role that may not
// ask takes it on trust.
func (c *Conn) sameLog(ctx context.Context) error {
	if !c.role.readsLog() {
		return nil
	}
	link := c.Links()
	c.identity.mu.Lock()
	known := c.identity.link == link
	c.identity.mu.Unlock()
	if known {
		return nil
	}
	info, err := c.stream(ctx, StreamEvents)
	if err != nil {
		return err
	}
	return c.isLog(info.Created, link)
}

// isLog notes when the stream was created, as told over a connection.
func (c *Conn) isLog(created time.Time, link uint64) error {
	c.identity.mu.Lock()
	defer c.identity.mu.Unlock()
	if c.identity.created.IsZero() {
		c.identity.created = created
	}
	if !c.identity.created.Equal(created) {
		return fmt.Errorf("%w: it was created %s, not %s", events.ErrReplaced,
			created.UTC().Format(time.RFC3339Nano), c.identity.created.UTC().Format(time.RFC3339Nano))
	}
	c.identity.link = link
	return nil
}
