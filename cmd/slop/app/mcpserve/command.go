package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// options are the flags of slop mcp serve.
type options struct {
	http   string        // empty: standard input and output
	server string        // external server whose tools are offered; empty: the tools of slop
	wait   time.Duration // see server.wait
	elicit bool          // see server.elicits
	sample bool          // see server.samples
	roots  bool          // see server.roots

	offered offered
}

// Command is `slop mcp serve`.
func Command(g *site.Flags) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the tools of slop to an MCP client",
		Long: `Serve speaks MCP on standard input and output, or over HTTP with --http. Each call
is recorded, approved by your rules or by you, and run like a model's call. Calls
that need approval wait for slop ask answer; the client gets progress notifications
and cannot approve them.

If an engine of the project is running, serve joins its session; otherwise it starts
one with a gateway. It ends when the client closes standard input, or with --http
when it is stopped.

With --server it offers only the approved tools of one trusted external server, under
their own names: configure slop in a client in place of that server, and its calls pass
your rules and the log.

With --elicit a question that an external server asks during a call goes to the client
as well, if the client supports elicitation, and its answer counts as yours. Do not pass it
for a client that answers by itself. Calls are never approved this way.

With --sample the client's model writes the replies that an external server asks for,
if "sampling" is true in the server's definition. Without it such a request waits for you.

With --roots the client names its folders to an external server that asks for them, if
"askRoots" is true in the server's definition. Without it such a request waits for you.

With --http it serves streamable HTTP at /mcp and SSE at /sse, to clients on this
machine that send the token in ask.token. With --json it prints one line
{"ready":true,"url":URL,"tokens":DIR}.`,
		Example: `  slop mcp serve
  slop mcp serve --project ~/src/app
  slop mcp serve --server github
  slop mcp serve --http 127.0.0.1:7357`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.wait < 0 {
				return exit.Errorf(exit.Usage, "--wait must not be negative")
			}
			p, err := g.Place()
			if err != nil {
				return err
			}
			return serve(cmd.Context(), g, p, o)
		},
	}
	cmd.Flags().StringVar(&o.http, "http", "", "serve over HTTP on this loopback `ADDR` in place of standard input")
	cmd.Flags().StringVar(&o.server, "server", "", "offer only the tools of this trusted external `SERVER`")
	cmd.Flags().BoolVar(&o.elicit, "elicit", false, "let the client answer the questions of external servers for you")
	cmd.Flags().BoolVar(&o.sample, "sample", false, "let the client's model reply to external servers that ask for "+
		"a reply")
	cmd.Flags().BoolVar(&o.roots, "roots", false, "let the client name its folders to external servers that ask for them")
	cmd.Flags().DurationVar(&o.wait, "wait", 0, "answer a call without an outcome after this `TIME` as pending "+
		"(default as long as the client waits)")
	return cmd
}

func serve(ctx context.Context, g *site.Flags, p site.Place, o options) error {
	if g.Remote(p) {
		return exit.Errorf(exit.Usage, "slop mcp serve joins the engine of the project by itself; leave out --nats and "+
			"--context")
	}
	var err error
	if o.offered, err = offers(p, o.server); err != nil {
		return err
	}
	info, err := site.FindEngine(p.Data)
	switch {
	case errors.Is(err, site.ErrNoEngine):
		return serveAlone(ctx, g, p, o)
	case err != nil:
		return &exit.Error{Code: exit.Failed, Err: err}
	case info.NATS == "" && info.Socket == "":
		return exit.Errorf(exit.Failed, "an engine of this project is running, but neither its bus nor a socket in "+
			"%s can be joined\nStart it with `slop serve --nats-listen 127.0.0.1:0`, or stop it: slop mcp serve "+
			"then starts its own.",
			p.Data)
	}
	return join(ctx, g, p, info, o)
}

// serveAlone runs an engine until the client disconnects.
func serveAlone(ctx context.Context, g *site.Flags, p site.Place, o options) error {
	e, err := engine.New(ctx, g, p, "", nil)
	if err != nil {
		return err
	}
	err = func() error {
		session, err := e.Serve(ctx, "", false)
		if err != nil {
			return err
		}
		return run(e.Ctx, g, session, p, e.Bus, e.Mask, o)
	}()
	return errors.Join(err, e.Close())
}

