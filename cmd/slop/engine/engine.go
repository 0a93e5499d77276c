// Package engine runs the roles of slop in one process: it wires them to the bus,
// starts and stops them, and keeps presence, statistics, search index and logs.
package engine

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"manualslop/bus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/cmd/slop/version"
	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
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
	"manualslop/tiers/runtime/retrieve"
	"manualslop/tools/builtin"
	"manualslop/tools/checkpoint"
	"manualslop/tools/mcp"
	"manualslop/tools/retrieval"
)

// WorkerSlots is the number of concurrent calls of one worker process.
const WorkerSlots = 16

// ModelSlots is the number of concurrent model calls of one process: one for each of a session's maximum number of
// workers, and some for planners and reviews.
const ModelSlots = 80

// Engine runs the roles of one process on one bus.
type Engine struct {
	site.Place
	Bus    *site.Connector
	Script *script.Script
	Mask   func([]byte) []byte
	Logger *slog.Logger

	Ctx    context.Context // ends when a role fails or the process is asked to stop
	stop   context.CancelFunc
	Group  *errgroup.Group
	front  front // what ends after the roles
	Stats  *Stats
	Stalls chan Stall     // of the deciders in this process
	shared *events.Shared // nil until something is read
	reader *runtime.Reader
	own    *bus.Conn // of the gateway
	Live   *live.Live
	Hooks  *hookgw.Gateway
	logs   *sessionlog.Writer
	files  *projectFiles
	busy   []resting // roles that work for sessions

	servers func() (*mcp.Manager, error) // external MCP servers

	OneGoal bool // the engine ends with its goal

	Off Causes // parts that a measurement leaves out
}

// resting can wait until no more work is done for a session.
type resting interface {
	Rest(ctx context.Context, session string)
}

// restWait limits how long an engine that ends waits for work that is stopped with its session.
const restWait = 10 * time.Second

// Rest waits until the outcomes of everything that ran for a closed session are recorded.
func (e *Engine) Rest(session string) {
	ctx, cancel := context.WithTimeout(e.Ctx, restWait)
	defer cancel()
	for _, b := range e.busy {
		b.Rest(ctx, session)
	}
}

// New prepares an engine without roles. Close stops it.
func New(ctx context.Context, g *site.Flags, p site.Place, natsListen string, sc *script.Script) (*Engine, error) {
	secrets, err := p.Secrets()
	if err != nil {
		return nil, err
	}
	start := newStartTasks()
	var conn *site.Connector
	if err := start.Do("bus", func() error { conn, err = g.OpenBus(ctx, p, natsListen); return err }); err != nil {
		return nil, err
	}
	if !g.Remote(p) && p.Config.Hooks.Auth != core.AuthNone {
		// before anything is recorded, because records must not show them
		tokens, err := access.MakeTokens(p.Tokens())
		if err != nil {
			conn.Close()
			return nil, &exit.Error{Code: exit.Failed, Err: err}
		}
		secrets = append(tokens, secrets...)
	}
	behind := newFront(ctx)
	ctx, stop := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	e := &Engine{Place: p, Bus: conn, Script: sc, Mask: term.NewMask(secrets), Logger: g.Logger(), Ctx: ctx, stop: stop,
		Group: group, front: behind,
		Stats: newStats(p.Name, start, stop), Stalls: make(chan Stall, 64)}
	e.servers = sync.OnceValues(e.openServers)
	return e, nil
}

// Wait returns when a role failed or the process is asked to stop.
func (e *Engine) Wait() { <-e.Ctx.Done() }

// Deciders returns the deciders by name.
func Deciders() map[string]func() *tiers.Machine {
	return map[string]func() *tiers.Machine{
		events.ActorConductor:   func() *tiers.Machine { return conductor.Decider().Start() },
		events.ActorPlanner:     func() *tiers.Machine { return planner.Decider().Start() },
		events.ActorLead:        func() *tiers.Machine { return lead.Decider().Start() },
		events.ActorContributor: func() *tiers.Machine { return contributor.Decider().Start() },
		events.ActorQA:          func() *tiers.Machine { return qa.Decider().Start() },
		events.ActorApproval:    func() *tiers.Machine { return approval.Decider().Start() },
	}
}

// OrchestratorRoles returns the roles that `slop orchestrator` runs without --only.
func OrchestratorRoles() []string {
	return append(events.Deciders(), events.ActorModels, events.ActorTimers)
}

