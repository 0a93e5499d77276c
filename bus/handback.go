package bus

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// probeEvery is how often processes that hold work are probed.
const probeEvery = 100 * time.Millisecond

// probeWait is the maximum wait for an answer from a probed actor.
const probeWait = 2 * time.Second

// HandBack watches the processes of a project that hold work until ctx ends. If the connection of such a process
// is gone, its work is redelivered at once. It needs the role Timers or Admin.
func (c *Conn) HandBack(ctx context.Context, project string) error {
	w := &handBack{c: c, project: project, held: map[string]atWork{}}
	inbox := c.nc.NewInbox()
	answers := make(chan *nats.Msg, 64)
	sub, err := c.nc.ChanSubscribe(inbox+".*.*", answers)
	if err != nil {
		return mapConn(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { w.probe(ctx, inbox, answers) })
	return c.Signals(ctx, Signal{Project: project, Session: "-"}, w.take)
}

type handBack struct {
	c       *Conn
	project string

	mu   sync.Mutex
	held map[string]atWork // processes that hold work, by actor and process
}

// poolsOf returns the pools of a project from which an actor may hold work. The actor's claims about other pools
// are ignored.
func poolsOf(actor, project string) []string {
	switch {
	case events.IsWorker(actor):
		return []string{events.PoolName(events.PoolTools, project), events.PoolName(events.PoolShort, project)}
	case actor == events.ActorModels:
		return []string{events.PoolName(events.PoolModels, project)}
	}
	return nil
}

// atWork describes the work that a process of an actor holds.
type atWork struct {
	actor string
	Held
}

func (w *handBack) take(s Signal) {
	if s.Name != signalHere && s.Name != signalGone {
		return
	}
	held := heldIn(s.Body)
	if !events.ValidToken(held.Process) {
		return
	}
	own := poolsOf(s.Actor, w.project)
	for _, by := range []map[string][]uint64{held.Now, held.Later} {
		maps.DeleteFunc(by, func(pool string, _ []uint64) bool { return !slices.Contains(own, pool) })
	}
	key := s.Actor + "." + held.Process
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.Name == signalGone || len(held.Now) == 0 {
		delete(w.held, key)
		return
	}
	w.held[key] = atWork{s.Actor, held}
}

// probe checks each process that holds work, and releases the work of those
// without a connection to the server.
func (w *handBack) probe(ctx context.Context, inbox string, answers <-chan *nats.Msg) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	link := w.c.Relinked()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.c.closed:
			return
		case <-link: // others may still be reconnecting
			link = w.c.Relinked()
			w.mu.Lock()
			clear(w.held)
			w.mu.Unlock()
		case <-tick.C:
			w.mu.Lock()
			// order-independent: all of them are probed
			for key, h := range w.held {
				w.c.askFor(w.project, h.actor, h.Process, inbox+"."+key)
			}
			w.mu.Unlock()
		case m := <-answers:
			if m.Header.Get("Status") == noResponders {
				w.gone(ctx, strings.TrimPrefix(m.Subject, inbox+"."))
			}
		}
	}
}

// noResponders is the status of a request without a responder.
const noResponders = "503"

// askFor probes a process of an actor. If the process is not connected, the server answers to reply; otherwise
// the process sends its presence signal.
func (c *Conn) askFor(project, actor, process, reply string) {
	if err := c.nc.PublishRequest(hereSubject(project, actor, process), reply, nil); err != nil {
		c.log.Debug("cannot send a probe", "actor", actor, "process", process, "error", err)
	}
}

func hereSubject(project, actor, process string) string {
	return strings.Join([]string{events.RootHere, project, actor, process}, ".")
}

