package bus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"manualslop/events"
)

// Room that a file system keeps free, in bytes. Below it only ends are stored,
// and below a quarter of it nothing; the store continues when twice as much is
// free. A small file system keeps a sixteenth of itself instead.
const keepFree = 16 << 20

// Times of the watch over the disk.
const (
	roomEvery    = 250 * time.Millisecond
	restartEvery = 2 * time.Second // at most so often for a stream that a write error froze
)

// room is whether the disk of an embedded server takes anything.
type room struct {
	mu    sync.Mutex
	err   error           // why it does not; nil while it does
	none  bool            // it takes not even ends
	state context.Context // ends when that changes
	end   context.CancelFunc
}

func newRoom() *room {
	r := &room{}
	r.state, r.end = context.WithCancel(context.Background())
	return r
}

// why is nil while there is room.
func (r *room) why() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// untilChange returns a context that ends when the disk stops to take anything,
// or begins to.
func (r *room) untilChange() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// set notes why nothing is taken, or nothing but ends, or with nil that there
// is room. It reports whether that is new.
func (r *room) set(err error, none bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	news := (err == nil) != (r.err == nil) || none != r.none
	if r.err, r.none = err, none; news {
		r.end()
		r.state, r.end = context.WithCancel(context.Background())
	}
	return news
}

// watchRoom looks after the disk until ctx ends.
func (s *Server) watchRoom(ctx context.Context) {
	tick := time.NewTicker(roomEvery)
	defer tick.Stop()
	var restarted time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		frozen := s.frozen()
		free, total, err := diskRoom(s.cfg.store())
		if err != nil {
			free, total = 0, 0
		}
		low := min(keepFree, total/16)
		switch {
		case frozen == "" && err != nil:
		case free < low/4, frozen != "" && free < 2*low:
			s.refuse(tooLittle(free, low))
		case frozen != "":
			s.refuse(fmt.Errorf("%w: %s", events.ErrDiskFull, frozen))
			if time.Since(restarted) < restartEvery {
				break
			}
			restarted = time.Now()
			if err := s.restartStreams(ctx); err != nil {
				s.log.Error("cannot reopen the streams", "error", err)
				break
			}
			s.admit()
		case s.room.why() != nil && free >= 2*low:
			s.admit()
		case s.room.why() == nil && free < low:
			s.room.set(tooLittle(free, low), false)
			s.log.Error("disk almost full: only events that end sessions or work are stored until space is "+
				"freed", "reason", s.room.why())
		}
	}
}

func tooLittle(free, low int64) error {
	return fmt.Errorf("%w: %d KiB are free, at least %d KiB are needed", events.ErrDiskFull, free>>10, low>>10)
}

// frozen returns which stream takes nothing since a write failed; empty: none.
// The server never writes to such a stream again.
func (s *Server) frozen() string {
	if !s.nats.JetStreamEnabled() {
		return "the streams are closed"
	}
	for _, e := range s.nats.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if e.Type == server.HealthzErrorStream {
			return e.Error
		}
	}
	return ""
}

// refuse makes the server answer every write with an error at once, a write into
// a frozen stream too, of which it would say nothing.
func (s *Server) refuse(why error) {
	if err := s.limit(1); err != nil && s.nats.JetStreamEnabled() {
		s.log.Warn("the server does not refuse writes", "error", err)
	}
	if s.room.set(why, true) { // after the limit: requests are sent again then
		s.log.Error("nothing is stored until space is freed", "reason", why)
	}
}

func (s *Server) admit() {
	if err := s.limit(-1); err != nil {
		s.log.Warn("the server still refuses writes", "error", err)
		return
	}
	if s.room.set(nil, false) {
		s.log.Info("there is enough space again; events are being stored")
	}
}

// limit limits what all streams may hold, in bytes; -1: the budget of each
// does.
func (s *Server) limit(bytes int64) error {
	return s.nats.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": {
		MaxMemory: -1, MaxStore: bytes, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1,
		MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1,
	}})
}

// restartStreams closes the streams and opens them again, which is the only way
// to thaw one. Connections stay; their requests and consumers are recreated.
func (s *Server) restartStreams(ctx context.Context) error {
	before, err := readEnds(s.cfg.store())
	if err != nil {
		return err
	}
	s.log.Info("reopening the streams after a failed write")
	if err := s.nats.ShutdownJetStream(); err != nil {
		return err
	}
	err = s.nats.EnableJetStream(&server.JetStreamConfig{
		StoreDir: s.cfg.store(), SyncAlways: s.cfg.Durability == Sync, SyncInterval: 2 * time.Minute,
		MaxMemory: memoryLimit, MaxStore: storeLimit, Strict: true,
	})
	if err != nil {
		return err
	}
	for _, want := range streamConfigs(s.cfg.budget(), 1) {
		info, err := s.admin.stream(ctx, want.Name)
		if err != nil {
			return err
		}
		if what := lossOf(want.Name, info.State); what != "" {
			return damageOf(s.cfg.store(), want.Name, what)
		}
		if recorded := before.of(want.Name).Seq; info.State.LastSeq < recorded {
			what := fmt.Sprintf("it ends at sequence %d but once reached %d", info.State.LastSeq, recorded)
			return damageOf(s.cfg.store(), want.Name, what)
		}
	}
	return nil
}

