package hookgw

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/gui"
	"manualslop/hookgw/program"
	"manualslop/hookgw/project"
	"manualslop/hookgw/request"
)

// Gateway serves the Hook API. Create it with New, then call Serve.
type Gateway struct {
	*core.State
	listener *net.TCPListener
	conns    *access.Listener
	ready    chan struct{}
}

// New validates cfg, creates missing tokens and binds the address, so that URL is known and two gateways cannot start
// on one port. It serves nothing until Serve is called; Close releases the address without serving. Errors: ErrConfig,
// ErrTokens, ErrNotLoopback, ErrAddressInUse.
func New(ctx context.Context, cfg core.Config) (*Gateway, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	var keys *access.Keyring
	if cfg.Auth == core.AuthToken {
		if keys, err = access.OpenKeyring(cfg.Tokens); err != nil {
			return nil, err
		}
	}
	listener, err := access.Listen(ctx, cfg.Listen)
	if errors.Is(err, access.ErrAddress) {
		return nil, fmt.Errorf("%w: %w", core.ErrConfig, err)
	}
	if err != nil {
		return nil, err
	}
	guard := access.NewGuard(port(listener), keys)
	guard.SignIns = access.NewSignIns(port(listener), cfg.Clock)
	shared := request.New(cfg.Settings(), guard)
	g := &Gateway{State: core.NewState(shared, cfg), listener: listener, conns: access.Bound(listener, cfg.Limits.Conns),
		ready: make(chan struct{})}
	g.SignIns = guard.SignIns
	g.Program = program.New(cfg.Host, cfg.Roles, g.held)
	g.Core.Serve(routes(g.State))
	return g, nil
}

// held returns the resources that the gateway currently holds for its clients.
func (g *Gateway) held() program.Held {
	return program.Held{URL: g.URL(), Connections: g.conns.Open(), Feeds: g.Feeds.InUse(), Waiting: len(g.Slots)}
}

func port(l net.Listener) int {
	return l.Addr().(*net.TCPAddr).Port
}

// URL returns the address of the gateway, such as "http://127.0.0.1:8999".
func (g *Gateway) URL() string { return "http://" + g.listener.Addr().String() }

// Ready is closed when the gateway answers.
func (g *Gateway) Ready() <-chan struct{} { return g.ready }

// Close releases the address of a gateway that never served.
func (g *Gateway) Close() error { return g.listener.Close() }

// Serve answers until ctx ends, then lets running requests finish within Limits.Shutdown: waiting asks are told to
// come back later, and feeds are told their position. It returns nil after the end of ctx. Call it once.
func (g *Gateway) Serve(ctx context.Context) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := g.server(base)
	served := make(chan error, 1)
	go func() { served <- server.Serve(g.conns) }()
	g.announce(ctx)
	var running sync.WaitGroup
	running.Go(func() { resume(base, g.State) })
	for {
		select {
		case task := <-g.Tasks:
			running.Go(func() { task(base) })
		case err := <-served:
			g.sendAway()
			cut()
			running.Wait()
			return errors.Join(fmt.Errorf("serve %s: %w", g.URL(), err), server.Close())
		case <-ctx.Done():
			return g.stop(base, server, func() { cut(); running.Wait() })
		}
	}
}

func (g *Gateway) announce(ctx context.Context) {
	defer close(g.ready)
	g.Cfg.Logger.InfoContext(ctx, "gateway is listening", slog.String("url", g.URL()), slog.String("auth", g.Cfg.Auth))
	if g.Cfg.Auth == core.AuthNone {
		g.Cfg.Logger.WarnContext(ctx, "hooks.auth is none: every program on this machine acts as you, so "+
			"a shell "+
			"tool can approve its own calls",
			slog.String("url", g.URL()), slog.String("person", g.Cfg.Person))
	}
}

// stop ends the server in order: waiting requests first, then the rest, then background work.
func (g *Gateway) stop(base context.Context, server *http.Server, finish func()) error {
	g.sendAway()
	grace, cancel := context.WithTimeout(base, g.Cfg.Limits.Shutdown)
	defer cancel()
	defer finish()
	if err := server.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("stop %s: %w", g.URL(), err), server.Close())
	}
	g.awaitSockets(grace)
	return nil
}

// sendAway ends the waiting requests.
func (g *Gateway) sendAway() {
	close(g.Stopping)
	g.Pending.Close()
}

// awaitSockets lets WebSockets close and waiting asks end; the server itself waits for neither.
func (g *Gateway) awaitSockets(ctx context.Context) {
	said := make(chan struct{})
	go func() {
		g.Sockets.Wait()
		close(said)
	}()
	select {
	case <-said:
	case <-ctx.Done():
	}
}

// headSlack is how far net/http lets a request head exceed its limit.
const headSlack = 4 << 10

func (g *Gateway) server(base context.Context) *http.Server {
	l := g.Cfg.Limits
	return &http.Server{
		Handler:           g.Core,
		ReadHeaderTimeout: l.HeaderTimeout,
		ReadTimeout:       l.HeaderTimeout + l.BodyTimeout,
		IdleTimeout:       l.IdleTimeout,
		MaxHeaderBytes:    max(1, l.HeaderBytes-headSlack),
		ErrorLog:          slog.NewLogLogger(g.Cfg.Logger.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
	}
}

// FinishReset completes a reset that another process began and did not finish. Call it before any code opens a
// session because none is open.
func (g *Gateway) FinishReset(ctx context.Context) error { return gui.FinishReset(ctx, g.State) }

// resume completes operations that earlier gateways began.
func resume(ctx context.Context, g *core.State) {
	limited, cancel := context.WithTimeout(ctx, project.ResumeTime)
	defer cancel()
	if err := gui.FinishReset(limited, g); err != nil && !errors.Is(err, context.Canceled) {
		g.Cfg.Logger.WarnContext(ctx, "an interrupted reset could not be completed", slog.Any("error", err))
	}
	project.ResumeProject(ctx, g)
	project.TendSwitches(ctx, g)
}
