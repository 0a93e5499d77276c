package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"manualslop/events"
)

// wayBack is how long an external process may take to reconnect to a restarted server.
const wayBack = 2 * time.Second

// subjectAge is the subject on which an embedded server reports its uptime. It is one of the presence subjects,
// so a role that may probe a process may also probe the server.
var subjectAge = strings.Join([]string{events.RootHere, "-", "server", "age"}, ".")

// anyProcess stands for every process of an actor in a presence subject. It cannot be the name of a process,
// which begins with its kind and is longer.
const anyProcess = "any"

// comeBack is how long a process may take to reconnect to a running server, which it tries at once. It also
// delays the detection of a killed process.
const comeBack = 100 * time.Millisecond

// Gone reports whether a process of an actor has ended: it has no connection to the server and is not
// reconnecting. An external process may have lost only its connection, so it is probed again after comeBack. Gone
// returns false if the answer is unknown.
func (c *Conn) Gone(ctx context.Context, project, actor, process string) (bool, error) {
	if !events.ValidToken(process) {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	missing, err := c.isMissing(ctx, project, actor, process)
	switch {
	case err != nil || !missing || endsWithServer(process):
		return missing, err
	case c.mayReturn(ctx, process):
		return false, nil
	}
	pause(ctx, comeBack)
	return c.isMissing(ctx, project, actor, process)
}

// isMissing reports whether a process has no connection to the server.
func (c *Conn) isMissing(ctx context.Context, project, actor, process string) (bool, error) {
	reply := c.nc.NewInbox()
	answers := make(chan *nats.Msg, 1)
	sub, err := c.nc.ChanSubscribe(reply, answers)
	if err != nil {
		return false, mapConn(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
	c.askFor(project, actor, process, reply)
	if err := c.nc.FlushWithContext(ctx); err != nil { // the server answers in order
		return false, mapConn(err)
	}
	select {
	case m := <-answers:
		return m.Header.Get("Status") == noResponders, nil
	default:
		return false, nil
	}
}

// mayReturn reports whether a disconnected process may be reconnecting. A new connection does not know the
// server's uptime and requests it.
func (c *Conn) mayReturn(ctx context.Context, process string) bool {
	if endsWithServer(process) {
		return false
	}
	c.mu.Lock()
	young := time.Since(c.anew) < wayBack
	c.mu.Unlock()
	if !young || c.room != nil || c.Links() > 1 {
		return young
	}
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	m, err := c.nc.RequestWithContext(ctx, subjectAge, nil)
	if err != nil { // not an embedded server, or the connection is being lost
		return true
	}
	age, err := strconv.ParseInt(string(m.Data), 10, 64)
	return err != nil || time.Duration(age)*time.Millisecond < wayBack
}

// tellAge makes the server answer requests for its uptime, in milliseconds.
func (s *Server) tellAge() error {
	_, err := s.admin.nc.Subscribe(subjectAge, func(m *nats.Msg) {
		if err := m.Respond(strconv.AppendInt(nil, time.Since(s.opened).Milliseconds(), 10)); err != nil {
			s.log.Debug("cannot report the server's uptime", "error", err)
		}
	})
	return mapConn(err)
}

// joinPool registers this process as working on the pool of model calls until leave is called. If no other
// process is registered, everything that the pool has delivered belongs to ended processes and is redelivered.
func (c *Conn) joinPool(ctx context.Context, pool string) (leave func()) {
	kind, project, _ := strings.Cut(pool, "-")
	if c.role.Kind != Models || kind != events.PoolModels {
		return func() {}
	}
	orphans, err := c.orphans(ctx, project, pool)
	if err != nil {
		c.log.Info("work of processes that have ended is redelivered only when its lease expires", "pool", pool, "error", err)
	}
	sub, err := c.nc.Subscribe(hereSubject(project, events.ActorModels, anyProcess), func(*nats.Msg) {})
	if err != nil {
		return func() {} // the connection is closed
	}
	if err := c.GiveBack(ctx, pool, orphans); err != nil {
		c.log.Info("work of processes that have ended is redelivered only when its lease expires", "pool", pool, "error", err)
	} else if len(orphans) > 0 {
		c.log.Info("work of processes that have ended is being redelivered", "pool", pool, "events", len(orphans))
	}
	return func() { _ = sub.Unsubscribe() } // fails only on a closed connection
}

// orphans returns the events that a pool has delivered, including completed ones, if no process works on it. It
// reads the pool's position first, so no process that joins later has any of them.
func (c *Conn) orphans(ctx context.Context, project, pool string) (seqs []uint64, err error) {
	state, err := c.PoolState(ctx, pool)
	if err != nil || state.Pending == 0 {
		return nil, err
	}
	alone, err := c.Gone(ctx, project, events.ActorModels, anyProcess)
	if err != nil || !alone {
		return nil, err
	}
	for seq := state.Done + 1; seq <= state.Delivered && len(seqs) < maxGivenBack; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs, nil
}

// maxGivenBack limits the sequences that are released when a bus opens. The others wait for their lease to expire.
const maxGivenBack = 10_000

// giveBackOfBefore releases everything that was pending in the pools when the server ended, because its
// in-process clients ended with it. Work that an external process may still be doing, and that must not run twice
// at the same time, keeps its lease, which restarts.
func (s *Server) giveBackOfBefore(ctx context.Context) error {
	pending := 0
	for _, p := range s.cfg.Pools {
		state, err := s.admin.PoolState(ctx, p.Name)
		if err != nil {
			return err
		}
		if pending += state.Pending; state.Pending == 0 {
			continue
		}
		keeps, err := s.keptOutside(ctx, p, state.Done)
		if err != nil {
			return fmt.Errorf("holders of pool %s: %w", p.Name, err)
		}
		var seqs []uint64
		for seq := state.Done + 1; seq <= state.Delivered && len(seqs) < maxGivenBack; seq++ {
			if !keeps(seq) {
				seqs = append(seqs, seq)
				continue
			}
			// If the clock was set back, the server counts from a time in the future.
			subject := fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.0.0", StreamEvents, p.Name, seq, state.consumer)
			if err := s.admin.nc.Publish(subject, []byte("+WPI")); err != nil {
				return mapConn(err)
			}
		}
		if err := s.admin.GiveBack(ctx, p.Name, seqs); err != nil {
			return err
		}
	}
	if pending > 0 {
		return nil
	}
	return s.keys.outside.forget()
}

// keptOutside returns a function that reports whether an external process may be working exclusively on an event
// after done.
func (s *Server) keptOutside(ctx context.Context, p Pool, done uint64) (func(seq uint64) bool, error) {
	kind, project, _ := strings.Cut(p.Name, "-")
	var all bool
	kept := map[uint64]bool{}
	switch kind {
	case events.PoolShort: // reading may be repeated
	case events.PoolModels:
		all = s.keys.outside.has(Models)
	case events.PoolTools:
		if !s.keys.outside.has(Worker) {
			break
		}
		if err := s.claimedOutside(ctx, kept); err != nil {
			return nil, err
		}
		for _, t := range []events.Type{events.WorkspaceRequested{}.EventType(), events.MergeRequested{}.EventType()} {
			f := events.Filter{Project: project, Actor: events.ActorConductor, Type: t.Name}
			for e, err := range s.admin.Read(ctx, f, done+1, 0) {
				if err != nil {
					return nil, err
				}
				kept[e.Seq] = true
			}
		}
	default: // unknown, so assume the worst
		all = s.keys.outside.has(Models) || s.keys.outside.has(Worker)
	}
	return func(seq uint64) bool { return all || kept[seq] }, nil
}

// claimedOutside adds the approvals of calls that an external process has claimed. A call without a claim has not
// started or has no side effects.
func (s *Server) claimedOutside(ctx context.Context, kept map[uint64]bool) error {
	return s.admin.eachClaim(ctx, func(_ string, value []byte) error {
		var claim struct {
			Process  string `json:"process"`
			Approved uint64 `json:"approved"`
		}
		if json.Unmarshal(value, &claim) == nil && !endsWithServer(claim.Process) {
			kept[claim.Approved] = true
		}
		return nil
	})
}
