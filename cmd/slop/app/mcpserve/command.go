package mcpserve

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tools/builtin"
)

// Command is `slop mcp serve`.
func Command(g *site.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools of slop to an MCP client",
		Long: `Serve speaks MCP on standard input and output. Each call is recorded, approved
by your rules or by you, and run as a model's call is. Calls that need a yes wait
for slop ask answer; the client gets progress notifications and cannot answer.

If an engine of the project runs and its bus listens (slop serve --nats-listen),
serve joins its session. Without an engine, serve starts one with a gateway.
It ends when the client closes standard input.`,
		Example: `  slop mcp serve
  slop mcp serve --project ~/src/app`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := g.Place()
			if err != nil {
				return err
			}
			return serve(cmd.Context(), g, p)
		},
	}
}

func serve(ctx context.Context, g *site.Flags, p site.Place) error {
	if g.Remote(p) {
		return exit.Errorf(exit.Usage, "slop mcp serve joins the engine of the project by itself; leave out --nats and --context")
	}
	info, err := site.FindEngine(p.Data)
	switch {
	case errors.Is(err, site.ErrNoEngine):
		return serveAlone(ctx, g, p)
	case err != nil:
		return &exit.Error{Code: exit.Failed, Err: err}
	case info.NATS == "":
		return exit.Errorf(exit.Failed, "an engine of this project runs, and its bus does not listen\n"+
			"Start it with `slop serve --nats-listen 127.0.0.1:0`, or stop it: slop mcp serve then starts its own.")
	}
	return join(ctx, g, p, info)
}

// serveAlone runs an engine until the client disconnects.
func serveAlone(ctx context.Context, g *site.Flags, p site.Place) error {
	e, err := engine.New(ctx, g, p, "", nil)
	if err != nil {
		return err
	}
	err = func() error {
		session, err := e.Serve(ctx, "", false)
		if err != nil {
			return err
		}
		agent, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Agent, Name: events.ActorMCP})
		if err != nil {
			return err
		}
		reader, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Reader})
		if err != nil {
			return err
		}
		return run(e.Ctx, g, session, p, agent, reader, e.Mask)
	}()
	return errors.Join(err, e.Close())
}

// join works in the session of a running engine, with credentials that cannot
// answer asks.
func join(ctx context.Context, g *site.Flags, p site.Place, info site.EngineInfo) error {
	secrets, err := p.Secrets()
	if err != nil {
		return err
	}
	conns := &site.Connector{Dial: bus.DialConfig{Recent: bus.NewRecent(), URL: info.NATS,
		Creds: filepath.Join(info.Keys, "mcp.json"), Logger: g.Logger()}}
	defer conns.Close()
	agent, err := conns.As(ctx, bus.Role{Kind: bus.Agent, Name: events.ActorMCP})
	if err != nil {
		return &exit.Error{Code: exit.Failed, Err: err}
	}
	reader, err := conns.As(ctx, bus.Role{Kind: bus.Reader})
	if err != nil {
		return &exit.Error{Code: exit.Failed, Err: err}
	}
	return run(ctx, g, info.Session, p, agent, reader, term.NewMask(secrets))
}

// run serves one client on standard input and output until it closes.
func run(ctx context.Context, g *site.Flags, session string, p site.Place, agent, reader *bus.Conn,
	mask func([]byte) []byte) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	gone, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	s := &server{gone: gone, reader: reader, calls: map[string]chan events.Payload{},
		writer: engine.SessionWriter{Log: agent, Project: p.Name, Session: session, Person: events.ActorMCP, Mask: mask}}
	if err := s.follow(ctx); err != nil {
		return &exit.Error{Code: exit.Failed, Err: err}
	}
	err := s.newMCP(builtin.Tools()).Run(ctx, &mcp.StdioTransport{})
	leave()
	s.running.Wait() // their asks are withdrawn
	if err != nil && ctx.Err() == nil {
		return exit.Errorf(exit.Failed, "MCP on standard input: %w", err)
	}
	return nil
}
