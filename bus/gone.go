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

// wayBack is how long a process outside may need to connect again to a server
// that was started anew.
const wayBack = 2 * time.Second

// subjectAge is where an embedded server answers how old it is. It is among the
// subjects of presence, so who may ask for a process may ask for the server.
var subjectAge = strings.Join([]string{events.RootHere, "-", "server", "age"}, ".")

// anyProcess stands in a presence subject for every process of an actor. The name
// of a process begins with its kind and is longer.
const anyProcess = "any"

// comeBack is how long a process may need to connect again to a server that is
// there: it tries that at once. Whoever is killed is missed for as much longer.
const comeBack = 100 * time.Millisecond

// Gone tells whether a process of an actor has ended: the server knows no
// connection of it, and it is not on its way back. One outside may have lost its
// connection alone, so it is asked for again behind comeBack. It is false where
// nobody knows.
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

// isMissing tells whether the server knows no connection of a process.
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

// mayReturn tells whether a process that is not connected may be on its way back.
// A connection that is new does not know how old the server is, and asks.
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
	if err != nil { // it is not an embedded server, or it is just being lost
		return true
	}
	age, err := strconv.ParseInt(string(m.Data), 10, 64)
	return err != nil || time.Duration(age)*time.Millisecond < wayBack
}

// tellAge has the server answer how many milliseconds ago it was started.
func (s *Server) tellAge() error {
	_, err := s.admin.nc.Subscribe(subjectAge, func(m *nats.Msg) {
		if err := m.Respond(strconv.AppendInt(nil, time.Since(s.opened).Milliseconds(), 10)); err != nil {
			s.log.Debug("the server's age is not told", "error", err)
		}
	})
	return mapConn(err)
}

// joinPool shows, until leave is called, that somebody works on the pool of model
// calls. Where nobody else does, all that the pool has handed out belongs to
// processes that ended, perhaps unseen, and is handed out again.
func (c *Conn) joinPool(ctx context.Context, pool string) (leave func()) {
	kind, project, _ := strings.Cut(pool, "-")
	if c.role.Kind != Models || kind != events.PoolModels {
		return func() {}
	}
	orphans, err := c.orphans(ctx, project, pool)
	if err != nil {
		c.log.Info("work of processes that ended waits for its lease", "pool", pool, "error", err)
	}
	sub, err := c.nc.Subscribe(hereSubject(project, events.ActorModels, anyProcess), func(*nats.Msg) {})
	if err != nil {
		return func() {} // the connection is closed
	}
	if err := c.GiveBack(ctx, pool, orphans); err != nil {
		c.log.Info("work of processes that ended waits for its lease", "pool", pool, "error", err)
	} else if len(orphans) > 0 {
		c.log.Info("work of processes that ended is handed out again", "pool", pool, "events", len(orphans))
	}
	return func() { _ = sub.Unsubscribe() } // fails only on a closed connection
}

// orphans are the events that a pool has handed out, where nobody works on it. What
// is done already is among them. Where the pool stands is asked first, so nobody
// who joins from now on has any of them.
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

// maxGivenBack bounds the sequences that are given back when a bus opens; more
// wait for their lease.
const maxGivenBack = 10_000

// giveBackOfBefore hands out what was pending in every pool when the server
// ended, because whoever was connected inside its process ended with it. Work
// that a process outside may have under way, and that must not run beside it,
// is left to its lease, which begins anew.
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
			// The server counts from a time that lies ahead where the clock was set back.
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

// keptOutside tells which events behind done a process outside may work on while
// nobody else may.
func (s *Server) keptOutside(ctx context.Context, p Pool, done uint64) (func(seq uint64) bool, error) {
	kind, project, _ := strings.Cut(p.Name, "-")
	var all bool
	kept := map[uint64]bool{}
	switch kind {
	case events.PoolShort: // what is only looked at may be looked at twice
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
	default: // not ours to judge
		all = s.keys.outside.has(Models) || s.keys.outside.has(Worker)
	}
	return func(seq uint64) bool { return all || kept[seq] }, nil
}

// claimedOutside adds the approvals of calls that a process outside has claimed.
// A call without a claim has not begun, or changes nothing.
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
