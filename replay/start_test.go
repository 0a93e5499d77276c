package replay_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/runtime"
)

// readCounter counts the events that are read.
type readCounter struct {
	events.Log
	read *atomic.Int64
}

func (l readCounter) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range l.Log.Read(ctx, f, from, to) {
			l.read.Add(1)
			if !yield(e, err) {
				return
			}
		}
	}
}

// caughtUp hears of the first event that comes live.
type caughtUp struct{ live chan struct{} }

func (c caughtUp) Begin(context.Context, string, []*events.Event) {}
func (c caughtUp) Take(context.Context, *events.Event) {
	select {
	case c.live <- struct{}{}:
	default:
	}
}
func (c caughtUp) Restore(context.Context, string, runtime.Mark) runtime.Mark { return runtime.Nothing }
func (c caughtUp) Save(string, runtime.Mark) (store func(context.Context))    { return nil }

// site is a bus with open sessions.
type site struct {
	server   *bus.Server
	sessions []string
	events   int
}

// sessionsOf puts so many open sessions of about so many events on a bus.
func sessionsOf(t *testing.T, count, long int) *site {
	t.Helper()
	s := &site{server: bustest.Open(t, func(c *bus.Config) { c.Durability = bus.Relaxed })}
	admin := bustest.Connect(t, s.server, bus.Role{Kind: bus.Admin})
	read := call{"read_file", `{"path":"a.go"}`}
	for n := range count {
		w := newWorld(uint64(n), script{goal: "Mend it", tracks: 1, tickets: 2, rules: yesToAll, rounds: []call{read, read,
			read, read}, open: true})
		w.ids = (n + 1) * 1_000_000
		w.session = w.id()
		w.open()
		for w.run(); len(w.log) < long; w.run() {
			w.say("ada", "", events.GoalSubmitted{Goal: "Mend more"})
		}
		s.sessions = append(s.sessions, w.session)
		s.events += len(w.log)
		for i := range w.log {
			_, err := admin.Append(t.Context(), w.log[i], nil)
			require.NoError(t, err)
		}
	}
	return s
}

// start runs an engine's reading until it is live, and says what that took and
// what it holds.
func (s *site) start(t *testing.T, stored bool) (read int64, took time.Duration, heap uint64) {
	t.Helper()
	var n atomic.Int64
	as := func(r bus.Role) *bus.Conn { return bustest.Connect(t, s.server, r) }
	counted := func(c *bus.Conn) events.Log { return readCounter{c, &n} }
	quiet := slog.New(slog.DiscardHandler)
	crew := &runtime.Orchestrator{Project: "p1", Build: "b", Logger: quiet}
	keep := func(c *bus.Conn) runtime.Snapshots {
		if !stored {
			return nil
		}
		return c
	}
	for _, start := range replay.Deciders() {
		c := as(bus.Role{Kind: bus.Decider, Name: start().Name()})
		crew.Roles = append(crew.Roles, runtime.Role{Start: start, Log: counted(c), Snapshots: keep(c)})
	}
	states := func(actor string, c *bus.Conn) runtime.States {
		return runtime.States{Project: "p1", Actor: actor, Build: "b", Snapshots: keep(c), Logger: quiet}
	}
	models, timers := as(bus.Role{Kind: bus.Models}), as(bus.Role{Kind: bus.Timers})
	heard := caughtUp{make(chan struct{}, 1)}
	reader := &runtime.Reader{Log: counted(as(bus.Role{Kind: bus.Reader})), Registry: events.Catalogue(), Project: "p1",
		Logger: quiet}
	reader.Subscribe(&runtime.Transcripts{Blobs: models, States: states(events.ActorModels, models)})
	reader.Subscribe(&runtime.Requests{States: states(events.ActorTimers, timers), Timers: &runtime.Timers{Log: timers,
		Clock: time.Now, Logger: quiet}})
	reader.Subscribe(heard)
	reader.Subscribe(crew)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	began := time.Now()
	running.Go(func() { _ = crew.Run(ctx, reader) })
	ann := as(bus.Role{Kind: bus.Person, Name: "ann"})
	// What comes after the reader looked for the end of the log is heard as soon as it is live.
	for live, wait := false, 5*time.Millisecond; !live; wait *= 2 {
		e, err := events.New(events.Origin{ID: fmt.Sprint("W", time.Now().UnixNano()), Time: time.Now(), Project: "p1",
			Session: s.sessions[0], Actor: "ann"},
			events.ResumeRequested{})
		require.NoError(t, err)
		_, err = ann.Append(ctx, e, nil)
		require.NoError(t, err)
		select {
		case <-heard.live:
			live = true
		case <-time.After(wait):
		}
	}
	took, read = time.Since(began), n.Load()
	heap = heldByEngine()
	cancel()
	running.Wait()
	return read, took, heap
}

