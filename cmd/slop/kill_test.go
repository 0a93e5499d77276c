package main

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// kills is how many processes the kill test kills in all; sessions, over how many sessions at most.
var (
	kills    = flag.Int("kills", load(20, 400), "processes to kill in all; make load kills more")
	sessions = flag.Int("kill-sessions", load(4, 64), "sessions over which the kills are spread at most")
	seed     = flag.Uint64("kill-seed", uint64(load(1, 0)), "seed of the kills; 0 takes one from the clock")
)

// load is a size in make test, and in make load.
func load(test, full int) int {
	if os.Getenv("SLOP_LOAD") == "full" {
		return full
	}
	return test
}

// TestKillingAnyProcessAnywhereLeadsToTheSameEnd kills each of the six
// processes at random points of a session and starts it again.
func TestKillingAnyProcessAnywhereLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-kill-seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 1))
	want := endState(historyOf(t, runAlone(t)))
	left := *kills
	for session := 0; left > 0; session++ {
		require.Less(t, session, *sessions, "%d kills are left after %d sessions", left, session)
		share := (left + *sessions - session - 1) / (*sessions - session)
		left -= killSession(t, random, share, want)
	}
}

// killSession runs one session with so many kills and compares its end.
func killSession(t *testing.T, random *rand.Rand, count int, want any) (killed int) {
	f := newFleet(t)
	f.start()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	conn := f.person(ctx)
	run := f.run(ctx)
	var said lockedBuffer
	run.Stdout, run.Stderr = &said, &said
	require.NoError(t, run.Start())
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	acked, begun := f.watch(ctx, conn)
	<-begun // a person who starts a run while the bus is down is told so and starts it again
	var err error
	for running := true; running; {
		pause := time.Duration(random.IntN(120)) * time.Millisecond
		select {
		case err = <-ended:
			running = false
		case <-time.After(pause):
			if killed == count {
				err = <-ended
				running = false
				break
			}
			m := f.members[random.IntN(len(f.members))]
			m.kill()
			m.start()
			killed++
		}
	}
	require.NoError(t, err, "%s", said.String())
	log := history(t, conn, filepath.Base(f.dir))
	requireVerified(t, log)
	require.Equal(t, want, any(endState(log)), "%s", said.String())
	requireNoWriteTwice(t, log)
	requireAll(t, acked(), log)
	requireSampleWorks(t, f.dir, f.env)
	f.stop()
	return killed
}

// watch gathers the ids of what the log acknowledged while processes die, and
// answers the questions that a kill raises: an interrupted command is run again.
func (f *fleet) watch(ctx context.Context, log events.Log) (acknowledged func() []string, begun <-chan struct{}) {
	var mu sync.Mutex
	var ids []string
	registry := events.Catalogue()
	opened := make(chan struct{})
	_, feed, err := log.Watch(ctx, events.Filter{Project: filepath.Base(f.dir)}, 1)
	require.NoError(f.t, err)
	go func() {
		for e, err := range feed {
			if err != nil {
				return
			}
			registry.Decode(&e)
			mu.Lock()
			ids = append(ids, e.ID)
			mu.Unlock()
			if _, goal := e.Payload.(events.GoalSubmitted); goal {
				close(opened)
			}
			if p, ok := e.Payload.(events.AskRaised); ok && p.Gate == events.GateInterrupted {
				f.answer(ctx, log, e, p)
			}
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), ids...)
	}, opened
}

func (f *fleet) answer(ctx context.Context, log events.Log, asked events.Event, p events.AskRaised) {
	e, err := events.New(events.Origin{ID: "answer-" + p.Ask, Time: time.Now(), Project: asked.Project,
		Session: asked.Session, Actor: person},
		events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
	if err == nil {
		_, err = log.Append(ctx, e, nil)
	}
	if err != nil && ctx.Err() == nil {
		f.t.Errorf("answer %s: %v", p.Ask, err)
	}
}

// requireNoWriteTwice checks that each approved write has one outcome that
// changed a file. Whoever finds an outcome in a claim tells it again as it
// stands there: the same bytes are the same run.
func requireNoWriteTwice(t *testing.T, log []events.Event) {
	t.Helper()
	wrote, told := map[string]int{}, map[string]bool{}
	for _, e := range log {
		p, ok := e.Payload.(events.ToolSettled)
		if !ok || p.Outcome != events.ToolDone || told[string(e.Data)] {
			continue
		}
		told[string(e.Data)] = true
		for _, f := range p.Files {
			if f.Written {
				wrote[p.Call+" "+f.Path]++
			}
		}
	}
	require.NotEmpty(t, wrote)
	for what, times := range wrote {
		require.Equal(t, 1, times, "%s was written more than once", what)
	}
}

func requireAll(t *testing.T, acknowledged []string, log []events.Event) {
	t.Helper()
	have := map[string]bool{}
	for _, e := range log {
		have[e.ID] = true
	}
	for _, id := range acknowledged {
		require.True(t, have[id], "acknowledged event %s is gone", id)
	}
}

func TestASessionWhoseOpenerDiedBeforeItsToolsGetsThem(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.keys()
	r, log := s.serve()
	first := s.engine().Session
	project := eventOf(t, log, first).Project
	say := func(session string, p events.Payload) {
		e, err := events.New(events.Origin{ID: "of-" + p.EventType().Name, Time: time.Now(), Project: project,
			Session: session, Actor: person}, p)
		require.NoError(t, err)
		_, err = log.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	say(first, events.SessionClosed{Reason: "over"})
	say("half", events.SessionOpened{Folder: "half_opened", Workspace: s.dir})
	r.kill()
	s.serve()
	require.Equal(t, "half", s.engine().Session)
	require.Contains(t, string(s.get("/api/v1/tools")), "read_file")
}

// eventOf is the first event of a session.
func eventOf(t *testing.T, log events.Log, session string) events.Event {
	t.Helper()
	for e, err := range log.Read(t.Context(), events.Filter{Session: session}, 1, 0) {
		require.NoError(t, err)
		return e
	}
	t.Fatal("the session has no event")
	return events.Event{}
}
