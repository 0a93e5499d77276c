package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/llm/script"
)

// Workers is an engine with every role and its gateway in this process, and a session in which every tool is allowed.
// Measurements and tests use it.
type Workers struct {
	*engine.Engine
	writer engine.SessionWriter
	log    *bus.Conn
}

// WorkersPlan says how to set up Workers.
type WorkersPlan struct {
	root   string               // folder for the project and its record; must exist
	script *script.Script       // answers for every model; nil: providers are configured
	change func(*config.Config) // may be nil
	off    engine.Causes        // what is left out
	lines  int                  // of the project's file; 0: benchLines
}

// benchFile is the file of a workers' project, and benchLines how many lines it has.
const (
	benchFile  = "a.txt"
	benchLines = 20
)

// writeBenchFile writes the project's file with the given number of lines.
func writeBenchFile(project string, lines int) error {
	return os.WriteFile(filepath.Join(project, benchFile), []byte(benchText(lines)), 0o600)
}

// benchText returns lines of text that compress about as well as source code, because the measurements include its
// size in the log and the index.
func benchText(lines int) string {
	words := strings.Fields("func return if err nil for range type struct string int context error append len map make " +
		"key value")
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "\t%s%d := %s.%s(%s, %d)\n", words[random.IntN(len(words))], n, words[random.IntN(len(words))],
			words[random.IntN(len(words))], words[random.IntN(len(words))], random.IntN(1000))
	}
	return b.String()
}

// StartWorkers starts the workers on a project of one file. Close stops them.
func StartWorkers(ctx context.Context, plan WorkersPlan) (_ *Workers, err error) {
	project := filepath.Join(plan.root, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return nil, err
	}
	if err := writeBenchFile(project, cmp.Or(plan.lines, benchLines)); err != nil {
		return nil, err
	}
	cfg := config.Default()
	cfg.Bus.Durability, cfg.Bus.MaxBytes = bus.Relaxed, 4<<30
	if plan.change != nil {
		plan.change(&cfg)
	}
	p := site.Place{Config: cfg, Project: project, Data: filepath.Join(project, ".slop"), Base: "team", Name: "team",
		Person: "ann", State: filepath.Join(plan.root, "state", "slop")}
	g := &site.Flags{Terminal: term.Terminal{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Quiet: true}}
	e, err := engine.New(ctx, g, p, "", plan.script)
	if err != nil {
		return nil, err
	}
	m := &Workers{Engine: e}
	e.Off = plan.off
	if err := m.begin(ctx); err != nil {
		_ = e.Close()
		return nil, err
	}
	return m, nil
}

// begin starts the roles and opens the first session.
func (m *Workers) begin(ctx context.Context) (err error) {
	if m.log, err = m.Bus.As(m.Ctx, bus.Role{Kind: bus.Person, Name: m.Person}); err != nil {
		return err
	}
	if m.Off.Models {
		err = m.allButModels(ctx)
	} else {
		err = m.All(ctx, "127.0.0.1:0", true)
	}
	if err != nil {
		return err
	}
	m.writer, err = m.openFree(m.Ctx)
	return err
}

// openFree opens a session in which every tool is allowed.
func (m *Workers) openFree(ctx context.Context) (engine.SessionWriter, error) {
	v, err := engine.OpenSession(ctx, m.log, m.Place, m.Mask, "", m.Script != nil)
	if err == nil {
		_, _, err = v.Publish(ctx, events.RuleAdded{Rule: site.YesRule()})
	}
	return v, err
}

// allButModels starts every role, with a replacement for the models effect.
func (m *Workers) allButModels(ctx context.Context) error {
	m.Stats.ShutdownScope = events.ShutdownEngine
	without := slices.DeleteFunc(engine.OrchestratorRoles(), func(role string) bool { return role == events.ActorModels })
	if err := m.Orchestrate(without); err != nil {
		return err
	}
	if err := m.replyBare(); err != nil {
		return err
	}
	if _, err := m.Work(0); err != nil {
		return err
	}
	return m.ServeHooks(ctx, "127.0.0.1:0", true)
}

// seen is an event with the time at which this process saw it and the processor time used by then.
type seen struct {
	events.Event
	at   time.Time
	used time.Duration
}

// reachAll submits one goal to each session and returns the events up to the end of all goals. It fails if a goal
// fails or a ticket is blocked. It reads with the watch of the process, so it decodes nothing itself.
func (m *Workers) reachAll(sessions []engine.SessionWriter, goal string) ([]seen, error) {
	ctx, cancel := context.WithCancel(m.Ctx)
	defer cancel()
	log, err := m.Engine.Log()
	if err != nil {
		return nil, err
	}
	last, err := m.log.Last(ctx, events.Filter{Project: m.Name})
	if err != nil {
		return nil, err
	}
	_, feed, err := log.Watch(ctx, events.Filter{Project: m.Name}, last+1)
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for _, v := range sessions {
		open[v.Session] = true
		if _, _, err := v.Publish(ctx, events.GoalSubmitted{Goal: goal}); err != nil {
			return nil, err
		}
	}
	var all []seen
	for e, err := range feed {
		if err != nil {
			return nil, err
		}
		if !open[e.Session] {
			continue
		}
		all = append(all, seen{e, time.Now(), engine.ProcessorTime()})
		switch p := e.Payload.(type) {
		case events.GoalCompleted:
			delete(open, e.Session)
		case events.GoalFailed:
			return nil, fmt.Errorf("the goal was not reached: %s", p.Reason)
		case events.TicketBlocked:
			return nil, fmt.Errorf("a ticket is blocked: %s", p.Reason)
		}
		if len(open) == 0 {
			return all, nil
		}
	}
	return nil, context.Cause(m.Ctx)
}