// reserve is the part of the log's budget, in bytes, that new work may not use:
// in it what runs comes to its end, and in its second half sessions are closed
// and nothing else. A small log keeps a quarter.
const reserve = 16 << 20

// use says how far into the reserve an event may go.
type use int

const (
	// useNone is of new work, which leaves the reserve alone.
	useNone use = iota + 1
	// useHalf is of what follows from work that runs.
	useHalf
	// useAll is of the ends of sessions, and of outcomes.
	useAll
)

// newWork are the types of event that begin something, or that somebody may
// send without limit.
var newWork = sync.OnceValue(func() map[string]bool {
	return events.Names(
		events.SessionOpened{}, events.GoalSubmitted{}, events.TracksAccepted{}, events.GraphMutationRequested{},
		events.WorkerSpawnRequested{}, events.PatchRequested{}, events.RetryRequested{}, events.UndoRequested{},
		events.AskPosted{}, events.EventPushed{}, events.GUITaskQueued{}, events.SessionPartUploaded{},
		events.DiscussionChanged{}, events.TurnRequested{}, events.ContextInjectionRequested{}, events.ProjectEdited{},
		events.ModelStarted{},
	)
})

// endings are the types that end something, beside all outcomes.
var endings = sync.OnceValue(func() map[string]bool {
	return events.Names(
		events.SessionClosed{}, events.AskAnswered{}, events.AskSettled{}, events.KillRequested{},
		events.TicketKilled{}, events.PauseRequested{}, events.Paused{}, events.SessionStalled{},
		events.ShutdownRequested{}, events.StoreFull{}, events.StoreRewritten{},
	)
})

// useOf returns how far into the reserve an event of a type may go.
func useOf(typ string) use {
	d, known := events.Catalogue().Lookup(typ)
	switch {
	case newWork()[typ]:
		return useNone
	case endings()[typ], known && d.Class == events.Outcome:
		return useAll
	}
	return useHalf
}

// Fill is how full the log is.
type Fill struct {
	Bytes, Budget uint64
	// Reserved is set when only the reserve is left, or less.
	Reserved bool
	// Closing is set when only its second half is left, or less.
	Closing bool
}

// Fill asks how full the log is. It needs the rights to read the log.
func (c *Conn) Fill(ctx context.Context) (Fill, error) {
	info, err := c.stream(ctx, StreamEvents)
	if err != nil {
		return Fill{}, fmt.Errorf("fill of the log: %w", err)
	}
	f := Fill{Bytes: info.State.Bytes, Budget: uint64(max(info.Config.MaxBytes, 0))}
	kept := min(reserve, f.Budget/4)
	f.Reserved = f.Budget > 0 && f.Bytes+kept > f.Budget
	f.Closing = f.Budget > 0 && f.Bytes+kept/2 > f.Budget
	c.gauge.set(f)
	return f, nil
}

// A gauge is asked again after gaugeEvery, or when gaugeBytes were appended.
const (
	gaugeEvery = 250 * time.Millisecond
	gaugeBytes = 64 << 10
)

// gauge is how full the log was when it was last asked.
type gauge struct {
	mu    sync.Mutex
	fill  Fill
	at    time.Time
	since int // bytes that were appended through it
}

func (g *gauge) set(f Fill) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fill, g.at, g.since = f, time.Now(), 0
}

// add counts bytes that are appended.
func (g *gauge) add(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.since += size
}

// get returns the last answer, and whether it may still count.
func (g *gauge) get() (Fill, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fill, time.Since(g.at) < gaugeEvery && g.since < gaugeBytes
}

// leaveReserve refuses an event that may not use the rest of the disk or of the
// log's budget. A worker and an agent may not ask how full the log is: a
// worker's events are outcomes, and the gateway asks for its agents. Where the
// answer fails, new work is refused and everything else is appended.
func (c *Conn) leaveReserve(ctx context.Context, typ string, size int) error {
	c.gauge.add(size)
	how := useOf(typ)
	if how == useAll {
		return nil
	}
	if c.room != nil {
		if why := c.room.why(); why != nil {
			return why
		}
	}
	if !c.role.readsLog() {
		return nil
	}
	f, fresh := c.gauge.get()
	if how == useNone || !fresh {
		var err error
		if f, err = c.Fill(ctx); err != nil {
			if how == useNone {
				return err
			}
			return nil
		}
	}
	if how == useNone && f.Reserved || f.Closing {
		return reserved(f)
	}
	return nil
}

func reserved(f Fill) error {
	return fmt.Errorf("%w: %d of %d bytes are used", events.ErrReserve, f.Bytes, f.Budget)
}
