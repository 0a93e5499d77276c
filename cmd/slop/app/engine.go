package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/projections/live"
	"manualslop/projections/sessionlog"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/conductor"
	"manualslop/tiers/contributor"
	"manualslop/tiers/lead"
	"manualslop/tiers/llm/script"
	"manualslop/tiers/planner"
	"manualslop/tiers/qa"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/checkpoint"
)

// workerSlots is how many calls one worker process runs at once.
const workerSlots = 16

// modelSlots is how many model calls one process makes at once: one for each of
// the most workers of a session, and some for planners and reviews.
const modelSlots = 80

// engine is the roles that one process runs, on one bus.
type engine struct {
	place
	bus    *connector
	script *script.Script
	mask   func([]byte) []byte
	logger *slog.Logger

	ctx    context.Context // ends when a role fails or the process is asked to stop
	stop   context.CancelFunc
	group  *errgroup.Group
	front  front // what ends behind the roles
	vitals *vitals
	stalls chan stall     // of our own deciders
	shared *events.Shared // nil: nothing was read yet
	reader *runtime.Reader
	own    *bus.Conn // of the gateway
	live   *live.Live
	hooks  *hookgw.Gateway
	logs   *sessionlog.Writer
	files  *projectFiles
	busy   []resting // who works for sessions

	oneGoal bool // it ends with its goal

	off causes // parts that a measurement leaves out
}

// resting can wait until it does nothing for a session any more.
type resting interface {
	Rest(ctx context.Context, session string)
}

// restWait bounds how long an engine that ends waits for what is stopped with
// its session.
const restWait = 10 * time.Second

// rest waits until the outcomes of what ran for a closed session are on record.
func (e *engine) rest(session string) {
	ctx, cancel := context.WithTimeout(e.ctx, restWait)
	defer cancel()
	for _, b := range e.busy {
		b.Rest(ctx, session)
	}
}

// newEngine prepares an engine without roles. close ends it.
func (g *globals) newEngine(ctx context.Context, p place, natsListen string, sc *script.Script) (*engine, error) {
	secrets, err := p.secrets()
	if err != nil {
		return nil, err
	}
	start := newStartup()
	var conn *connector
	if err := start.do("bus", func() error { conn, err = g.openBus(ctx, p, natsListen); return err }); err != nil {
		return nil, err
	}
	if !g.remote(p) && p.config.Hooks.Auth != hookgw.AuthNone {
		tokens, err := access.MakeTokens(p.tokens()) // before anything is put on record, which must not show them
		if err != nil {
			conn.close()
			return nil, &exitError{code: exitFailed, err: err}
		}
		secrets = append(tokens, secrets...)
	}
	behind := newFront(ctx)
	ctx, stop := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	return &engine{place: p, bus: conn, script: sc, mask: newMask(secrets), logger: g.logger(), ctx: ctx, stop: stop, group: group, front: behind,
		vitals: newVitals(p.name, start, stop), stalls: make(chan stall, 64)}, nil
}

// wait returns when a role failed or the process is asked to stop.
func (e *engine) wait() { <-e.ctx.Done() }

// deciders are the deciders by name.
func deciders() map[string]func() *tiers.Machine {
	return map[string]func() *tiers.Machine{
		events.ActorConductor:   func() *tiers.Machine { return conductor.Decider().Start() },
		events.ActorPlanner:     func() *tiers.Machine { return planner.Decider().Start() },
		events.ActorLead:        func() *tiers.Machine { return lead.Decider().Start() },
		events.ActorContributor: func() *tiers.Machine { return contributor.Decider().Start() },
		events.ActorQA:          func() *tiers.Machine { return qa.Decider().Start() },
		events.ActorApproval:    func() *tiers.Machine { return approval.Decider().Start() },
	}
}

// orchestratorRoles are what `slop orchestrator` runs when nothing narrows it.
func orchestratorRoles() []string {
	return append(events.Deciders(), events.ActorModels, events.ActorTimers)
}

// orchestrate runs deciders and the effects beside them, by name.
func (e *engine) orchestrate(names []string) error {
	reading, err := e.log()
	if err != nil {
		return err
	}
	e.reader = &runtime.Reader{Log: reading, Registry: events.Catalogue(), Project: e.name, Logger: e.logger, Stopped: e.stopped}
	build, err := buildID()
	if err != nil {
		return err
	}
	crew := &runtime.Orchestrator{Project: e.name, Logger: e.logger, Build: build, Stopped: e.stopped}
	all := deciders()
	for _, name := range names {
		switch start := all[name]; {
		case start != nil:
			conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Decider, Name: name})
			if err != nil {
				return err
			}
			crew.Roles = append(crew.Roles, runtime.Role{Start: start, Log: conn, Snapshots: conn})
			e.keepList(conn, name, build)
			e.announce(conn, name)
		case name == events.ActorModels:
			if err := e.vitals.startup.do(name, e.callModels); err != nil {
				return err
			}
		case name == events.ActorTimers:
			if err := e.vitals.startup.do(name, e.watchClocks); err != nil {
				return err
			}
		default:
			return failed(exitUsage, "there is no role %q; there are %v", name, orchestratorRoles())
		}
	}
	e.reader.Subscribe(crew)
	e.background("orchestrator", func() error { return e.role("orchestrator", crew.Run(e.ctx, e.reader)) })
	return nil
}

// keepList has the list of open sessions stored by the first role that may store
// something.
func (e *engine) keepList(conn *bus.Conn, actor, build string) {
	if e.reader.States.Snapshots == nil {
		e.reader.States = runtime.States{Project: e.name, Actor: actor, Build: build, Snapshots: conn, Logger: e.logger}
	}
}

