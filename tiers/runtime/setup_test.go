package runtime_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/basis"
	"manualslop/tiers/conductor"
	"manualslop/tiers/contributor"
	"manualslop/tiers/lead"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/script"
	"manualslop/tiers/planner"
	"manualslop/tiers/qa"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/builtin"
	"manualslop/tools/sandbox"
)

const (
	project = "p1"
	session = "S1"
	person  = "ada"
)

// poolsOf are the pools of the project.
type poolsOf struct{ conn *bus.Conn }

func (p poolsOf) At(ctx context.Context, kind string) (runtime.PoolAt, error) {
	state, err := p.conn.PoolState(ctx, events.PoolName(kind, project))
	return runtime.PoolAt{Done: state.Done, Given: state.Delivered, Held: state.Pending}, err
}

func (p poolsOf) Make(ctx context.Context, kind string, from uint64) error {
	return p.conn.MakePool(ctx, project, kind, from)
}

func (p poolsOf) Rewind(ctx context.Context, kind string, from uint64) error {
	return p.conn.RewindPool(ctx, events.PoolName(kind, project), from)
}

// world is an engine without its gateway, on a real bus and a real folder.
type world struct {
	t      testing.TB
	server *bus.Server
	dir    string
	person *bus.Conn
	mask   runtime.Mask    // of the models; nil: none
	more   llm.Provider    // beside the scripted one and the mock program; nil: none
	clock  runtime.Clock   // of the models; nil: the real one
	live   runtime.Signals // of the models; nil: no live text
	reads  *countingLog    // counts what the reader reads; nil: nobody counts
	// onModels changes the models that are started next; nil: nothing is changed.
	onModels func(*runtime.Models)
	onTimers func(*runtime.Timers) // the same of timers
	// reconciler is the one that was started last.
	reconciler *runtime.Reconciler
	// reconcilerClock is its clock; nil: the real one.
	reconcilerClock runtime.Clock
}

func newWorld(t testing.TB, files map[string]string) *world {
	return newWorldOn(t, bustest.Open(t), files)
}

func newWorldOn(t testing.TB, server *bus.Server, files map[string]string) *world {
	w := &world{t: t, server: server, dir: t.TempDir()}
	for name, text := range files {
		w.write(name, text)
	}
	w.person = w.connect(bus.Role{Kind: bus.Person, Name: person})
	return w
}

// write puts a file into the project.
func (w *world) write(name, text string) {
	path := filepath.Join(w.dir, name)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o644))
}

func (w *world) connect(r bus.Role) *bus.Conn { return bustest.Connect(w.t, w.server, r) }

func logger() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newID() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() }

// start runs every decider, the models with a script, and one worker.
func (w *world) start(lines string) {
	w.startWithoutWorker(lines)
	w.runWorker("worker-test-1")
}

// startWithoutWorker runs every decider and the models with a script.
func (w *world) startWithoutWorker(lines string) (stop func()) {
	sc, err := script.Parse(bytes.NewBufferString(lines))
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	crew := &runtime.Orchestrator{Project: project, Build: "test", SnapshotEvery: 16, Logger: logger()}
	for _, start := range machines() {
		conn := w.connect(bus.Role{Kind: bus.Decider, Name: start().Name()})
		crew.Roles = append(crew.Roles, runtime.Role{Start: start, Log: conn, Snapshots: conn})
	}
	models := w.connect(bus.Role{Kind: bus.Models})
	transcripts := &runtime.Transcripts{Blobs: models, States: states(events.ActorModels, models)}
	reader := &runtime.Reader{Log: w.connect(bus.Role{Kind: bus.Reader}), Registry: events.Catalogue(), Project: project,
		Logger: logger()}
	if w.reads != nil {
		w.reads.Log = reader.Log
		reader.Log = w.reads
	}
	reader.Subscribe(crew)
	reader.Subscribe(transcripts)
	clock := w.connect(bus.Role{Kind: bus.Timers})
	timers := &runtime.Timers{Log: clock, Clock: time.Now, Logger: logger()}
	requests := &runtime.Requests{States: states(events.ActorTimers, clock), Timers: timers}
	if w.onTimers != nil {
		w.onTimers(timers)
	}
	reader.Subscribe(requests)
	w.reconciler = &runtime.Reconciler{Project: project, Requests: requests, Pools: poolsOf{clock}, Log: clock,
		Clock: time.Now, IDs: newID, Logger: logger(), Relinked: clock.Relinked}
	if w.reconcilerClock != nil {
		w.reconciler.Clock = w.reconcilerClock
	}
	reconciler := w.reconciler
	m := &runtime.Models{Project: project, Log: models, Queue: models, IDs: newID, Transcripts: transcripts,
		Providers: map[string]llm.Provider{geminicli.Name: geminicli.Provider{Text: true, Run: runtime.RunProgram,
			Folder: w.t.TempDir()}}, Script: sc, Mask: w.mask, Clock: time.Now, Signals: w.live, Logger: logger()}
	if w.clock != nil {
		m.Clock = w.clock
	}
	if w.more != nil {
		m.Providers[w.more.Name()] = w.more
	}
	if w.onModels != nil {
		w.onModels(m)
	}
	reader.Subscribe(m)
	wg.Go(func() { require.NoError(w.t, crew.Run(ctx, reader)) })
	wg.Go(func() { _ = m.Run(ctx, 8) })
	wg.Go(func() { _ = reconciler.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait(); crew.Wait() })
	w.t.Cleanup(stop)
	return stop
}

