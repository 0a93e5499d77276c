package live_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
)

func TestOldSessionsAreFoldedOnlyWhenSomebodyLooks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want := b.record(1, 80)
	b.record(2, 80)
	b.opens("S3")
	log := &counting{Log: b.log}
	l := open(t, log, live.Options{})
	require.EqualValues(t, 161, log.read.Load(), "the log is read once")
	require.Equal(t, want, digest(t, l, sessiongen.SessionID(1)))
	require.EqualValues(t, 161+80, log.read.Load(), "and one session once more")
	require.Equal(t, want, digest(t, l, sessiongen.SessionID(1)))
	require.EqualValues(t, 161+80, log.read.Load(), "then it is folded")
	_, ok := l.Session("S9")
	require.False(t, ok)
}

func TestSummariesKnowEverySessionWithoutFolding(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.record(1, 80)
	b.opens("S2")
	last := b.say("S2", events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateTool})
	l := open(t, b.log, live.Options{})
	all := l.Sessions()
	require.Len(t, all, 2)
	require.Equal(t, sessiongen.SessionID(1), all[0].Session)
	require.NotNil(t, all[0].Closed)
	require.Equal(t, projections.Done, all[0].State)
	require.EqualValues(t, 80, all[0].LastSeq)
	require.Equal(t, 1, all[1].PendingAsks)
	require.Equal(t, "20260102_030405_S2", all[1].Folder)
	require.Equal(t, last, all[1].LastSeq)
	v, _ := l.Session("S2")
	require.Equal(t, all[1], v.Summary())
	require.Equal(t, "S2", v.Session())
}

func TestTheCurrentSessionIsTheNewestThatIsNotClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{})
	require.Empty(t, l.Current())
	steps := []struct {
		say  func() uint64
		want string
	}{
		{func() uint64 { return b.opens("S1") }, "S1"},
		{func() uint64 { return b.opens("S2") }, "S2"},
		{func() uint64 { return b.say("S2", "ada", events.SessionClosed{Reason: "done"}) }, "S1"},
		{func() uint64 { return b.say("S1", "ada", events.SessionClosed{Reason: "done"}) }, "S2"},
		{func() uint64 { return b.say("S3", "ada", events.GoalSubmitted{Goal: "never opened"}) }, "S2"},
	}
	for _, step := range steps {
		require.NoError(t, l.WaitFor(patient(t), step.say()))
		require.Equal(t, step.want, l.Current())
	}
}

func TestAWriterReadsWhatItWrote(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{})
	b.opens("S1")
	for range 50 {
		seq := b.say("S1", "ada", events.EventPushed{Kind: "note"})
		require.NoError(t, l.WaitFor(patient(t), seq))
		v, ok := l.Session("S1")
		require.True(t, ok)
		require.NoError(t, v.Read(patient(t), func(s *projections.Set) { require.Equal(t, seq, s.Seq()) }))
		require.GreaterOrEqual(t, l.Position(), seq)
	}
	ctx, cancel := context.WithCancel(patient(t))
	cancel()
	require.ErrorIs(t, l.WaitFor(ctx, 1_000), context.Canceled)
}

func TestASessionLoadedWhileItGrowsMissesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := sessiongen.GenerateSession(4, 400)
	for _, e := range made[:200] {
		b.add(e)
	}
	l := open(t, b.log, live.Options{})
	var group sync.WaitGroup
	group.Go(func() {
		for _, e := range made[200:] {
			b.add(e)
		}
	})
	for range 4 {
		group.Go(func() { digest(t, l, sessiongen.SessionID(4)) })
	}
	group.Wait()
	require.NoError(t, l.WaitFor(patient(t), 400))
	fresh := newBench(t)
	require.Equal(t, fresh.record(4, 400), digest(t, l, sessiongen.SessionID(4)))
}

func TestOnlySoManySessionsStayFolded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var want []map[string]string
	for seed := range uint64(6) {
		want = append(want, b.record(seed, 40))
	}
	log := &counting{Log: b.log}
	l := open(t, log, live.Options{Folded: 2})
	base := log.read.Load()
	for range 2 {
		for seed := range uint64(6) {
			require.Equal(t, want[seed], digest(t, l, sessiongen.SessionID(seed)))
		}
	}
	require.Equal(t, base+12*40, log.read.Load(), "each was unfolded before its next turn")
	digest(t, l, sessiongen.SessionID(5))
	require.Equal(t, base+12*40, log.read.Load(), "the last two still are")
}

func TestASingleSessionCanBeKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want := b.record(1, 40)
	b.record(2, 40)
	l := open(t, b.log, live.Options{Session: sessiongen.SessionID(1)})
	require.Len(t, l.Sessions(), 1)
	require.Equal(t, want, digest(t, l, sessiongen.SessionID(1)))
}

func TestEverybodyWhoWaitsIsReleasedWhenTheLogEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.opens("S1")
	l := open(t, b.log, live.Options{})
	require.NoError(t, l.Err())
	ends := make(chan error, 3)
	go func() { ends <- l.WaitFor(patient(t), 99) }()
	go func() { ends <- l.Await(patient(t), "S1", func(*projections.Set) bool { return false }) }()
	go func() {
		var last error
		for _, err := range l.Subscribe(patient(t), "S1", 1) {
			last = err
		}
		ends <- last
	}()
	b.log.Close()
	for range 3 {
		require.ErrorIs(t, <-ends, events.ErrClosed)
	}
	<-l.Done()
	require.ErrorIs(t, l.Err(), events.ErrClosed)
}

func TestOpenFailsWhereTheLogDoes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.log.Close()
	_, err := live.Open(patient(t), b.log, project, live.Options{})
	require.ErrorIs(t, err, events.ErrClosed)
}
