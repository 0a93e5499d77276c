package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pelletier/go-toml/v2"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/search"
	"manualslop/projections/sessionlog"
)

// hooksAt is where the gateway listens: the flag, else the configuration.
func hooksAt(p place, flag string) string {
	if flag != "" {
		return flag
	}
	return p.config.Hooks.Listen
}

// all starts every role in this process.
func (e *engine) all(ctx context.Context, listen string, fallBack bool) error {
	e.vitals.scope = events.ShutdownEngine
	start := e.vitals.startup
	if err := e.openModels(); err != nil {
		return err
	}
	start.expect("orchestrator", "worker", "gateway", "session logs", "session")
	if err := start.do("orchestrator", func() error { return e.orchestrate(orchestratorRoles()) }); err != nil {
		return err
	}
	if err := start.do("worker", func() error { _, err := e.work(0); return err }); err != nil {
		return err
	}
	return e.serveHooks(ctx, listen, fallBack)
}

// tokens is the folder of the gateway's bearer tokens.
func (p place) tokens() string { return filepath.Join(p.data, "tokens") }

// serveHooks starts the read models, the session logs and the gateway. With
// fallBack a port in use is no error: a free one is taken.
func (e *engine) serveHooks(ctx context.Context, listen string, fallBack bool) error {
	if err := e.openModels(); err != nil {
		return err
	}
	own := e.own
	e.vitals.watch(own, e.live)
	e.measure(own, events.ActorGateway)
	who := newAttendance()
	e.watchPresence(own, who.changed)
	waits := &putOffs{}
	e.watchDelays(own, waits)
	cfg, err := e.hooksConfig(own, listen, who)
	if err != nil {
		return err
	}
	cfg.Delays = waits.reasons
	var index *search.Index
	var free func()
	if !e.off.index {
		index, free = e.takeIndex(own)
	}
	if index != nil {
		cfg.Search = index
	}
	if err := e.vitals.startup.do("gateway", func() error { return e.bindHooks(ctx, cfg, fallBack) }); err != nil {
		return err
	}
	e.announce(own, events.ActorGateway)
	e.behind("gateway", e.hooks.Serve)
	e.behind("fill", func(ctx context.Context) error { return e.watchFill(ctx, own) })
	if index != nil {
		e.keepIndex(index, free)
	}
	if e.off.logs {
		return nil
	}
	return e.vitals.startup.do("session logs", func() error { return e.writeLogs(own) })
}

// openModels connects the gateway and keeps the project's sessions current until
// the engine is closed: behind the gateway, whose last requests wait for them.
// Later calls do nothing.
func (e *engine) openModels() (err error) {
	if e.live != nil {
		return nil
	}
	if err := e.claim(); err != nil {
		return err
	}
	if e.own, err = e.bus.as(e.ctx, bus.Role{Kind: bus.Gateway}); err != nil {
		return err
	}
	return e.vitals.startup.do("read models", e.readModels)
}

func (e *engine) readModels() (err error) {
	log, err := e.log()
	if err != nil {
		return err
	}
	ctx, giveUp := context.WithCancel(context.WithoutCancel(e.front.ctx))
	opened := context.AfterFunc(e.ctx, giveUp) // a bus that does not answer must not hold up a stop during the start
	options := live.Options{Snapshots: e.own, Logger: e.logger}
	if e.off.folds {
		options.Models = fewModels()
	}
	e.live, err = live.Open(ctx, log, e.name, options)
	if !opened() && err == nil {
		err = context.Cause(e.ctx)
	}
	if err != nil {
		return err
	}
	e.behind("read models", func(ctx context.Context) error {
		select {
		case <-e.live.Done(): // the log cannot be read any more, and nothing shown here would be true
			return e.live.Err()
		case <-ctx.Done():
			return nil
		}
	})
	return nil
}

// bindHooks makes the gateway, on a free port where it may fall back to one.
func (e *engine) bindHooks(ctx context.Context, cfg hookgw.Config, fallBack bool) (err error) {
	e.hooks, err = hookgw.New(ctx, cfg)
	if errors.Is(err, access.ErrAddressInUse) && fallBack {
		cfg.Listen = "127.0.0.1:0"
		e.hooks, err = hookgw.New(ctx, cfg)
	}
	if errors.Is(err, access.ErrNotLoopback) || errors.Is(err, hookgw.ErrConfig) {
		return failed(exitUsage, "%w", err)
	}
	if err != nil {
		return failed(exitFailed, "%w", err)
	}
	return nil
}

