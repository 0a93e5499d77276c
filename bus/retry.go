package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// retry is one request and its attempts.
type retry struct {
	c      *Conn
	link   <-chan struct{}
	tries  int
	began  time.Time
	silent time.Time // since when no server answers for the stream
	unsure bool      // an attempt was sent and not answered: it may have been carried out
}

func (c *Conn) newRetry() *retry { return &retry{c: c, began: time.Now()} }

// attempt sends a message once and waits for the answer.
func (r *retry) attempt(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	if ctx.Err() != nil { // the client's lock may be held by an attempt to connect
		return nil, context.Cause(ctx)
	}
	c := r.c
	r.link = c.Relinked()
	wait := attemptTimeout
	if c.replicated.Load() && r.tries < shortAttempts {
		wait = shortAttempt
	}
	r.tries++
	actx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(wait, func() { cancel(errNoReply) })
	defer late.Stop()
	forget := c.denials.watch(m.Subject, cancel)
	defer forget()
	if c.room != nil { // a frozen stream never answers; asked again, the server refuses
		defer context.AfterFunc(c.room.untilChange(), func() { cancel(errNoReply) })()
	}
	resp, err := c.nc.RequestMsgWithContext(actx, m)
	if err != nil && actx.Err() != nil {
		err = context.Cause(actx)
	}
	return resp, err
}

// pause waits before the next attempt. It returns the error that ends the
// request: the context's, a final answer, or ErrUnavailable after leaderWait
// without a server that answers for the stream.
func (r *retry) pause(ctx context.Context, subject string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c := r.c
	if time.Since(r.began) > quietWait {
		c.lost("the bus does not answer; waiting for it", fmt.Errorf("%s: %w", subject, err))
	}
	switch {
	case errors.Is(err, errReconnected), errors.Is(err, errNoReply):
		r.unsure = true
		return nil
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrDisconnected):
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, errNoLeader):
		if r.silent.IsZero() {
			r.silent = time.Now()
		}
		if time.Since(r.silent) > leaderWait {
			return fmt.Errorf("%s: %w", subject, mapConn(err))
		}
	default:
		return fmt.Errorf("%s: %w", subject, mapConn(err))
	}
	select {
	case <-ctx.Done():
	case <-r.link:
	case <-c.closed:
	case <-time.After(retryPause):
	}
	return nil
}
