package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

// Sizes and times of a feed. Messages that a feed has requested but not yet passed on wait in its local buffer. A
// slow reader simply requests later, and the server buffers nothing for it.
const (
	feedBatch     = 256
	feedBytes     = 8 << 20
	feedExpires   = 30 * time.Second
	feedHeartbeat = 500 * time.Millisecond
	feedSilence   = 5 * feedHeartbeat / 2
	feedInactive  = 30 * time.Second
	// Number of heartbeats without a message that is known to be stored, after which the consumer is replaced. In
	// a cluster the replica may lag; then a consumer on another server is tried for a while.
	feedPatience        = 2
	feedPatienceReplica = 10
	holePatience        = time.Minute
	lagPause            = 200 * time.Millisecond
	// feedTries is how many consumers of a worker may skip events before that counts as a hole.
	feedTries = 3
)

// delivery is one message of the stream and its position.
type delivery struct {
	msg     *nats.Msg
	seq     uint64
	at      time.Time
	pending uint64 // events under the filter after this one
}

// feed is an ordered consumer. It delivers every message under one filter from a sequence on, in order and once
// each. It recreates its consumer whenever the server has lost it or a message was lost in transit.
type feed struct {
	c      *Conn
	worker string // name of a worker's consumer; empty for a new name each time
	filter string
	from   uint64 // next stream sequence to take; 0 means the first one since
	since  time.Time
	total  uint64 // events under the filter at or after the first one, at creation

	name    string
	pending uint64 // events under the filter when this consumer was made
	sub     *nats.Subscription
	msgs    chan *nats.Msg
	link    <-chan struct{}
	count   uint64 // messages taken from this consumer
	asked   int    // messages requested but not yet received
	quiet   *time.Timer
	due     bool      // the caller knows that more is stored
	idle    int       // heartbeats since the last message while more was due
	again   int       // consumers created since the last message
	stuck   time.Time // since when recreated consumers have not delivered

	before mark // the message before from; empty if unknown
}

// openFeed creates the consumer. The caller must call close.
func (c *Conn) openFeed(ctx context.Context, f events.Filter, from uint64) (*feed, error) {
	fd := &feed{c: c, filter: f.Subject(), from: max(from, 1), quiet: time.NewTimer(feedSilence)}
	if c.role.Kind == Worker {
		fd.worker = c.role.consumer(f.Project)
	}
	pending, err := fd.create(ctx)
	if err != nil {
		fd.close()
		return nil, err
	}
	fd.total = pending
	return fd, nil
}

type createRequest struct {
	Stream string         `json:"stream_name"`
	Config consumerConfig `json:"config"`
	Action string         `json:"action"`
}

type consumerConfig struct {
	Name          string        `json:"name"`
	DeliverPolicy string        `json:"deliver_policy"`
	StartSeq      uint64        `json:"opt_start_seq,omitempty"`
	StartTime     *time.Time    `json:"opt_start_time,omitempty"`
	AckPolicy     string        `json:"ack_policy"`
	Filter        string        `json:"filter_subject"`
	MemStorage    bool          `json:"mem_storage"`
	Replicas      int           `json:"num_replicas"`
	Inactive      time.Duration `json:"inactive_threshold"`
	MaxWaiting    int           `json:"max_waiting"`
}

// create creates a consumer from fd.from on and returns how many events are waiting.
func (fd *feed) create(ctx context.Context) (uint64, error) {
	fd.link = fd.c.Relinked()
	fd.name, fd.count, fd.asked, fd.idle = cmp.Or(fd.worker, nuid.Next()), 0, 0, 0
	fd.msgs = make(chan *nats.Msg, 2*feedBatch)
	// The inbox must be outside the one that answers to requests share, because the library would treat a message
	// there as the answer to a single request.
	inbox := fd.c.nc.NewInbox()
	var err error
	if fd.sub, err = fd.c.nc.ChanSubscribe(inbox, fd.msgs); err != nil {
		return 0, mapConn(err)
	}
	if err := fd.c.sameLog(ctx); err != nil {
		return 0, err
	}
	if fd.worker != "" {
		if err := fd.c.removeConsumer(ctx, fd.worker); err != nil {
			return 0, err
		}
	}
	var out struct {
		Pending uint64 `json:"num_pending"`
	}
	cfg := consumerConfig{Name: fd.name, DeliverPolicy: "by_start_sequence", StartSeq: fd.from, AckPolicy: "none",
		Filter: fd.filter, MemStorage: true, Replicas: 1, Inactive: feedInactive, MaxWaiting: 16}
	if fd.from == 0 {
		cfg.DeliverPolicy, cfg.StartTime = "by_start_time", &fd.since
	}
	err = fd.c.api(ctx, apiCreate+StreamEvents+"."+fd.name+"."+fd.filter,
		createRequest{Stream: StreamEvents, Action: "create", Config: cfg}, &out)
	fd.pending = out.Pending
	return out.Pending, err
}

// removeConsumer removes a consumer and waits until it is gone. A worker calls it before it creates a consumer
// with the same name: the previous one may be left over from a killed process. The server executes requests
// concurrently, so an unawaited removal could happen after the next creation.
func (c *Conn) removeConsumer(ctx context.Context, name string) error {
	err := c.api(ctx, apiDelete+StreamEvents+"."+name, nil, &struct{}{})
	if errors.Is(err, events.ErrNoPool) {
		return nil
	}
	return err
}

// close ends the feed and removes its consumer, which the server would otherwise do after a while.
func (fd *feed) close() {
	fd.quiet.Stop()
	fd.drop()
}

