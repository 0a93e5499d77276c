package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pelletier/go-toml/v2"

	"manualslop/bus"
	"manualslop/cmd/slop/aggregation"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/version"
	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/search"
	"manualslop/projections/sessionlog"
)

// HooksAt returns the address of the gateway: the flag, else the configuration.
func HooksAt(p site.Place, flag string) string {
	if flag != "" {
		return flag
	}
	return p.Config.Hooks.Listen
}

// All starts every role in this process.
func (e *Engine) All(ctx context.Context, listen string, fallBack bool) error {
	e.Stats.ShutdownScope = events.ShutdownEngine
	start := e.Stats.StartTasks
	if err := e.OpenModels(); err != nil {
		return err
	}
	start.expect("orchestrator", "worker", "gateway", "session logs", "session")
	if err := start.Do("orchestrator", func() error { return e.Orchestrate(OrchestratorRoles()) }); err != nil {
		return err
	}
	if err := start.Do("worker", func() error { _, err := e.Work(0); return err }); err != nil {
		return err
	}
	return e.ServeHooks(ctx, listen, fallBack)
}

// ServeHooks starts the read models, the session logs and the gateway. With fallBack, it takes a free port if the port
// is in use.
func (e *Engine) ServeHooks(ctx context.Context, listen string, fallBack bool) error {
	if err := e.OpenModels(); err != nil {
		return err
	}
	own := e.own
	e.Stats.watch(own, e.Live)
	e.measure(own, events.ActorGateway)
	who := newPresence()
	e.watchPresence(own, who.changed)
	waits := &delays{}
	e.watchDelays(own, waits)
	cfg, err := e.hooksConfig(own, listen, who)
	if err != nil {
		return err
	}
	cfg.Delays = waits.reasons
	var index *search.Index
	var free func()
	if !e.Off.Index {
		index, free = e.takeIndex(own)
	}
	if index != nil {
		cfg.Search = index
	}
	if err := e.Stats.StartTasks.Do("gateway", func() error { return e.bindHooks(ctx, cfg, fallBack) }); err != nil {
		return err
	}
	e.announce(own, events.ActorGateway)
	e.behind("gateway", e.Hooks.Serve)
	e.behind("fill", func(ctx context.Context) error { return e.watchFill(ctx, own) })
	if index != nil {
		e.keepIndex(index, free)
	}
	if e.Off.Logs {
		return nil
	}
	return e.Stats.StartTasks.Do("session logs", func() error { return e.writeLogs(own) })
}

// OpenModels connects the gateway and keeps the project's sessions current until the engine is closed. They end after
// the gateway, whose last requests need them. Later calls do nothing.
func (e *Engine) OpenModels() (err error) {
	if e.Live != nil {
		return nil
	}
	if err := e.Claim(); err != nil {
		return err
	}
	if e.own, err = e.Bus.As(e.Ctx, bus.Role{Kind: bus.Gateway}); err != nil {
		return err
	}
	return e.Stats.StartTasks.Do("read models", e.readModels)
}

func (e *Engine) readModels() (err error) {
	log, err := e.Log()
	if err != nil {
		return err
	}
	ctx, giveUp := context.WithCancel(context.WithoutCancel(e.front.ctx))
	opened := context.AfterFunc(e.Ctx, giveUp) // a bus that does not answer must not block a stop during the start
	options := live.Options{Snapshots: e.own, Logger: e.Logger}
	if e.Off.Folds {
		options.Models = fewModels()
	}
	e.Live, err = live.Open(ctx, log, e.Name, options)
	if !opened() && err == nil {
		err = context.Cause(e.Ctx)
	}
	if err != nil {
		return err
	}
	e.behind("read models", func(ctx context.Context) error {
		select {
		case <-e.Live.Done(): // the log can no longer be read, and what is shown would be wrong
			return e.Live.Err()
		case <-ctx.Done():
			return nil
		}
	})
	return nil
}

// bindHooks creates the gateway, on a free port if it may fall back to one.
func (e *Engine) bindHooks(ctx context.Context, cfg core.Config, fallBack bool) (err error) {
	e.Hooks, err = hookgw.New(ctx, cfg)
	if errors.Is(err, access.ErrAddressInUse) && fallBack {
		cfg.Listen = "127.0.0.1:0"
		e.Hooks, err = hookgw.New(ctx, cfg)
	}
	if errors.Is(err, access.ErrNotLoopback) || errors.Is(err, core.ErrConfig) {
		return exit.Errorf(exit.Usage, "%w", err)
	}
	if err != nil {
		return exit.Errorf(exit.Failed, "%w", err)
	}
	return nil
}

// writeLogs writes the session logs of the project. Their folder is created before the first goal, because what a
// planner sees of the project must not depend on timing.
func (e *Engine) writeLogs(log *bus.Conn) error {
	if err := sessionlog.Prepare(e.Project); err != nil {
		return fmt.Errorf("session logs: %w", err)
	}
	var err error
	if e.logs, err = sessionlog.New(log, log, events.Catalogue(), e.Name, e.Project, e.Logger); err != nil {
		return err
	}
	e.behind("session logs", func(ctx context.Context) error {
		e.started(ctx)
		err := e.logs.Run(ctx, e.Live)
		if ctx.Err() != nil {
			err = nil
		}
		return errors.Join(err, e.logs.Close())
	})
	return e.keepRegistry(log)
}