// gone releases the work of a process, except for work that another process reports to hold.
func (w *handBack) gone(ctx context.Context, key string) {
	w.mu.Lock()
	held := w.held[key]
	delete(w.held, key)
	var others []atWork
	// order-independent: they are only searched
	for _, h := range w.held {
		others = append(others, h)
	}
	w.mu.Unlock()
	for pool, list := range held.Now {
		list = slices.DeleteFunc(list, func(seq uint64) bool {
			return slices.ContainsFunc(others, func(h atWork) bool { return h.Has(seq) })
		})
		if err := w.c.GiveBack(ctx, pool, list); err != nil {
			w.c.log.Warn("work of a lost process is redelivered only when its lease "+
				"expires", "actor", held.actor, "pool", pool, "error", err)
			continue
		}
		w.c.log.Info("work of a lost process is being redelivered", "actor", held.actor, "pool", pool, "events", len(list))
	}
}

// PoolState is the position of a pool.
type PoolState struct {
	// Done is the sequence up to which all work is done.
	Done uint64
	// Delivered is the newest sequence that was delivered.
	Delivered uint64
	// Pending is the number of events that were delivered but are not done.
	Pending int

	consumer uint64 // the pool's own count of deliveries
}

// PoolState returns the state of a pool. It returns events.ErrNoPool if the pool does not exist.
func (c *Conn) PoolState(ctx context.Context, pool string) (PoolState, error) {
	var info struct {
		Delivered struct {
			Consumer uint64 `json:"consumer_seq"`
			Stream   uint64 `json:"stream_seq"`
		} `json:"delivered"`
		Floor struct {
			Stream uint64 `json:"stream_seq"`
		} `json:"ack_floor"`
		Pending int `json:"num_ack_pending"`
	}
	if err := c.api(ctx, apiConsInfo+StreamEvents+"."+pool, nil, &info); err != nil {
		return PoolState{}, fmt.Errorf("state of pool %s: %w", pool, err)
	}
	return PoolState{info.Floor.Stream, info.Delivered.Stream, info.Pending, info.Delivered.Consumer}, nil
}

// GiveBack makes a pool redeliver events at once, regardless of their current holders. It does not affect events
// that are done or were never delivered.
func (c *Conn) GiveBack(ctx context.Context, pool string, seqs []uint64) error {
	if len(seqs) == 0 {
		return nil
	}
	state, err := c.PoolState(ctx, pool)
	if err != nil {
		return err
	}
	for _, seq := range seqs {
		// The server uses the stream's sequence; the pool's sequence only has to be one that was delivered and
		// not completed.
		subject := fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.0.0", StreamEvents, pool, seq, state.consumer)
		if err := c.nc.Publish(subject, []byte("-NAK")); err != nil {
			return fmt.Errorf("release event %d: %w", seq, mapConn(err))
		}
	}
	return nil
}

// Holds reports whether a process of an actor is connected and confirms that it is working on an event. It
// returns false for a process that does not answer within 2 s. A disconnected external process counts as working
// for 2 s after the start of the server or the loss of this connection, because it may be reconnecting. If this
// connection was lost in the meantime or ctx ends, Holds returns ErrUnavailable.
func (c *Conn) Holds(ctx context.Context, project, actor, process string, seq uint64) (bool, error) {
	if !events.ValidToken(process) {
		return false, nil
	}
	wait := time.NewTimer(probeWait)
	defer wait.Stop()
	link := c.Relinked()
	inbox := c.nc.NewInbox()
	msgs := make(chan *nats.Msg, 64)
	for _, subject := range []string{inbox, strings.Join([]string{events.RootSignals, project, "-", actor, signalHere},
		".")} {
		sub, err := c.nc.ChanSubscribe(subject, msgs)
		if err != nil {
			return false, mapConn(err)
		}
		defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
	}
	c.askFor(project, actor, process, inbox)
	for {
		select {
		case m := <-msgs:
			switch {
			case m.Subject == inbox && m.Header.Get("Status") == noResponders:
				return c.mayReturn(ctx, process), nil
			case m.Subject == inbox:
			default:
				if held := heldIn(m.Data); held.Process == process {
					return held.Has(seq), nil
				}
			}
		case <-c.closed:
			return false, events.ErrClosed
		case <-ctx.Done():
			return false, ctx.Err()
		case <-link:
			return false, fmt.Errorf("%w: the connection was lost while waiting", ErrUnavailable)
		case <-wait.C:
			return false, c.Reachable()
		}
	}
}