func (fd *feed) drop() {
	if fd.sub == nil {
		return
	}
	// An error means that the connection is gone, and with it the consumer and the subscription.
	_ = fd.sub.Unsubscribe()
	if fd.worker == "" {
		_ = fd.c.nc.Publish(apiDelete+StreamEvents+"."+fd.name, nil)
	}
	fd.sub = nil
}

// errAgain means that the consumer must be recreated.
var errAgain = errors.New("consumer must be recreated")

// next waits for the next message until ctx ends.
func (fd *feed) next(ctx context.Context) (delivery, error) {
	for {
		d, err := fd.take(ctx)
		if err == nil {
			fd.from, fd.before, fd.again = d.seq+1, markOf(d), 0
			fd.stuck = time.Time{}
			return d, nil
		}
		if !errors.Is(err, errAgain) {
			return delivery{}, err
		}
		fd.drop()
		if fd.again++; fd.again > 1 { // a cluster that is electing a leader accepts consumers and then drops them
			pause(ctx, lagPause)
		}
		if err := fd.c.stillHolds(ctx, fd.before); err != nil {
			return delivery{}, err
		}
		if _, err := fd.create(ctx); err != nil {
			return delivery{}, err
		}
	}
}

// take waits for a message of the current consumer.
func (fd *feed) take(ctx context.Context) (delivery, error) {
	for {
		if err := fd.ask(); err != nil {
			return delivery{}, err
		}
		msg, err := fd.receive(ctx)
		if err != nil {
			return delivery{}, err
		}
		if status := msg.Header.Get("Status"); status != "" && len(msg.Data) == 0 {
			if err := fd.onStatus(ctx, status, msg.Header); err != nil {
				return delivery{}, err
			}
			continue
		}
		fd.asked--
		fd.idle = 0
		meta, err := msg.Metadata()
		if err != nil {
			return delivery{}, fmt.Errorf("%w: %w", errAgain, err)
		}
		if fd.count++; meta.Sequence.Consumer != fd.count || fd.isOthers(msg.Subject, meta) {
			return delivery{}, errAgain
		}
		return delivery{msg, meta.Sequence.Stream, meta.Timestamp, meta.NumPending}, nil
	}
}

// isOthers reports whether a message belongs to a consumer with which another process of the same worker replaced
// this one. Skipped events may also mean a hole, which is assumed after a few consumers.
func (fd *feed) isOthers(subject string, meta *nats.MsgMetadata) bool {
	return fd.worker != "" && (meta.Sequence.Stream < fd.from || !server.SubjectMatchesFilter(subject, fd.filter) ||
		meta.NumPending+fd.count < fd.pending && fd.again < feedTries)
}

// ask keeps at least half a batch requested.
func (fd *feed) ask() error {
	if fd.asked > feedBatch/2 {
		return nil
	}
	n := feedBatch - fd.asked
	body := fmt.Appendf(nil, `{"batch":%d,"max_bytes":%d,"expires":%d,"idle_heartbeat":%d}`, n, feedBytes, feedExpires,
		feedHeartbeat)
	err := fd.c.nc.PublishRequest(apiNext+StreamEvents+"."+fd.name, fd.sub.Subject, body)
	switch {
	case err == nil:
		fd.asked += n
		return nil
	case errors.Is(err, nats.ErrConnectionClosed):
		return mapConn(err)
	}
	return nil // disconnected: the reconnect creates a new consumer
}

// receive waits for any message from the server. Silence or a new connection means that the consumer may be gone.
func (fd *feed) receive(ctx context.Context) (*nats.Msg, error) {
	select {
	case m := <-fd.msgs:
		return m, nil
	default:
	}
	fd.quiet.Reset(feedSilence)
	for {
		select {
		case m := <-fd.msgs:
			return m, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-fd.c.closed:
			return nil, events.ErrClosed
		case <-fd.link:
			return nil, errAgain
		case <-fd.quiet.C:
			if fd.c.nc.IsConnected() {
				return nil, errAgain
			}
			fd.quiet.Reset(feedSilence)
		}
	}
}

// undelivered handles a consumer that does not deliver stored events. It returns errAgain while a replica may
// lag, then events.ErrHole. A server that can read the next event is only busy and gets more time, because with a
// sparse filter it must read many blocks.
func (fd *feed) undelivered(ctx context.Context) error {
	if fd.stuck.IsZero() {
		fd.stuck = time.Now()
	}
	if patient := time.Since(fd.stuck) < holePatience; patient && fd.c.replicated.Load() {
		return errAgain
	} else if patient && fd.isStored(ctx) {
		fd.idle = 0
		return nil
	}
	return fmt.Errorf("%w: no delivery from sequence %d on", events.ErrHole, fd.from)
}

// isStored reports whether the server can read the next message of the feed.
func (fd *feed) isStored(ctx context.Context) bool {
	if fd.from == 0 || !fd.c.role.readsLog() {
		return false
	}
	m, err := fd.c.directGet(ctx, apiDirectGet+StreamEvents, getRequest{Seq: fd.from, NextFor: fd.filter})
	return err == nil && m != nil
}

// onStatus handles a status message of the server about a request.
func (fd *feed) onStatus(ctx context.Context, status string, h nats.Header) error {
	if status == "100" {
		if last := h.Get("Nats-Last-Consumer"); last != "" && last != strconv.FormatUint(fd.count, 10) {
			return errAgain
		}
		if fd.due {
			fd.idle++
		}
		if fd.idle < feedPatience || fd.idle < feedPatienceReplica && fd.c.replicated.Load() {
			return nil
		}
		return fd.undelivered(ctx)
	}
	n, err := strconv.Atoi(h.Get("Nats-Pending-Messages"))
	if err != nil {
		return errAgain
	}
	fd.asked = max(fd.asked-n, 0)
	return nil
}