// Orchestrate runs deciders and the effects beside them, by name.
func (e *Engine) Orchestrate(names []string) error {
	reading, err := e.Log()
	if err != nil {
		return err
	}
	e.reader = &runtime.Reader{Log: reading, Registry: events.Catalogue(), Project: e.Name, Logger: e.Logger,
		Stopped: e.stopped}
	build, err := version.ID()
	if err != nil {
		return err
	}
	crew := &runtime.Orchestrator{Project: e.Name, Logger: e.Logger, Build: build, Stopped: e.stopped}
	all := Deciders()
	for _, name := range names {
		switch start := all[name]; {
		case start != nil:
			conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Decider, Name: name})
			if err != nil {
				return err
			}
			crew.Roles = append(crew.Roles, runtime.Role{Start: start, Log: conn, Snapshots: conn})
			e.keepList(conn, name, build)
			e.announce(conn, name)
		case name == events.ActorModels:
			if err := e.Stats.StartTasks.Do(name, e.callModels); err != nil {
				return err
			}
		case name == events.ActorTimers:
			if err := e.Stats.StartTasks.Do(name, e.watchClocks); err != nil {
				return err
			}
		default:
			return exit.Errorf(exit.Usage, "unknown role %q; use one of %v", name, OrchestratorRoles())
		}
	}
	e.reader.Subscribe(crew)
	e.Background("orchestrator", func() error { return e.Role("orchestrator", crew.Run(e.Ctx, e.reader)) })
	return nil
}

// keepList has the first role with the right to store keep the list of open sessions.
func (e *Engine) keepList(conn *bus.Conn, actor, build string) {
	if e.reader.States.Snapshots == nil {
		e.reader.States = runtime.States{Project: e.Name, Actor: actor, Build: build, Snapshots: conn, Logger: e.Logger}
	}
}

// states returns where an effect stores its states of sessions.
func (e *Engine) states(conn *bus.Conn, actor string) (runtime.States, error) {
	build, err := version.ID()
	return runtime.States{Project: e.Name, Actor: actor, Build: build, Snapshots: conn, Logger: e.Logger}, err
}

// Log returns the log as shared by this process: with one watch, and each event decoded once.
func (e *Engine) Log() (*events.Shared, error) {
	if e.shared != nil {
		return e.shared, nil
	}
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Reader})
	if err != nil {
		return nil, err
	}
	e.shared = events.NewShared(conn, events.Catalogue(), e.Name)
	return e.shared, nil
}

// callModels runs the effect that calls models.
func (e *Engine) callModels() error {
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Models})
	if err != nil {
		return err
	}
	keys, err := config.KeysOf(e.Config)
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
	m := &runtime.Models{Project: e.Name, Process: conn.Process(), Log: conn, Queue: conn, Peers: conn,
		IDs: NewID, Transcripts: transcripts, Providers: config.Providers(e.Config, keys), Script: e.Script,
		Signals: conn, Mask: e.Mask, Clock: time.Now, Logger: e.Logger}
	e.reader.Subscribe(m)
	e.busy = append(e.busy, m)
	e.announce(conn, events.ActorModels)
	e.Background(events.ActorModels, func() error { return e.Role("models", m.Run(e.Ctx, ModelSlots)) })
	return nil
}

// watchClocks runs the effect that fires timers.
func (e *Engine) watchClocks() error {
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Timers})
	if err != nil {
		return err
	}
	states, err := e.states(conn, events.ActorTimers)
	if err != nil {
		return err
	}
	e.keepList(conn, events.ActorTimers, states.Build)
	timers := &runtime.Timers{Log: conn, Clock: time.Now, Logger: e.Logger}
	requests := &runtime.Requests{States: states, Timers: timers}
	e.reader.Subscribe(requests)
	reconciler := &runtime.Reconciler{Project: e.Name, Requests: requests, Pools: busPools{conn, e.Name}, Log: conn,
		Clock: time.Now, IDs: NewID,
		Logger: e.Logger, Relinked: conn.Relinked}
	e.Background(events.ActorTimers, func() error { return e.Role(events.ActorTimers, reconciler.Run(e.Ctx)) })
	lost := &runtime.LostWorkers{Project: e.Name, Log: conn, Clock: time.Now, IDs: NewID, Logger: e.Logger}
	e.reader.Subscribe(lost)
	e.watchPresence(conn, func(actor string, here bool) {
		if !here {
			lost.Gone(e.Ctx, actor)
		}
	})
	e.announce(conn, events.ActorTimers)
	e.HandBack(conn)
	e.behind("reserve", func(ctx context.Context) error { return e.watchReserve(ctx, conn) })
	return nil
}

