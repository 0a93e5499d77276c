package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// mark is a place in the log and what stands there. A server that comes back
// with another store has another message there, or none.
type mark struct {
	seq     uint64
	subject string
	id      string
	at      time.Time
}

func markOf(d delivery) mark {
	return mark{d.seq, d.msg.Subject, d.msg.Header.Get(jetstream.MsgIDHeader), d.at}
}

// markAt is what stands at seq; empty where nothing does, or the role may not look.
func (c *Conn) markAt(ctx context.Context, seq uint64) (mark, error) {
	if seq == 0 || !c.role.readsLog() {
		return mark{}, nil
	}
	m, err := c.storedAt(ctx, seq)
	if err != nil || m == nil {
		return mark{}, err
	}
	return mark{m.Seq, m.Subject, m.MsgID, m.Time}, nil
}

// stillHolds makes sure that the log is the one in which m was found;
// events.ErrReplaced.
func (c *Conn) stillHolds(ctx context.Context, m mark) error {
	if m.seq == 0 || !c.role.readsLog() {
		return nil
	}
	now, err := c.markAt(ctx, m.seq)
	if err != nil {
		return err
	}
	if now.seq != m.seq || now.subject != m.subject || now.id != m.id || !now.at.Equal(m.at) {
		return fmt.Errorf("%w: event %d has changed", events.ErrReplaced, m.seq)
	}
	return nil
}
