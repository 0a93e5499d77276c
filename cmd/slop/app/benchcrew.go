package app

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
	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers/llm/script"
)

// crew is an engine with every role and its gateway in this process, and a
// session in which every tool is allowed: what measurements and tests work with.
type crew struct {
	*engine
	voice voice
	log   *bus.Conn
}

// crewPlan says how a crew is made.
type crewPlan struct {
	root   string         // folder for the project and its record; must exist
	script *script.Script // answers for every model; nil: providers are configured
	change func(*Config)  // may be nil
	off    causes         // what is left out
	lines  int            // of the project's file; 0: benchLines
}

// causes are parts of an engine that a measurement leaves out, to see what each
// of them costs. The zero value leaves out nothing.
type causes struct {
	index  bool // the search index
	logs   bool // the session logs and their list
	folds  bool // the read models, but for [fewModels]
	models bool // the models effect, but for the replies of the script
}

// fewModels are the read models that the gateway itself cannot be without: it
// looks whether a switch of projects is under way.
func fewModels() []func() projections.Model {
	needed := []string{"project", "settings"}
	return slices.DeleteFunc(projections.Catalogue(), func(start func() projections.Model) bool {
		return !slices.Contains(needed, start().Name())
	})
}

// benchFile is the file of a crew's project, and benchLines how many lines it has.
const (
	benchFile  = "a.txt"
	benchLines = 20
)

// writeBenchFile writes the file of a project of so many lines.
func writeBenchFile(project string, lines int) error {
	return os.WriteFile(filepath.Join(project, benchFile), []byte(benchText(lines)), 0o600)
}

// benchText is text of so many lines that compresses about as well as source
// code, because what the log and the index take of it is measured.
func benchText(lines int) string {
	words := strings.Fields("func return if err nil for range type struct string int context error append len map make key value")
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "\t%s%d := %s.%s(%s, %d)\n", words[random.IntN(len(words))], n, words[random.IntN(len(words))],
			words[random.IntN(len(words))], words[random.IntN(len(words))], random.IntN(1000))
	}
	return b.String()
}

// startCrew starts a crew on a project of one file. Close ends it.
func startCrew(ctx context.Context, plan crewPlan) (_ *crew, err error) {
	project := filepath.Join(plan.root, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return nil, err
	}
	if err := writeBenchFile(project, cmp.Or(plan.lines, benchLines)); err != nil {
		return nil, err
	}
	cfg := DefaultConfig()
	cfg.Bus.Durability, cfg.Bus.MaxBytes = bus.Relaxed, 4<<30
	if plan.change != nil {
		plan.change(&cfg)
	}
	p := place{config: cfg, project: project, data: filepath.Join(project, ".slop"), base: "team", name: "team",
		person: "ann", state: filepath.Join(plan.root, "state", "slop")}
	g := &globals{in: strings.NewReader(""), out: io.Discard, err: io.Discard, quiet: true}
	e, err := g.newEngine(ctx, p, "", plan.script)
	if err != nil {
		return nil, err
	}
	m := &crew{engine: e}
	e.off = plan.off
	if err := m.begin(ctx); err != nil {
		_ = e.close()
		return nil, err
	}
	return m, nil
}

// begin starts the roles and opens the first session.
func (m *crew) begin(ctx context.Context) (err error) {
	if m.log, err = m.bus.as(m.ctx, bus.Role{Kind: bus.Person, Name: m.person}); err != nil {
		return err
	}
	if m.off.models {
		err = m.allButModels(ctx)
	} else {
		err = m.all(ctx, "127.0.0.1:0", true)
	}
	if err != nil {
		return err
	}
	m.voice, err = m.openFree(m.ctx)
	return err
}

// openFree opens a session in which every tool is allowed.
func (m *crew) openFree(ctx context.Context) (voice, error) {
	v, err := openSession(ctx, m.log, m.place, m.mask, "", m.script != nil)
	if err == nil {
		_, _, err = v.say(ctx, events.RuleAdded{Rule: yesRule()})
	}
	return v, err
}

// allButModels is all, with a stand-in for the models effect.
func (m *crew) allButModels(ctx context.Context) error {
	m.vitals.scope = events.ShutdownEngine
	without := slices.DeleteFunc(orchestratorRoles(), func(role string) bool { return role == events.ActorModels })
	if err := m.orchestrate(without); err != nil {
		return err
	}
	if err := m.replyBare(); err != nil {
		return err
	}
	if _, err := m.work(0); err != nil {
		return err
	}
	return m.serveHooks(ctx, "127.0.0.1:0", true)
}

// seen is an event and when this process saw it, by the clock and by the
// processor time that it had used.
type seen struct {
	events.Event
	at   time.Time
	used time.Duration
}

// reachAll gives one goal to each session and returns what is on record from
// the first of them until all are completed. It fails where a goal does, or a
// ticket is blocked. It reads with the process's one watch, so that it decodes
// nothing itself.
func (m *crew) reachAll(sessions []voice, goal string) ([]seen, error) {
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	log, err := m.engine.log()
	if err != nil {
		return nil, err
	}
	last, err := m.log.Last(ctx, events.Filter{Project: m.name})
	if err != nil {
		return nil, err
	}
	_, feed, err := log.Watch(ctx, events.Filter{Project: m.name}, last+1)
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for _, v := range sessions {
		open[v.session] = true
		if _, _, err := v.say(ctx, events.GoalSubmitted{Goal: goal}); err != nil {
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
		all = append(all, seen{e, time.Now(), processorTime()})
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
	return nil, context.Cause(m.ctx)
}
