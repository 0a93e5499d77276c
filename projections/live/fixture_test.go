package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
)

const project = sessiongen.Project

// at is the time of every event that tests write by hand.
var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), eventstest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// counting is a log that counts what is read of it.
type counting struct {
	events.Log
	read atomic.Int64
}

func (c *counting) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range c.Log.Read(ctx, f, from, to) {
			c.read.Add(1)
			if !yield(e, err) {
				return
			}
		}
	}
}

// store is snapshots in memory, as the bytes that a bucket would hold.
type store struct {
	mu     sync.Mutex
	kept   map[string][]byte
	stored map[string]int // how often
	full   bool
}

var errNone = errors.New("nothing under that key")

func newStore() *store { return &store{kept: map[string][]byte{}, stored: map[string]int{}} }

func (s *store) PutSnapshot(_ context.Context, key string, v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return events.ErrFull
	}
	raw, err := json.Marshal(v)
	s.kept[key] = raw
	s.stored[key]++
	return err
}

// puts counts what was stored under a key.
func (s *store) puts(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored[key]
}

func (s *store) Snapshot(_ context.Context, key string, v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, ok := s.kept[key]
	if !ok {
		return errNone
	}
	return json.Unmarshal(raw, v)
}

// bench is a log with a writer.
type bench struct {
	t   testing.TB
	log *eventstest.Memory
	n   int
}

func newBench(t testing.TB) *bench {
	t.Helper()
	return &bench{t: t, log: eventstest.NewMemory()}
}

// say appends a fact of a session and returns its sequence.
func (b *bench) say(session, actor string, p events.Payload) uint64 {
	b.t.Helper()
	b.n++
	e, err := events.New(events.Origin{ID: fmt.Sprintf("L%06d", b.n), Time: at, Project: project, Session: session,
		Actor: actor}, p)
	require.NoError(b.t, err)
	return b.add(e)
}

func (b *bench) add(e events.Event) uint64 {
	b.t.Helper()
	seq, err := b.log.Append(patient(b.t), e, nil)
	require.NoError(b.t, err)
	return seq
}

// opens begins a session.
func (b *bench) opens(session string) uint64 {
	b.t.Helper()
	return b.say(session, "ada", events.SessionOpened{Label: session, Folder: "20260102_030405_" + session})
}

// record appends a whole made-up session and returns what its models are.
func (b *bench) record(seed uint64, length int) map[string]string {
	b.t.Helper()
	set, registry := projections.NewSet(), events.Catalogue()
	for _, e := range sessiongen.GenerateSession(seed, length) {
		e.Seq = b.add(e)
		e.Payload = nil
		registry.Decode(&e)
		set.Apply(&e)
	}
	return set.Digest()
}

func open(t testing.TB, log events.Log, opts live.Options) *live.Live {
	t.Helper()
	l, err := live.Open(patient(t), log, project, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func digest(t testing.TB, l *live.Live, session string) map[string]string {
	t.Helper()
	v, ok := l.Session(session)
	require.True(t, ok)
	var out map[string]string
	require.NoError(t, v.Read(patient(t), func(s *projections.Set) { out = s.Digest() }))
	return out
}
