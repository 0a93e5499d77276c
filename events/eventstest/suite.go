package eventstest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestLog checks that a log fulfils the contract of events.Log. Each call of open must return an
// empty log that lives until its test ends and that is also a [BareAppender].
func TestLog(t *testing.T, open func(testing.TB) events.Log) {
	t.Parallel()
	for _, c := range []struct {
		name string
		run  func(*suite)
	}{
		{"events come back in order and whole", testOrder},
		{"a reader sees the bounds it asked for", testBounds},
		{"filters select by every token", testFilters},
		{"an expectation holds for its filter only", testExpect},
		{"a lost race is a conflict", testConflict},
		{"one of many racers wins", testRace},
		{"the same id is stored once", testDuplicate},
		{"the same id in two sessions is two events", testSameIDElsewhere},
		{"a repeated append with its old expectation succeeds", testRepeatedExpect},
		{"an event over the limit is refused", testTooLarge},
		{"an event without a valid subject is refused", testBadSubject},
		{"concurrent appends lose nothing", testConcurrent},
		{"a watcher gets the past and then the present", testWatch},
		{"a watcher of an empty log is live at once", testWatchEmpty},
		{"a watcher starts where it was told", testWatchFrom},
		{"a watcher stops when its context ends", testWatchStops},
		{"a watcher misses nothing while others write", testWatchBusy},
		{"unknown types survive", testUnknown},
		{"a bare answer is lifted", testBareAnswer},
		{"malformed bodies do not stop a reader", testMalformed},
		{"a reader may stop early", testStopEarly},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), Patience)
			defer cancel()
			c.run(&suite{T: t, ctx: ctx, log: open(t), build: &Builder{Project: "p1", Session: "s1"}})
		})
	}
}

// suite is one test of a log.
type suite struct {
	*testing.T
	ctx   context.Context
	log   events.Log
	build *Builder
}

// put appends an event without an expectation.
func (s *suite) put(e events.Event) uint64 {
	s.Helper()
	seq, err := s.log.Append(s.ctx, e, nil)
	require.NoError(s, err)
	return seq
}

// ready appends n TicketReady events of the conductor.
func (s *suite) ready(n int) []events.Event {
	s.Helper()
	out := make([]events.Event, n)
	for i := range out {
		out[i] = s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: fmt.Sprintf("T-%03d", i+1)})
		out[i].Seq = s.put(out[i])
	}
	return out
}

func (s *suite) read(f events.Filter, from, to uint64) []events.Event {
	s.Helper()
	var out []events.Event
	for e, err := range s.log.Read(s.ctx, f, from, to) {
		require.NoError(s, err)
		out = append(out, e)
	}
	return out
}

func ids(list []events.Event) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.ID
	}
	return out
}

// wire returns events as a log returns them: without decoded payloads.
func wire(list []events.Event) []events.Event {
	out := make([]events.Event, len(list))
	for i, e := range list {
		e.Payload = nil
		out[i] = e
	}
	return out
}
