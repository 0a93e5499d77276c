package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// Intervals of work on a pool.
const (
	pullExpires     = 5 * time.Second
	pullHeartbeat   = 500 * time.Millisecond
	pullSilence     = 5 * pullHeartbeat / 2
	progressEvery   = Lease / 5
	firstRedelivery = 100 * time.Millisecond
	lastRedelivery  = 5 * time.Second
	// lastPostponed limits one postponement, because the server's clock may stop with the machine. A handler that
	// is called too early postpones again.
	lastPostponed = 30 * time.Second
)

// Work takes work from a pool until ctx ends, at most most deliveries at a time, and calls handle for each in its
// own goroutine. While handle runs, the server is sent progress reports. If handle returns nil, the work is done
// for good. After an [events.NotBeforeError] it is redelivered at the given time, at most 30 s later, and after
// any other error after a pause that grows with each delivery. Work that another process took over is left to
// that process. When ctx ends, handle's context ends too; Work waits for handle and returns nil. Work waits for a
// missing pool. It returns events.ErrDenied or events.ErrClosed.
func (c *Conn) Work(
	ctx context.Context, pool string, most int, handle func(context.Context, events.Delivery) error,
) error {
	if most < 1 {
		return fmt.Errorf("work on %s: %w: %d slots", pool, ErrConfig, most)
	}
	if err := c.awaitPool(ctx, pool); err != nil && ctx.Err() == nil {
		return fmt.Errorf("work on %s: %w", pool, err)
	}
	defer c.joinPool(ctx, pool)()
	own, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	all := &slots{max: most}
	all.run = func() {
		s := &slot{c: c, pool: pool, next: apiNext + StreamEvents + "." + pool, handle: handle, all: all}
		if err := s.run(own); err != nil {
			stop(err)
		}
	}
	for range min(most, spareSlots) {
		all.begin()
	}
	all.wg.Wait()
	if err := context.Cause(own); err != nil && !errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("work on %s: %w", pool, err)
	}
	return nil
}

// awaitPool waits until a pool exists or ctx ends. An orchestrator of the pool's project creates it.
func (c *Conn) awaitPool(ctx context.Context, pool string) error {
	for said := false; ; said = true {
		err := c.findPool(ctx, pool)
		missing := errors.Is(err, events.ErrNoPool)
		if !missing && !errors.Is(err, ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		if missing && !said {
			c.log.Warn("waiting for a pool that does not exist; start an orchestrator of its project", "pool", pool)
		}
		pause(ctx, retryPause)
	}
}

// findPool returns an error if a pool does not exist.
func (c *Conn) findPool(ctx context.Context, pool string) error {
	var info struct{}
	return c.api(ctx, apiConsInfo+StreamEvents+"."+pool, nil, &info)
}

// spareSlots limits the idle slots of a worker. Each idle slot costs two messages a second.
const spareSlots = 4

// slots are the slots of one worker. There are as many as it has work for, plus a few idle ones.
type slots struct {
	run func()
	max int
	wg  sync.WaitGroup

	mu        sync.Mutex
	all, idle int
}

// begin starts a slot unless there are enough.
func (s *slots) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start()
}

// start is like begin. The caller must hold s.mu.
func (s *slots) start() {
	if s.all < s.max {
		s.all, s.idle = s.all+1, s.idle+1
		s.wg.Go(s.run)
	}
}

// busy records that a slot took work. If no slot is idle, it starts another one.
func (s *slots) busy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle--; s.idle == 0 {
		s.start()
	}
}

// free records that a slot has finished its work, and reports whether the slot should wait for more.
func (s *slots) free() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle >= spareSlots {
		s.all--
		return false
	}
	s.idle++
	return true
}

// slot pulls one message at a time, so the server never delivers more than it can start at once.
type slot struct {
	c          *Conn
	pool, next string
	handle     func(context.Context, events.Delivery) error
	all        *slots
}

// errSpare ends a slot that is no longer needed.
var errSpare = errors.New("enough slots are waiting")

// errTrouble means that the server did not accept a pull.
var errTrouble = errors.New("pull refused")