func states(actor string, conn *bus.Conn) runtime.States {
	return runtime.States{Project: project, Actor: actor, Build: "test", Snapshots: conn, Logger: logger()}
}

func machines() []func() *tiers.Machine {
	return []func() *tiers.Machine{
		func() *tiers.Machine { return conductor.Decider().Start() },
		func() *tiers.Machine { return planner.Decider().Start() },
		func() *tiers.Machine { return lead.Decider().Start() },
		func() *tiers.Machine { return contributor.Decider().Start() },
		func() *tiers.Machine { return qa.Decider().Start() },
		func() *tiers.Machine { return approval.Decider().Start() },
	}
}

func (w *world) worker(name string) *runtime.Worker {
	conn := w.connect(bus.Role{Kind: bus.Worker, Name: name})
	workspace, err := sandbox.Open(sandbox.Config{Primary: w.dir})
	require.NoError(w.t, err)
	return &runtime.Worker{Project: project, Name: name, Log: conn, Queue: conn, Claims: conn, Blobs: conn,
		Tools: builtin.Engine(), Home: tools.Env{Workspace: workspace}, Clock: time.Now, IDs: newID, Logger: logger()}
}

// hearing is the re-published feed, by which a worker hears of kills.
type hearing struct{ conn *bus.Conn }

func (h hearing) Follow(ctx context.Context, f events.Filter, take func(events.Event)) error {
	registry := events.Catalogue()
	return h.conn.Follow(ctx, f, func(e events.Event) {
		registry.Decode(&e)
		take(e)
	})
}

// runHearing runs a worker that hears of kills and does one thing at a time.
func (w *world) runHearing(name string) {
	worker := w.worker(name)
	worker.Live = hearing{w.connect(bus.Role{Kind: bus.Worker, Name: name})}
	w.runSlots(worker, 1)
}

// say records a person's word.
func (w *world) say(p events.Payload) string {
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session, Actor: person},
		p)
	require.NoError(w.t, err)
	_, err = w.person.Append(context.Background(), e, nil)
	require.NoError(w.t, err)
	return e.ID
}

// open begins a session with every tool and a scripted model on each tier.
func (w *world) open(change func(*events.Settings)) {
	s := events.Settings{MaxWorkers: 4, MaxRetries: 1, AskTimeoutMS: 60_000, ToolTimeoutMS: 20_000}
	for n := 1; n <= 4; n++ {
		s.Tiers = append(s.Tiers, events.TierSettings{Tier: n, Provider: script.Name, Models: []string{"small", "large"},
			MaxRounds: 10})
	}
	if change != nil {
		change(&s)
	}
	for _, text := range basis.Bytes() {
		_, err := w.person.Put(w.t.Context(), text, "text/markdown")
		require.NoError(w.t, err)
	}
	w.say(events.SessionOpened{Basis: basis.Of("test"), Folder: "f", Workspace: w.dir, Settings: s})
	var offered events.ToolsOffered
	for _, t := range builtin.Tools().All() {
		offered.Tools = append(offered.Tools, events.ToolOffer{Name: t.Spec().Name, Description: t.Spec().Text(),
			Effect: t.Spec().Effect.String(), Schema: t.Schema()})
	}
	w.say(offered)
}

// until waits for an event of the session and returns all events up to it.
func (w *world) until(want func(e *events.Event) bool) []events.Event {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), eventstest.Patience)
	defer cancel()
	_, feed, err := w.person.Watch(ctx, events.Filter{Project: project, Session: session}, 1)
	require.NoError(w.t, err)
	registry := events.Catalogue()
	var out []events.Event
	for e, err := range feed {
		require.NoError(w.t, err)
		registry.Decode(&e)
		out = append(out, e)
		if want(&e) {
			return out
		}
	}
	for _, e := range out {
		w.t.Logf("%d %s %s %s", e.Seq, e.Actor, e.Type, e.Data)
	}
	w.t.Fatal("the awaited event did not come")
	return nil
}

// untilCount waits for so many events of the session and returns all events up
// to the last of them.
func (w *world) untilCount(want func(e *events.Event) bool, n int) []events.Event {
	w.t.Helper()
	return w.until(func(e *events.Event) bool {
		if want(e) {
			n--
		}
		return n == 0
	})
}

func isType(typ string) func(*events.Event) bool {
	return func(e *events.Event) bool { return e.Type == typ }
}
