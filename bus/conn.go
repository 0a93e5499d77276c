package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// Waits of a request. The attempt is repeated until the caller's context ends,
// which is safe because every request carries an id or changes nothing.
const (
	attemptTimeout   = 5 * time.Second
	retryPause       = 50 * time.Millisecond
	noResponderLimit = 10 * time.Second
)

// Conn is a connection with the rights of one role. It implements events.Log
// and events.Blobs and may be used by any number of goroutines.
type Conn struct {
	role Role
	log  *slog.Logger
	nc   *nats.Conn
	// replicated tells that answers of the nearest replica may be old.
	replicated bool
	denials    denials
	closed     chan struct{} // closed with the connection

	mu   sync.Mutex
	link chan struct{} // closed and replaced at each reconnect
}

var (
	_ events.Log   = (*Conn)(nil)
	_ events.Blobs = (*Conn)(nil)
)

// newConn finishes a connection: options shared by both ways to connect.
func newConn(role Role, log *slog.Logger, url string, opts ...nats.Option) (*Conn, error) {
	c := &Conn{role: role, log: log.With("role", role.String()), link: make(chan struct{}), closed: make(chan struct{})}
	opts = append([]nats.Option{
		nats.Name("slop " + role.String()),
		nats.CustomInboxPrefix(role.inbox()),
		nats.ReconnectBufSize(-1),
		nats.PermissionErrOnSubscribe(true),
		nats.ErrorHandler(c.onError),
		nats.ClosedHandler(func(*nats.Conn) { c.onClose() }),
		nats.ReconnectHandler(func(*nats.Conn) { c.onReconnect() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.log.Warn("bus connection lost", "error", err)
			}
		}),
	}, opts...)
	var err error
	if c.nc, err = nats.Connect(url, opts...); err != nil {
		return nil, fmt.Errorf("connect as %s: %w", role, mapConn(err))
	}
	return c, nil
}

// Role is the role that the connection speaks for.
func (c *Conn) Role() Role { return c.role }

// Close ends the connection; whoever waits on it gets events.ErrClosed.
func (c *Conn) Close() { c.nc.Close() }

// Reachable tells why the server cannot be reached now; nil while it can. A
// server that hangs is noticed after some seconds, one that ended at once.
func (c *Conn) Reachable() error {
	switch {
	case c.nc.IsConnected():
		return nil
	case c.nc.IsClosed():
		return events.ErrClosed
	}
	if err := c.nc.LastError(); err != nil {
		return fmt.Errorf("%w: the connection is lost and is being made again (%w)", ErrUnavailable, err)
	}
	return fmt.Errorf("%w: the connection is lost and is being made again", ErrUnavailable)
}

// Links counts how often the connection was made, from 1: what is read between
// two equal answers was read over one connection, without a gap.
func (c *Conn) Links() uint64 { return c.nc.Stats().Reconnects + 1 }

func (c *Conn) onReconnect() {
	c.log.Info("bus connection is back")
	c.mu.Lock()
	close(c.link)
	c.link = make(chan struct{})
	c.mu.Unlock()
	c.denials.wakeAll(errReconnected)
}

func (c *Conn) onClose() {
	close(c.closed)
	c.denials.wakeAll(events.ErrClosed)
}

// relink returns a channel that is closed at the next reconnect.
func (c *Conn) relink() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

func (c *Conn) onError(_ *nats.Conn, _ *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		c.denials.deny(err)
	}
	c.log.Warn("bus connection", "error", err)
}

// request sends a message and waits for the answer until ctx ends, again and
// again over lost connections and answers. events.ErrDenied comes at once.
func (c *Conn) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	var silent time.Time
	for {
		link := c.relink()
		resp, err := c.attempt(ctx, m)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch {
		case errors.Is(err, errReconnected), errors.Is(err, errNoReply):
			continue
		case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrDisconnected):
		case errors.Is(err, nats.ErrNoResponders):
			if silent.IsZero() {
				silent = time.Now()
			}
			if time.Since(silent) > noResponderLimit {
				return nil, fmt.Errorf("%s: %w", m.Subject, mapConn(err))
			}
		default:
			return nil, fmt.Errorf("%s: %w", m.Subject, mapConn(err))
		}
		select {
		case <-ctx.Done():
		case <-link:
		case <-c.closed:
		case <-time.After(retryPause):
		}
	}
}

// attempt sends a message once.
func (c *Conn) attempt(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	actx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(attemptTimeout, func() { cancel(errNoReply) })
	defer late.Stop()
	forget := c.denials.watch(m.Subject, cancel)
	defer forget()
	resp, err := c.nc.RequestMsgWithContext(actx, m)
	if err != nil && actx.Err() != nil {
		err = context.Cause(actx)
	}
	return resp, err
}

// api calls the server's JetStream API and decodes the answer into out.
func (c *Conn) api(ctx context.Context, subject string, in, out any) error {
	var body []byte
	var err error
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode request %s: %w", subject, err)
		}
	}
	resp, err := c.request(ctx, &nats.Msg{Subject: subject, Data: body})
	if err != nil {
		return err
	}
	var failed struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(resp.Data, &failed); err != nil {
		return fmt.Errorf("answer to %s: %w", subject, err)
	}
	if failed.Error != nil {
		return fmt.Errorf("%s: %w", subject, mapAPI(failed.Error))
	}
	if err := json.Unmarshal(resp.Data, out); err != nil {
		return fmt.Errorf("answer to %s: %w", subject, err)
	}
	return nil
}