func (s *slot) run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := s.session(ctx)
		if errors.Is(err, errTrouble) {
			pause(ctx, retryPause)
			err = s.c.awaitPool(ctx, s.pool)
		}
		if errors.Is(err, errSpare) {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// session works on one inbox until the server falls silent. Then an answer to an old request may still be in
// transit, and must not be mistaken for the answer to a new one.
func (s *slot) session(ctx context.Context) error {
	link := s.c.Relinked()
	msgs := make(chan *nats.Msg, 4)
	inbox := s.c.nc.NewInbox()
	sub, err := s.c.nc.ChanSubscribe(inbox, msgs)
	if err != nil {
		return mapConn(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
	pctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.c.denials.watch(s.next, cancel)()
	quiet := time.NewTimer(pullSilence)
	defer quiet.Stop()
	for {
		if err := s.pull(inbox); err != nil {
			return err
		}
		msg, err := s.await(pctx, msgs, link, quiet)
		if msg == nil || err != nil {
			return err
		}
		s.all.busy()
		s.carry(ctx, msg)
		if !s.all.free() {
			return errSpare
		}
	}
}

func (s *slot) pull(inbox string) error {
	body := fmt.Appendf(nil, `{"batch":1,"expires":%d,"idle_heartbeat":%d}`, pullExpires, pullHeartbeat)
	err := s.c.nc.PublishRequest(s.next, inbox, body)
	if errors.Is(err, nats.ErrConnectionClosed) {
		return mapConn(err)
	}
	return nil // disconnected: silence or the reconnect begins a new session
}

// await waits for work. It returns nil without an error if a new session is needed.
func (s *slot) await(ctx context.Context, msgs <-chan *nats.Msg, link <-chan struct{}, quiet *time.Timer) (*nats.Msg,
	error) {
	for {
		quiet.Reset(pullSilence)
		select {
		case m := <-msgs:
			status := m.Header.Get("Status")
			if status == "" || status == "100" {
				s.c.answered()
			}
			switch {
			case status == "" || len(m.Data) > 0:
				return m, nil
			case status == "100":
				continue
			case status == "404" || status == "408":
				return nil, nil // nothing arrived in time
			}
			return nil, errTrouble
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), events.ErrDenied) {
				return nil, context.Cause(ctx)
			}
			return nil, nil
		case <-s.c.closed:
			return nil, events.ErrClosed
		case <-link:
			return nil, nil
		case <-quiet.C:
			return nil, nil
		}
	}
}

// carry passes one message to the handler and reports the outcome to the server.
func (s *slot) carry(ctx context.Context, msg *nats.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		s.c.log.Warn("work item without stream metadata", "subject", msg.Subject, "error", err)
		return
	}
	e, ok := s.c.newest(delivery{msg: msg, seq: meta.Sequence.Stream, at: meta.Timestamp})
	if !ok {
		s.answer(msg, "+TERM")
		return
	}
	s.c.holds.take(s.pool, e.Seq)
	stop := s.showProgress(msg)
	err = s.handle(ctx, events.Delivery{Event: e, Deliveries: int(meta.NumDelivered)})
	stop()
	if err == nil || errors.Is(err, events.ErrTakenOver) {
		s.c.holds.leave(s.pool, e.Seq, time.Time{}, "")
		if err == nil {
			s.answer(msg, "+ACK")
		}
		return
	}
	later := s.pauseAfter(ctx, e, meta.NumDelivered, err)
	s.c.holds.leave(s.pool, e.Seq, time.Now().Add(later), whyOf(err))
	s.answer(msg, fmt.Sprintf(`-NAK {"delay":%d}`, later))
}

// whyOf returns the reason for which a handler postponed work, or "" if it gave none.
func whyOf(err error) string {
	if due, ok := errors.AsType[*events.NotBeforeError](err); ok {
		return due.Reason
	}
	return ""
}

// pauseAfter returns the time until unfinished work is redelivered.
func (s *slot) pauseAfter(ctx context.Context, e events.Event, deliveries uint64, err error) time.Duration {
	var due *events.NotBeforeError
	switch {
	case ctx.Err() != nil:
		return 0 // this process is stopping: another one may take the work at once
	case errors.As(err, &due):
		return min(max(time.Until(due.Time), 0), lastPostponed)
	}
	s.c.log.Warn("work failed", "event", e.ID, "type", e.Type, "delivery", deliveries, "error", err)
	return min(firstRedelivery<<min(deliveries-1, 16), lastRedelivery)
}

// showProgress reports to the server at short intervals that the work is in progress, until stop is called.
func (s *slot) showProgress(msg *nats.Msg) (stop func()) {
	var mu sync.Mutex
	stopped := false
	var timer *time.Timer
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(progressEvery, func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			s.answer(msg, "+WPI")
			timer.Reset(progressEvery)
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// answer sends an acknowledgement to the server. If it is lost, the message is redelivered.
func (s *slot) answer(msg *nats.Msg, what string) {
	if err := s.c.nc.Publish(msg.Reply, []byte(what)); err != nil && s.c.nc.IsConnected() {
		s.c.log.Warn("acknowledgement not sent", "subject", msg.Subject, "error", err)
	}
}