// writeLogs keeps the session logs of the project's folder, which is there
// before the first goal: what a planner sees of the project must not depend on
// who was first.
func (e *engine) writeLogs(log *bus.Conn) error {
	if err := sessionlog.Prepare(e.project); err != nil {
		return fmt.Errorf("session logs: %w", err)
	}
	var err error
	if e.logs, err = sessionlog.New(log, log, events.Catalogue(), e.name, e.project, e.logger); err != nil {
		return err
	}
	e.behind("session logs", func(ctx context.Context) error {
		e.started(ctx)
		err := e.logs.Run(ctx, e.live)
		if ctx.Err() != nil {
			err = nil
		}
		return errors.Join(err, e.logs.Close())
	})
	return e.keepRegistry(log)
}

// started waits until the gateway answers, or ctx ends: what nobody waits for is
// not done before.
func (e *engine) started(ctx context.Context) {
	select {
	case <-e.hooks.Ready():
	case <-ctx.Done():
	}
}

// keepRegistry keeps the list of session logs, and prunes those not worth keeping.
func (e *engine) keepRegistry(log *bus.Conn) error {
	build, err := buildID()
	if err != nil {
		return err
	}
	keeper := &sessionlog.Keeper{Log: log, Registry: events.Catalogue(), Project: e.name, Dir: e.project,
		Encode: toml.Marshal, Clock: time.Now, NewID: newID, Snapshots: log, Build: build, Logger: e.logger}
	e.behind("session registry", func(ctx context.Context) error {
		e.started(ctx)
		return keeper.Run(ctx, e.live)
	})
	return nil
}

// finishLogs makes sure that a session's log files have everything.
func (e *engine) finishLogs(session string) error {
	if e.logs == nil {
		return nil
	}
	return e.logs.Rebuild(e.ctx, session)
}

// hooksConfig wires the gateway to connections with the rights of those on
// whose behalf it writes.
func (e *engine) hooksConfig(own *bus.Conn, listen string, who *attendance) (hookgw.Config, error) {
	person, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Person, Name: e.person})
	if err != nil {
		return hookgw.Config{}, err
	}
	agent, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Agent, Name: agentHooks})
	if err != nil {
		return hookgw.Config{}, err
	}
	if e.files, err = e.openProjectFiles(); err != nil {
		return hookgw.Config{}, err
	}
	return hookgw.Config{
		ProjectFiles: e.files,
		Listen:       listen, Auth: e.config.Hooks.Auth, Tokens: e.tokens(), Project: e.name, Person: e.person,
		Log: own, PersonLog: func(string) events.Log { return person }, AgentLog: func(string) events.Log { return agent },
		Models: e.live, Blobs: own, AskTimeout: time.Duration(e.config.Ask.TimeoutS) * time.Second,
		Limits: request.Limits{Generate: time.Duration(e.config.Hooks.GenerateTimeoutS) * time.Second}, Masker: e.mask, Signals: busText(own, e.name), Roles: who.roles, Host: e.vitals, Bus: own, Logger: e.logger,
		Upgrade: func(ctx context.Context, session string, now projections.Settings) ([]events.Payload, error) {
			return upgradeWords(ctx, person, session, now)
		},
		OpensSession: e.vitals.scope == events.ShutdownEngine,
		Providers:    append(providerNames(e.config), scriptProvider),
	}, nil
}

// info says where this engine can be reached.
func (e *engine) info(session string) engineInfo {
	info := engineInfo{PID: os.Getpid(), Session: session, Tokens: e.tokens(), Project: e.project}
	if e.hooks != nil {
		info.Hooks = e.hooks.URL()
	}
	if e.bus.server != nil {
		info.NATS = e.bus.server.URL()
	}
	if info.NATS != "" {
		info.Keys = e.keysDir()
	}
	return info
}

// register tells other processes where this engine is, until remove is called,
// and writes credentials for them where its bus listens.
func (e *engine) register(session string) (remove func(), err error) {
	if err := e.writeKeys(); err != nil {
		return nil, err
	}
	return writeRunFile(e.data, e.info(session))
}