// HandBack redelivers the work of lost workers at once.
func (e *Engine) HandBack(conn *bus.Conn) {
	e.Group.Go(func() error {
		for e.Ctx.Err() == nil {
			if err := conn.HandBack(e.Ctx, e.Name); err != nil && e.Ctx.Err() == nil {
				e.Logger.Info("resubscribing to lost workers", "error", err)
			}
			rest(e.Ctx, presenceGrace/10)
		}
		return nil
	})
}

// Work runs a worker under the name of a slot, 0 for the lowest free one. No other worker of this host takes the name
// while it runs.
func (e *Engine) Work(slot int) (name string, err error) {
	name, free, err := takeWorkerSlot(e.Place, slot)
	if err != nil {
		return "", err
	}
	w, err := e.worker(name)
	if err != nil {
		free()
		return "", err
	}
	e.busy = append(e.busy, w)
	e.Background(name, func() error {
		defer free()
		return e.Role(name, w.Run(e.Ctx, WorkerSlots))
	})
	return name, nil
}

// worker returns a worker with this name and announces it.
func (e *Engine) worker(name string) (*runtime.Worker, error) {
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Worker, Name: name})
	if err != nil {
		return nil, err
	}
	env, err := e.ToolEnv()
	if err != nil {
		return nil, err
	}
	env.Performance = e.Stats.tool
	store, err := e.checkpoints(name)
	if err != nil {
		return nil, err
	}
	servers, err := e.servers()
	if err != nil {
		return nil, err
	}
	retriever, err := e.retriever()
	if err != nil {
		return nil, err
	}
	e.announce(conn, name)
	return &runtime.Worker{Checkpoints: store, Project: e.Name, Name: name, Process: conn.Process(), Log: conn,
		Queue: conn, Claims: conn, Blobs: conn,
		Live: busLive{conn}, Signals: conn, Peers: conn,
		Tools: toolSet{builtin.Engine(), servers}, Home: env, Workspaces: e.Workspaces(env), Mask: e.Mask,
		Retriever: retriever, Clock: time.Now, IDs: NewID, Logger: e.Logger}, nil
}

// retriever returns the retriever of passages for turns, with the vectors in the engine's folder.
func (e *Engine) retriever() (*retrieve.Retriever, error) {
	keys, err := config.KeysOf(e.Config)
	if err != nil {
		return nil, err
	}
	return &retrieve.Retriever{
		Finder:    &retrieval.Finder{Folder: filepath.Join(e.Data, "vectors"), Mask: e.Mask},
		Providers: config.Providers(e.Config, keys),
		Pause: func(ctx context.Context, d time.Duration) error {
			rest(ctx, d)
			return ctx.Err()
		},
	}, nil
}

// checkpoints returns the detector of changes that a worker's scripts make, or nil if the user disabled it.
func (e *Engine) checkpoints(worker string) (*checkpoint.Store, error) {
	if !e.Config.Shell.Checkpoints {
		return nil, nil
	}
	return checkpoint.Open(filepath.Join(e.Data, "checkpoints", worker), time.Now)
}

// announce shows that a role is running, for as long as it does.
func (e *Engine) announce(conn *bus.Conn, actor string) {
	if e.Stats.publisher.conn == nil {
		e.Stats.publisher = publisher{conn, actor}
	}
	e.Group.Go(func() error {
		if err := conn.Announce(e.Ctx, e.Name, actor); err != nil && e.Ctx.Err() == nil {
			e.Logger.Warn("cannot announce a role as running", "role", actor, "error", err)
		}
		return nil
	})
}

// Role adds the role's name to an error. It returns nil for the end of the context.
func (e *Engine) Role(name string, err error) error {
	if err == nil || e.Ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// WriteKeys writes credentials for other processes if the bus listens.
func (e *Engine) WriteKeys() error {
	if e.Bus.Server == nil || e.Bus.Server.URL() == "" {
		return nil
	}
	return e.Bus.Server.WriteKeys(e.KeysDir())
}

// Causes names parts of an engine that a measurement leaves out, to see the cost of each of them. The zero value
// leaves out nothing.
type Causes struct {
	Index  bool // the search index
	Logs   bool // the session logs and their list
	Folds  bool // the read models, except [fewModels]
	Models bool // the models effect, except the script's replies
}

// fewModels returns the read models that the gateway needs in any case: it checks whether a switch of projects is in
// progress.
func fewModels() []func() projections.Model {
	needed := []string{"project", "settings"}
	return slices.DeleteFunc(projections.Catalogue(), func(start func() projections.Model) bool {
		return !slices.Contains(needed, start().Name())
	})
}
