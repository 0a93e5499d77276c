package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

// Timeouts of a request. The attempt is repeated until the caller's context
// ends, which is safe because every request carries an id or changes nothing.
const (
	attemptTimeout = 5 * time.Second
	// On a cluster a request to a leader that was killed gets no answer, so its
	// first attempts are short.
	shortAttempt  = time.Second
	shortAttempts = 10
	retryPause    = 50 * time.Millisecond
	// An election takes four to six seconds, longer on a loaded machine.
	leaderWait = 30 * time.Second
	// quietWait is how long a request waits before that is logged.
	quietWait = 2 * time.Second
)

// Conn is a connection with the rights of one role. It implements events.Log and events.Blobs and is safe for
// concurrent use.
type Conn struct {
	role    Role
	process string // see Process
	log     *slog.Logger
	nc      *nats.Conn
	// replicated means that answers of the nearest replica may be stale. A role without the right to find out
	// assumes so for every cluster.
	replicated atomic.Bool
	denials    denials
	waiting    atomic.Bool // an unresponsive bus was logged
	identity   identity
	closed     chan struct{} // closed together with the connection
	holds      holds
	room       *room        // of the embedded server; nil if the server is in another process
	refused    atomic.Int64 // when the server last reported that it is full, in Unix time
	gauge      *gauge       // shared by all connections in the process of a server
	recent     *Recent      // shared by all connections of a process
	reading    sync.Mutex   // held by the only reader that a worker's connection may have

	mu   sync.Mutex
	link chan struct{} // closed and replaced at each reconnect
	anew time.Time     // when the server or the connection last came up
}

var (
	_ events.Log   = (*Conn)(nil)
	_ events.Blobs = (*Conn)(nil)
)

// signalQueue is the number of signals that are queued for a slow reader; further signals are lost. The client
// allocates the whole queue at once.
const signalQueue = 4096

// newConn opens a connection with the options that both ways to connect share.
func newConn(role Role, process string, log *slog.Logger, url string, opts ...nats.Option) (*Conn, error) {
	c := &Conn{role: role, process: process, log: log.With("role", role.String()), link: make(chan struct{}),
		closed: make(chan struct{}), gauge: &gauge{}, recent: NewRecent(), anew: time.Now(),
		holds: holds{pools: map[string]map[uint64]*hold{}, changed: make(chan struct{}, 1)}}
	opts = append([]nats.Option{
		nats.Name("slop " + role.String()),
		nats.CustomInboxPrefix(role.inbox()),
		nats.ReconnectBufSize(-1),
		nats.SyncQueueLen(signalQueue),
		nats.PermissionErrOnSubscribe(true),
		nats.ErrorHandler(c.onError),
		nats.ClosedHandler(func(*nats.Conn) { c.onClose() }),
		nats.ReconnectHandler(func(*nats.Conn) { c.onReconnect() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.lost("bus connection lost", err)
			}
		}),
	}, opts...)
	var err error
	if c.nc, err = nats.Connect(url, opts...); err != nil {
		return nil, fmt.Errorf("connect as %s: %w", role, mapConn(err))
	}
	return c, nil
}

// Process identifies this connection among all connections of one actor,
// because two processes may share an actor. It changes with each start.
func (c *Conn) Process() string { return c.process }

// Prefixes of the name of a process.
const (
	processEmbedded = "e" // in the server's process, and ends with it
	processRemote   = "r" // in another process, which may outlive the server
)

func newProcess(kind string) string { return kind + nuid.Next() }

// endsWithServer reports whether a process ends with its server.
func endsWithServer(process string) bool { return strings.HasPrefix(process, processEmbedded) }

// Role returns the role of the connection.
func (c *Conn) Role() Role { return c.role }

// Close closes the connection; pending calls return events.ErrClosed.
func (c *Conn) Close() { c.nc.Close() }

// Reachable returns why the server currently cannot be reached, or nil. A hung
// server is noticed after a few seconds, a stopped one at once.
func (c *Conn) Reachable() error {
	switch {
	case c.nc.IsConnected():
		return nil
	case c.nc.IsClosed():
		return events.ErrClosed
	}
	if err := c.nc.LastError(); err != nil {
		return fmt.Errorf("%w: the connection is lost; reconnecting (%w)", ErrUnavailable, err)
	}
	return fmt.Errorf("%w: the connection is lost; reconnecting", ErrUnavailable)
}

// refusedFor is how long a refusal by a server in another process counts.
const refusedFor = 10 * time.Second

// Room returns why not everything can be stored at the moment: events.ErrDiskFull, or events.ErrReserve according
// to the last known fill level (see [Conn.Fill]). It returns nil if everything can be stored. For a server in
// another process, only its answers of the last seconds show that its disk is full.
func (c *Conn) Room() error {
	var why error
	switch {
	case c.room != nil:
		why = c.room.why()
	case time.Since(time.Unix(c.refused.Load(), 0)) < refusedFor:
		why = events.ErrDiskFull
	}
	if f, _ := c.gauge.get(); why == nil && f.Reserved {
		why = reserved(f)
	}
	return why
}

// Links returns how often the connection was established, from 1. Everything
// read between two equal results was read over one connection, without a gap.
func (c *Conn) Links() uint64 { return c.nc.Stats().Reconnects + 1 }

// Received returns how many bytes of messages were received over the connection.
func (c *Conn) Received() uint64 { return c.nc.Stats().InBytes }

// lost logs an unresponsive bus once, until it answers again.
func (c *Conn) lost(message string, err error) {
	if !c.waiting.Swap(true) {
		c.log.Warn(message, "error", err)
	}
}

// answered logs that the bus answers again.
func (c *Conn) answered() {
	if c.waiting.Load() && c.waiting.Swap(false) {
		c.log.Info("the bus answers again", "server", c.nc.ConnectedServerName())
	}
}

func (c *Conn) onReconnect() {
	if !c.replicated.Load() { // a cluster may have to elect a leader first
		c.answered()
	}
	c.mu.Lock()
	close(c.link)
	c.link = make(chan struct{})
	c.anew = time.Now()
	c.mu.Unlock()
	c.denials.wakeAll(errReconnected)
}

func (c *Conn) onClose() {
	close(c.closed)
	c.denials.wakeAll(events.ErrClosed)
}

// Relinked returns a channel that is closed at the next reconnect.
func (c *Conn) Relinked() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

func (c *Conn) onError(_ *nats.Conn, _ *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrPermissionViolation) {
		c.denials.deny(err)
	} else if c.waiting.Load() {
		return // an unresponsive bus was logged
	}
	c.log.Warn("bus connection", "error", err)
}

// request sends a message and waits for the answer until ctx ends, retrying
// after lost connections and answers. events.ErrDenied is returned at once.
func (c *Conn) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	r := c.newRetry()
	for {
		resp, err := r.attempt(ctx, m)
		if err == nil {
			return resp, nil
		}
		if err = r.pause(ctx, m.Subject, err); err != nil {
			return nil, err
		}
	}
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
	r, m := c.newRetry(), &nats.Msg{Subject: subject, Data: body}
	for {
		resp, err := r.attempt(ctx, m)
		if err == nil {
			err = decodeAPI(resp.Data, out)
		}
		if err == nil {
			c.answered()
			return nil
		}
		if err = r.pause(ctx, subject, err); err != nil {
			return err
		}
	}
}

// decodeAPI decodes an answer of the JetStream API, which may be an error.
func decodeAPI(body []byte, out any) error {
	var failed struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(body, &failed); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	if failed.Error != nil {
		return mapAPI(failed.Error)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}
