package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/tiers/llm/script"
)

// crew is an engine with every role and its gateway in this process, and a
// session in which every tool is allowed.
type crew struct {
	*engine
	voice voice
	log   *bus.Conn
}

// newCrew starts one on a project of one file, a.txt. change says what is
// configured otherwise; sc, if there is one, answers for every model.
func newCrew(t testing.TB, sc *script.Script, change func(*Config)) *crew {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project := filepath.Join(root, "project")
	require.NoError(t, os.MkdirAll(project, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(project, "a.txt"), []byte(strings.Repeat("a line of the file\n", 20)), 0o600))
	cfg := DefaultConfig()
	cfg.Bus.Durability, cfg.Bus.MaxBytes = bus.Relaxed, 4<<30
	if change != nil {
		change(&cfg)
	}
	p := place{config: cfg, project: project, data: filepath.Join(project, ".slop"), base: "team", name: "team", person: "ann", state: filepath.Join(root, "state", "slop")}
	g := &globals{in: strings.NewReader(""), out: io.Discard, err: io.Discard, quiet: true}
	e, err := g.newEngine(t.Context(), p, "", sc)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.close()) })
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Person, Name: p.person})
	require.NoError(t, err)
	require.NoError(t, e.all(t.Context(), "127.0.0.1:0", true))
	v, err := openSession(e.ctx, conn, p, e.mask, "", sc != nil)
	require.NoError(t, err)
	_, _, err = v.say(e.ctx, events.RuleAdded{Rule: yesRule()})
	require.NoError(t, err)
	return &crew{engine: e, voice: v, log: conn}
}

// seen is an event and when this process saw it, by the clock and by the
// processor time that it had used.
type seen struct {
	events.Event
	at   time.Time
	used time.Duration
}

// reach gives the goal and returns what is on record of the session until it is
// completed.
func (m *crew) reach(t testing.TB, goal string) []seen {
	t.Helper()
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	_, feed, err := m.log.Watch(ctx, events.Filter{Project: m.name, Session: m.voice.session}, 1)
	require.NoError(t, err)
	given, _, err := m.voice.say(ctx, events.GoalSubmitted{Goal: goal})
	require.NoError(t, err)
	registry := events.Catalogue()
	var all []seen
	for e, err := range feed {
		require.NoError(t, err)
		now, used := time.Now(), processorTime()
		registry.Decode(&e)
		all = append(all, seen{e, now, used})
		if e.Seq < given {
			continue // of an earlier goal
		}
		switch p := e.Payload.(type) {
		case events.GoalCompleted:
			return all
		case events.GoalFailed:
			require.Fail(t, "the goal was not reached", p.Reason)
		case events.TicketBlocked:
			require.Fail(t, "a ticket is blocked", p.Reason)
		}
	}
	require.NoError(t, context.Cause(m.ctx))
	return nil
}