// started waits until the gateway answers, or ctx ends: less urgent work waits for that.
func (e *Engine) started(ctx context.Context) {
	select {
	case <-e.Hooks.Ready():
	case <-ctx.Done():
	}
}

// keepRegistry keeps the list of session logs, and prunes those not worth keeping.
func (e *Engine) keepRegistry(log *bus.Conn) error {
	build, err := version.ID()
	if err != nil {
		return err
	}
	keeper := &sessionlog.Keeper{Log: log, Registry: events.Catalogue(), Project: e.Name, Dir: e.Project,
		Encode: toml.Marshal, Clock: time.Now, NewID: NewID, Snapshots: log, Build: build, Logger: e.Logger}
	e.behind("session registry", func(ctx context.Context) error {
		e.started(ctx)
		return keeper.Run(ctx, e.Live)
	})
	return nil
}

// FinishLogs waits until a session's log files are complete.
func (e *Engine) FinishLogs(session string) error {
	if e.logs == nil {
		return nil
	}
	return e.logs.Rebuild(e.Ctx, session)
}

// hooksConfig gives the gateway connections with the rights of the actors for which it writes.
func (e *Engine) hooksConfig(own *bus.Conn, listen string, who *presence) (core.Config, error) {
	person, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Person, Name: e.Person})
	if err != nil {
		return core.Config{}, err
	}
	agent, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Agent, Name: site.AgentHooks})
	if err != nil {
		return core.Config{}, err
	}
	if e.files, err = openProjectFiles(e.Place); err != nil {
		return core.Config{}, err
	}
	return core.Config{
		ProjectFiles: e.files,
		Listen:       listen, Auth: e.Config.Hooks.Auth, Tokens: e.Tokens(), Project: e.Name, Person: e.Person,
		Log: own, PersonLog: func(string) events.Log { return person }, AgentLog: func(string) events.Log { return agent },
		Models: e.Live, Blobs: own, AskTimeout: time.Duration(e.Config.Ask.TimeoutS) * time.Second,
		Limits: request.Limits{Generate: time.Duration(e.Config.Hooks.GenerateTimeoutS) * time.Second}, Masker: e.Mask,
		Signals: busText(own, e.Name), Roles: who.roles, Servers: e.serverList,
		RestartServer: e.restartServer, Host: e.Stats, Bus: own, Logger: e.Logger,
		Upgrade: func(ctx context.Context, session string, now projections.Settings) ([]events.Payload, error) {
			return UpgradeWords(ctx, person, e.Place, session, now)
		},
		PlanReview: e.Config.MMA.PlanReview, RuleOf: RuleOf, KeepRule: config.KeepRule,
		Aggregate:    e.aggregate(own),
		PreviewCall:  PreviewIn(e.Place, e.Mask),
		OpensSession: e.Stats.ShutdownScope == events.ShutdownEngine,
		Providers:    append(config.ProviderNames(e.Config), config.ScriptProvider),
		Embedders:    config.EmbedderNames(e.Config),
		ModelsAt:     e.Config.ModelsAt,
	}, nil
}

// aggregate returns the source of contexts: the log, and the files of this project.
func (e *Engine) aggregate(own *bus.Conn) func(context.Context, string, wire.ContextWanted) (wire.ContextPreview,
	error) {
	return func(ctx context.Context, session string, want wire.ContextWanted) (wire.ContextPreview, error) {
		return aggregation.Make(ctx, aggregation.Source{Blobs: own, Person: e.Person,
			Views: aggregation.Files(e.Place, e.Mask),
			Past:  aggregation.Decoded(own.Read(ctx, events.Filter{Project: e.Name, Session: session}, 1, 0))}, want)
	}
}

// Info returns where this engine can be reached.
func (e *Engine) Info(session string) site.EngineInfo {
	info := site.EngineInfo{PID: os.Getpid(), Session: session, Tokens: e.Tokens(), Project: e.Project}
	if e.Hooks != nil {
		info.Hooks = e.Hooks.URL()
	}
	if e.Bus.Server != nil {
		info.NATS = e.Bus.Server.URL()
	}
	if info.NATS != "" {
		info.Keys = e.KeysDir()
	}
	return info
}

// Register tells other processes where this engine is, until remove is called, and writes credentials for them if its
// bus listens.
func (e *Engine) Register(session string) (remove func(), err error) {
	if err := e.WriteKeys(); err != nil {
		return nil, err
	}
	info := e.Info(session)
	if e.Bus.Server != nil {
		if err := e.Bus.Server.WriteKeys(e.MCPDir(), bus.MCPKeys); err != nil {
			return nil, err
		}
		if info.Socket, err = e.Bus.Server.ListenSocket(e.Ctx); err != nil {
			e.Logger.Info("slop mcp serve can only join over an address of the bus", "error", err)
		}
		e.Group.Go(func() error { return e.withdrawLost(e.Ctx) })
	}
	return site.WriteRunFile(e.Data, info)
}