// states is where an effect stores what it knows of sessions.
func (e *engine) states(conn *bus.Conn, actor string) (runtime.States, error) {
	build, err := buildID()
	return runtime.States{Project: e.name, Actor: actor, Build: build, Snapshots: conn, Logger: e.logger}, err
}

// log is the log as everybody in this process reads it: with one watch, and
// each event that comes decoded once.
func (e *engine) log() (*events.Shared, error) {
	if e.shared != nil {
		return e.shared, nil
	}
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Reader})
	if err != nil {
		return nil, err
	}
	e.shared = events.NewShared(conn, events.Catalogue(), e.name)
	return e.shared, nil
}

// callModels runs the effect that calls models.
func (e *engine) callModels() error {
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Models})
	if err != nil {
		return err
	}
	keys, err := keysOf(e.config)
	if err != nil {
		return err
	}
	states, err := e.states(conn, events.ActorModels)
	if err != nil {
		return err
	}
	e.keepList(conn, events.ActorModels, states.Build)
	transcripts := &runtime.Transcripts{Blobs: conn, States: states}
	e.reader.Subscribe(transcripts)
	m := &runtime.Models{Project: e.name, Process: conn.Process(), Log: conn, Queue: busQueue{conn}, Peers: conn, IDs: newID, Transcripts: transcripts, Providers: providers(e.config, keys), Script: e.script,
		Signals: busSignals{conn}, Mask: e.mask, Clock: time.Now, Logger: e.logger}
	e.reader.Subscribe(m)
	e.busy = append(e.busy, m)
	e.announce(conn, events.ActorModels)
	e.background(events.ActorModels, func() error { return e.role("models", m.Run(e.ctx, modelSlots)) })
	return nil
}

// watchClocks runs the effect that fires timers.
func (e *engine) watchClocks() error {
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Timers})
	if err != nil {
		return err
	}
	states, err := e.states(conn, events.ActorTimers)
	if err != nil {
		return err
	}
	e.keepList(conn, events.ActorTimers, states.Build)
	timers := &runtime.Timers{Log: conn, Clock: time.Now, Logger: e.logger}
	requests := &runtime.Requests{States: states, Timers: timers}
	e.reader.Subscribe(requests)
	reconciler := &runtime.Reconciler{Project: e.name, Requests: requests, Pools: busPools{conn, e.name}, Log: conn, Clock: time.Now, IDs: newID,
		Logger: e.logger, Relinked: conn.Relinked}
	e.background(events.ActorTimers, func() error { return e.role(events.ActorTimers, reconciler.Run(e.ctx)) })
	lost := &runtime.Presence{Project: e.name, Log: conn, Clock: time.Now, IDs: newID, Logger: e.logger}
	e.reader.Subscribe(lost)
	e.watchPresence(conn, func(actor string, here bool) {
		if !here {
			lost.Gone(e.ctx, actor)
		}
	})
	e.announce(conn, events.ActorTimers)
	e.handBack(conn)
	e.behind("reserve", func(ctx context.Context) error { return e.watchReserve(ctx, conn) })
	return nil
}

// handBack has the work of lost workers handed out again at once.
func (e *engine) handBack(conn *bus.Conn) {
	e.group.Go(func() error {
		for e.ctx.Err() == nil {
			if err := conn.HandBack(e.ctx, e.name); err != nil && e.ctx.Err() == nil {
				e.logger.Info("watching for lost workers again", "error", err)
			}
			rest(e.ctx, presenceGrace/10)
		}
		return nil
	})
}

// work runs a worker under the name of a slot, 0 for the lowest free one, which
// no other worker of this host takes while it runs.
func (e *engine) work(slot int) (name string, err error) {
	name, free, err := takeWorkerSlot(e.place, slot)
	if err != nil {
		return "", err
	}
	w, err := e.worker(name)
	if err != nil {
		free()
		return "", err
	}
	e.busy = append(e.busy, w)
	e.background(name, func() error {
		defer free()
		return e.role(name, w.Run(e.ctx, workerSlots))
	})
	return name, nil
}

// worker is a worker under a name, which others see from now on.
func (e *engine) worker(name string) (*runtime.Worker, error) {
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Worker, Name: name})
	if err != nil {
		return nil, err
	}
	env, err := e.toolEnv()
	if err != nil {
		return nil, err
	}
	env.Performance = e.vitals.tool
	store, err := e.checkpoints(name)
	if err != nil {
		return nil, err
	}
	e.announce(conn, name)
	return &runtime.Worker{Checkpoints: store, Project: e.name, Name: name, Process: conn.Process(), Log: conn, Queue: busQueue{conn}, Claims: busClaims{conn}, Blobs: conn,
		Live: busLive{conn}, Peers: conn, Tools: tools.Engine(), Home: env, Workspaces: e.workspaces(env), Mask: e.mask, Clock: time.Now, IDs: newID, Logger: e.logger}, nil
}

// checkpoints is what notices the changes that a worker's scripts make; nil
// where the person does not want it.
func (e *engine) checkpoints(worker string) (*checkpoint.Store, error) {
	if !e.config.Shell.Checkpoints {
		return nil, nil
	}
	return checkpoint.Open(filepath.Join(e.data, "checkpoints", worker), time.Now)
}

// announce shows that a role runs, for as long as it does.
func (e *engine) announce(conn *bus.Conn, actor string) {
	if e.vitals.mouth.conn == nil {
		e.vitals.mouth = mouth{conn, actor}
	}
	e.group.Go(func() error {
		if err := conn.Announce(e.ctx, e.name, actor); err != nil && e.ctx.Err() == nil {
			e.logger.Warn("a role cannot show that it runs", "role", actor, "error", err)
		}
		return nil
	})
}

// role names the role in an error; the end of the context is none.
func (e *engine) role(name string, err error) error {
	if err == nil || e.ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