// heapNoise is how far two measurements of the same heap differ, in bytes.
const heapNoise = 256 << 10

// sampled is how many bytes are allocated between two that are in the profile.
const sampled = 4 << 10

// heldByEngine is how much of the heap the tiers have allocated. What the bus
// holds in the same process, such as the blocks that it read last, is not counted.
func heldByEngine() (n uint64) {
	goruntime.GC() // a profile is of the last cycle but one
	goruntime.GC()
	goruntime.GC()
	size, _ := goruntime.MemProfile(nil, false)
	records := make([]goruntime.MemProfileRecord, size+1000)
	size, _ = goruntime.MemProfile(records, false)
	for i := range records[:size] {
		frames := goruntime.CallersFrames(records[i].Stack())
		for more := true; more; {
			var f goruntime.Frame
			if f, more = frames.Next(); strings.HasPrefix(f.Function, "manualslop/tiers/") {
				n += whole(&records[i])
				break
			}
		}
	}
	return n
}

// whole is what the sample of one place stands for, in bytes.
func whole(r *goruntime.MemProfileRecord) uint64 {
	count, size := r.InUseObjects(), r.InUseBytes()
	if count <= 0 || size <= 0 {
		return 0
	}
	return uint64(float64(size) / (1 - math.Exp(-float64(size)/float64(count)/sampled)))
}

// TestAStartIsFlatInTheLengthOfOpenSessions bounds what a start reads; the
// figures in docs/performance.md are those of SLOP_LOAD=full.
func TestAStartIsFlatInTheLengthOfOpenSessions(t *testing.T) {
	count, lengths := 5, []int{100, 400}
	if os.Getenv("SLOP_LOAD") == "full" {
		count, lengths = 50, []int{200, 2000}
	}
	goruntime.MemProfileRate = sampled
	read, held, folded := map[int]int64{}, map[int]uint64{}, map[int]uint64{}
	for _, long := range lengths {
		s := sessionsOf(t, count, long)
		n, took, heap := s.start(t, false)
		t.Logf("%d sessions of %d events, without snapshots: %d events read, %v, %d KiB", count, s.events/count, n, took,
			heap>>10)
		folded[long] = heap
		// An engine that is stopped before its deciders are through stores how far
		// they came, so the next one begins there.
		for range 20 {
			if n, took, heap = s.start(t, true); n < int64(20*count) {
				break
			}
		}
		t.Logf("%d sessions of %d events, with snapshots: %d events read, %v, %d KiB", count, s.events/count, n, took,
			heap>>10)
		read[long], held[long] = n, heap
	}
	require.Less(t, read[lengths[1]], int64(20*count), "a few for each open session")
	short, long := held[lengths[0]], held[lengths[1]]
	t.Logf("memory of %d times longer sessions: %.1f times", lengths[1]/lengths[0], float64(long)/float64(max(short, 1)))
	require.Less(t, long, 2*short+heapNoise, "memory follows the number of open sessions")
	require.Less(t, long, folded[lengths[1]], "it is less than what folded sessions hold")
}