// join works in the session of a running engine, with credentials that cannot
// answer asks.
func join(ctx context.Context, g *site.Flags, p site.Place, info site.EngineInfo, o options) error {
	secrets, err := p.Secrets()
	if err != nil {
		return err
	}
	conns := &site.Connector{Dial: bus.DialConfig{Recent: bus.NewRecent(), URL: info.NATS, Logger: g.Logger(),
		Creds: filepath.Join(p.MCPDir(), bus.MCPKeys)}}
	if info.NATS == "" {
		conns.Dial.Socket = info.Socket
	}
	defer conns.Close()
	return run(ctx, g, info.Session, p, conns, term.NewMask(secrets), o)
}

// run serves one client on standard input and output until it closes, or any
// number over HTTP until ctx ends.
func run(ctx context.Context, g *site.Flags, session string, p site.Place, conns *site.Connector,
	mask func([]byte) []byte, o options) (err error) {
	agent, err := conns.As(ctx, bus.Role{Kind: bus.Agent, Name: events.ActorMCP})
	if err != nil {
		return &exit.Error{Code: exit.Failed, Err: err}
	}
	reader, err := conns.As(ctx, bus.Role{Kind: bus.Reader})
	if err != nil {
		return &exit.Error{Code: exit.Failed, Err: err}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	gone, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	s := &server{name: engine.NewID(), gone: gone, reader: reader, blobs: reader.Get, wait: o.wait, log: g.Logger(),
		calls: map[string]*call{}, external: o.offered.server, subscribed: newSubscriptions(),
		writer: engine.SessionWriter{Log: agent, Project: p.Name, Session: session, Person: events.ActorMCP, Mask: mask}}
	s.elicits, s.samples, s.roots = o.elicit, o.sample, o.roots
	if o.elicit || o.sample || o.roots {
		person, err := client.Open(ctx, g, p)
		if err != nil {
			return err
		}
		defer person.Close()
		s.answer = func(ctx context.Context, ask string, given client.Answer) error {
			_, _, err := person.Answer(ctx, session, client.Ask{RequestID: ask,
				Ask: projections.Ask{AskRaised: events.AskRaised{Ask: ask, Gate: events.GateInput}}}, given)
			return err
		}
	}
	hide, err := p.ShowMCP(s.name)
	if err != nil {
		return &exit.Error{Code: exit.Failed, Err: err}
	}
	defer hide()
	if err := s.follow(ctx); err != nil {
		return &exit.Error{Code: exit.Failed, Err: err}
	}
	if s.external != "" {
		go func() { _ = reader.Signals(ctx, bus.Signal{Project: p.Name, Name: events.SignalNotice}, s.heard) }()
		go s.subscribed.send(ctx)
	}
	signal.Ignore(syscall.SIGPIPE) // a client that is gone must not end what is to be withdrawn
	if o.http != "" {
		err = serveHTTP(ctx, g, p, s, o)
	} else if err = s.newMCP(o.offered, func(*mcp.ServerSession) context.Context { return gone }).
		Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil && !errors.Is(err, syscall.EPIPE) {
		err = exit.Errorf(exit.Failed, "MCP on standard input: %w", err)
	} else {
		err = nil
	}
	s.endSubscriptions(o.offered)
	leave()
	s.settle()
	return err
}

// serveHTTP serves over HTTP until ctx ends.
func serveHTTP(ctx context.Context, g *site.Flags, p site.Place, s *server, o options) error {
	var keys *access.Keyring
	if p.Config.Hooks.Auth != core.AuthNone {
		var err error
		if keys, err = access.OpenKeyring(p.Tokens()); err != nil {
			return &exit.Error{Code: exit.Failed, Err: err}
		}
	}
	l, err := access.Listen(ctx, o.http)
	if err != nil {
		return exit.Errorf(exit.Usage, "--http: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := sayReady(g, p, "http://"+l.Addr().String()+pathMCP, keys != nil); err != nil {
		return errors.Join(err, l.Close())
	}
	return newWeb(s, o.offered, access.NewGuard(port, keys), g.Logger()).serve(ctx, l)
}

// sayReady prints the address of the server.
func sayReady(g *site.Flags, p site.Place, url string, tokens bool) error {
	if g.JSON {
		return g.PrintLine(map[string]any{"ready": true, "url": url, "tokens": p.Tokens()})
	}
	token := "none needed"
	if tokens {
		token = filepath.Join(p.Tokens(), access.TokenFile(access.RightAsk))
	}
	_, err := fmt.Fprintf(g.Out, "MCP at %s\n  token  %s\n", url, token)
	return err
}
