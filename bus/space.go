package bus

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"manualslop/events"
)

// keepFree is the space that must stay free on a file system, in bytes. Below it only events that end something
// are stored, and below a quarter of it nothing is. Storing resumes when twice as much is free. On a small file
// system a sixteenth of its size is used instead.
const keepFree = 16 << 20

// Intervals of the disk watch.
const (
	roomEvery    = 250 * time.Millisecond
	restartEvery = 2 * time.Second // minimum time between two restarts of streams that a write error froze
)

// room records whether the disk of an embedded server accepts writes.
type room struct {
	mu    sync.Mutex
	err   error           // why it does not; nil if it does
	none  bool            // it does not even accept events that end something
	state context.Context // ends when that changes
	end   context.CancelFunc
}

func newRoom() *room {
	r := &room{}
	r.state, r.end = context.WithCancel(context.Background())
	return r
}

// why returns why the disk accepts no writes, or nil if it does.
func (r *room) why() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// untilChange returns a context that ends when the disk stops or resumes accepting writes.
func (r *room) untilChange() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// set records the current state: err is why writes are rejected, or nil if they are accepted, and none means that
// even events that end something are rejected. It reports whether the state is new.
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

// watchRoom watches the disk until ctx ends.
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

// frozen describes a stream that accepts nothing since a write failed, or returns "" if there is none. The server
// never writes to such a stream again.
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

// refuse makes the server reject every write with an error at once, including writes to a frozen stream, which
// would otherwise get no answer.
func (s *Server) refuse(why error) {
	if err := s.limit(1); err != nil && s.nats.JetStreamEnabled() {
		s.log.Warn("the server does not refuse writes", "error", err)
	}
	if s.room.set(why, true) { // set after the limit, because requests are then sent again
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

// limit limits the size of all streams together, in bytes. -1 leaves only the budget of each stream.
func (s *Server) limit(bytes int64) error {
	return s.nats.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": {
		MaxMemory: -1, MaxStore: bytes, MaxStreams: -1, MaxConsumers: -1, MaxAckPending: -1,
		MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1,
	}})
}

// restartStreams closes the streams and opens them again, which is the only way to unfreeze one. Connections
// stay; their requests and consumers are recreated.
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

// reserve is the part of the log's budget, in bytes, that new work may not use. Running work may use its first
// half to finish; only outcomes and events that close sessions may use its second half. A small log reserves a
// quarter instead.
const reserve = 16 << 20

// use says how far into the reserve an event may go.
type use int

const (
	// useNone is for new work, which may not use the reserve.
	useNone use = iota + 1
	// useHalf is for events that follow from running work.
	useHalf
	// useAll is for the ends of sessions, and for outcomes.
	useAll
)

// newWork returns the types of event that begin something, or that an actor may send without limit.
var newWork = sync.OnceValue(func() map[string]bool {
	return events.Names(
		events.SessionOpened{}, events.GoalSubmitted{}, events.TracksAccepted{}, events.GraphMutationRequested{},
		events.WorkerSpawnRequested{}, events.NoteRequested{},
		events.PatchRequested{}, events.RetryRequested{}, events.UndoRequested{},
		events.AskPosted{}, events.EventPushed{}, events.GUITaskQueued{}, events.SessionPartUploaded{},
		events.DiscussionChanged{}, events.ConversationOpened{}, events.TalkAttached{},
		events.CurationRestored{}, events.TurnRequested{},
		events.ContextInjectionRequested{}, events.ProjectEdited{}, events.ModelStarted{},
	)
})

// endings returns the types that end something, in addition to all outcomes.
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

// Fill describes how full the log is.
type Fill struct {
	Bytes, Budget uint64
	// Reserved is set when no more than the reserve is left.
	Reserved bool
	// Closing is set when no more than the second half of the reserve is left.
	Closing bool
}

// Fill returns how full the log is. It needs the right to read the log.
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

// A gauge is refreshed after gaugeEvery, or when gaugeBytes were appended.
const (
	gaugeEvery = 250 * time.Millisecond
	gaugeBytes = 64 << 10
)

// gauge caches how full the log is.
type gauge struct {
	mu    sync.Mutex
	fill  Fill
	at    time.Time
	since int // bytes appended since then
}

func (g *gauge) set(f Fill) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fill, g.at, g.since = f, time.Now(), 0
}

// add counts appended bytes.
func (g *gauge) add(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.since += size
}

// get returns the cached answer, and whether it is still fresh.
func (g *gauge) get() (Fill, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fill, time.Since(g.at) < gaugeEvery && g.since < gaugeBytes
}

// leaveReserve rejects an event that may not use the remaining space of the disk or of the log's budget. Workers
// and agents have no right to ask how full the log is: a worker's events are outcomes, and the gateway checks on
// behalf of its agents. If the request fails, new work is rejected and everything else is appended.
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
