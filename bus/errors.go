package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// Errors of the bus in addition to those of events.Log.
var (
	// ErrLocked means that another process uses the data folder; see [LockedError].
	ErrLocked = errors.New("bus: the data folder is in use")
	// ErrDamaged means that the store on disk cannot be read completely. Nothing is
	// created or deleted in that case.
	ErrDamaged = errors.New("bus: the store on disk is damaged")
	// ErrMismatch means that a stream of an existing cluster is not set up as slop needs it; see [MismatchError].
	ErrMismatch = errors.New("bus: a stream is set up differently")
	// ErrRole means that a role is malformed or that no token is known for it.
	ErrRole = errors.New("bus: no such role")
	// ErrUnavailable means that no server answers for a stream on this connection.
	ErrUnavailable = errors.New("bus: the stream does not answer")
)

// errNoStream means that the server has no such stream; it matches
// ErrUnavailable.
var errNoStream = fmt.Errorf("%w: there is no such stream", ErrUnavailable)

// errNoLeader means that the cluster cannot carry out a request now: it is
// electing a leader, or another attempt at the same request is in progress. It
// matches ErrUnavailable.
var errNoLeader = fmt.Errorf("%w: the cluster currently has no leader for it", ErrUnavailable)

// errNoQuorum ends the wait for a cluster at the start.
var errNoQuorum = fmt.Errorf("%w: no server answers for %s; more than half of a cluster's servers must be running",
	ErrUnavailable, StreamEvents)

// Causes that wake a waiting request.
var (
	errNoReply     = errors.New("no reply in time")
	errReconnected = errors.New("the connection was lost and restored")
)

// Codes of the server's JetStream API that callers branch on.
const (
	codeWrongLastSeq      jetstream.ErrorCode = 10071
	codeWrongLastSeqConst jetstream.ErrorCode = 10164
	codeStoreFailed       jetstream.ErrorCode = 10077
	codeNoStorage         jetstream.ErrorCode = 10047
	codeNoResources       jetstream.ErrorCode = 10023
	codeNoRoom            jetstream.ErrorCode = 10002
	codeMessageTooLarge   jetstream.ErrorCode = 10054
	codeStreamNotFound    jetstream.ErrorCode = 10059
	codeConsumerNotFound  jetstream.ErrorCode = 10014
	codeNoMessage         jetstream.ErrorCode = 10037

	codeNotEnough    jetstream.ErrorCode = 10004 // too few servers answered
	codeNoPeers      jetstream.ErrorCode = 10005 // no servers for a consumer
	codeNotAssigned  jetstream.ErrorCode = 10007
	codeNotAvailable jetstream.ErrorCode = 10008
	codeNotLeader    jetstream.ErrorCode = 10009
	codeRaft         jetstream.ErrorCode = 10041
	codeStreamDown   jetstream.ErrorCode = 10118
	codeConsumerDown jetstream.ErrorCode = 10119
	codeUnderWay     jetstream.ErrorCode = 10158 // the same id is currently being stored
	codeTooMany      jetstream.ErrorCode = 10167 // too many requests are waiting at the server
)

// mapAPI converts an error answer of the server to the error that callers branch on, with the server's text.
func mapAPI(e *jetstream.APIError) error {
	if e == nil {
		return nil
	}
	var is error
	switch e.ErrorCode {
	case codeWrongLastSeq, codeWrongLastSeqConst:
		is = events.ErrConflict
	case codeStoreFailed, codeNoStorage, codeNoResources:
		is = events.ErrFull
	case codeNoRoom:
		is = events.ErrDiskFull
	case codeMessageTooLarge:
		is = events.ErrTooLarge
	case codeStreamNotFound:
		is = errNoStream
	case codeConsumerNotFound:
		is = events.ErrNoPool
	case codeNoMessage:
		is = events.ErrNoKey
	case codeNotEnough, codeNoPeers, codeNotAssigned, codeNotAvailable, codeNotLeader, codeRaft,
		codeStreamDown, codeConsumerDown, codeUnderWay, codeTooMany:
		is = errNoLeader
	default:
		return e
	}
	return fmt.Errorf("%w (%w)", is, e)
}

// mapConn converts errors of the client library to our errors that callers branch on.
func mapConn(err error) error {
	switch {
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionDraining):
		return fmt.Errorf("%w: %w", events.ErrClosed, err)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%w: %w", events.ErrTooLarge, err)
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// retry is the state of one request and its attempts.
type retry struct {
	c      *Conn
	link   <-chan struct{}
	tries  int
	began  time.Time
	silent time.Time // since when no server has answered for the stream
	unsure bool      // an attempt was sent but not answered, so it may have been carried out
}

func (c *Conn) newRetry() *retry { return &retry{c: c, began: time.Now()} }

// attempt sends a message once and waits for the answer.
func (r *retry) attempt(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	if ctx.Err() != nil { // a connection attempt may hold the client's lock
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
	if c.room != nil { // a frozen stream never answers; when asked again, the server refuses
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
