package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/hookgw"
)

func serveCommand(g *globals) *cobra.Command {
	var listen, natsListen, scriptFile string
	var yes bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the engine and its gateway, waiting for goals",
		Long: `Serve runs every role in this process and the Hook API beside them. It goes on
with the newest open session, or opens one, and waits for goals, answers and
control over HTTP, and over the bus where --nats-listen lets others in.

When it answers it prints where: with --json one line
{"ready":true,"hooks":URL,"nats":URL or null,"tokens":DIR,"session":ID}.`,
		Example: `  slop serve
  slop serve --json --listen 127.0.0.1:0 --nats-listen 127.0.0.1:4222`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkListenFlags(listen, natsListen); err != nil {
				return err
			}
			p, err := g.place()
			if err != nil {
				return err
			}
			return g.serve(cmd.Context(), p, runOptions{script: scriptFile, listen: listen, nats: natsListen, yes: yes})
		},
	}
	f := cmd.Flags()
	f.StringVar(&listen, "listen", "", "serve the Hook API on this loopback `ADDR` (default from [hooks] listen)")
	f.StringVar(&natsListen, "nats-listen", "", "let other processes reach the bus on `ADDR`")
	f.StringVar(&scriptFile, "script", "", "answer as the scripted model of `FILE`")
	f.BoolVar(&yes, "yes", false, "say yes to tools, steps and starts of a session that is opened now")
	return cmd
}

func (g *globals) serve(ctx context.Context, p place, o runOptions) error {
	sc, err := readScript(o.script)
	if err != nil {
		return err
	}
	e, err := g.newEngine(ctx, p, o.nats, sc)
	if err != nil {
		return err
	}
	if err := g.serveWith(ctx, e, o); err != nil {
		return errors.Join(err, e.close())
	}
	e.wait()
	return e.close()
}

func (g *globals) serveWith(ctx context.Context, e *engine, o runOptions) error {
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Person, Name: e.person})
	if err != nil {
		return err
	}
	if err := e.openModels(); err != nil { // which know what sessions are open
		return err
	}
	if err := e.holdToRules(conn, o.yes); err != nil {
		return err
	}
	if err := e.all(ctx, hooksAt(e.place, o.listen), false); err != nil {
		return err
	}
	if err := e.hooks.FinishReset(e.ctx); err != nil {
		return err
	}
	var session string
	err = e.vitals.startup.do("session", func() error { session, err = e.openOrResume(conn, o.yes); return err })
	if err != nil {
		return err
	}
	e.vitals.startup.finish()
	e.giveBack()
	remove, err := e.register(session)
	if err != nil {
		return err
	}
	e.group.Go(func() error { <-e.ctx.Done(); remove(); return nil })
	return g.sayReady(e, session)
}

// openOrResume is the newest open session, or a new one.
func (e *engine) openOrResume(conn *bus.Conn, yes bool) (string, error) {
	session, err := e.newestOpen(e.ctx, conn)
	if err == nil {
		return session, nil
	}
	if !errors.Is(err, errNoOpenSession) {
		return "", err
	}
	v, err := e.openSession(e.ctx, conn, "")
	if err == nil && yes {
		_, _, err = v.say(e.ctx, events.RuleAdded{Rule: yesRule()})
	}
	return v.session, err
}

// sayReady tells whoever started the engine where it is.
func (g *globals) sayReady(e *engine, session string) error {
	<-e.hooks.Ready()
	info := e.info(session)
	if !g.json {
		tokens := info.Tokens
		if e.config.Hooks.Auth == hookgw.AuthNone {
			tokens = "none needed: everybody is the person"
		}
		g.printf("slop serves session %s of %s\n  hooks   %s\n  tokens  %s\n", session, e.project, info.Hooks, tokens)
		if info.NATS != "" {
			g.printf("  bus     %s (credentials in %s)\n", info.NATS, info.Keys)
		}
		return nil
	}
	ready := struct {
		Ready   bool    `json:"ready"`
		Hooks   string  `json:"hooks"`
		NATS    *string `json:"nats"`
		Tokens  string  `json:"tokens"`
		Session string  `json:"session"`
	}{Ready: true, Hooks: info.Hooks, Tokens: info.Tokens, Session: session}
	if info.NATS != "" {
		ready.NATS = &info.NATS
	}
	b, err := json.Marshal(ready)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.out, "%s\n", b)
	return err
}
